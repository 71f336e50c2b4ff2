package copy

import (
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
)

func TestOptionErrors(t *testing.T) {
	tests := []struct {
		to      bool
		options string // behind FORMAT csv, if they do not say FORMAT
		state   string
		message string
	}{
		{false, "DELIMITER ',', DELIMITER ';'", "42601", "conflicting or redundant options"},
		{false, "nonsense", "42601", `option "nonsense" not recognized`},
		{false, "DELIMITER ''", "0A000", "COPY delimiter must be a single one-byte character"},
		{false, "DELIMITER 'ab'", "0A000", "COPY delimiter must be a single one-byte character"},
		{false, "DELIMITER '\n'", "22023", "COPY delimiter cannot be newline or carriage return"},
		{false, "DELIMITER '\"'", "22023", "COPY delimiter and quote must be different"},
		{false, "NULL 'a\rb'", "22023", "COPY null representation cannot use newline or carriage return"},
		{false, "NULL 'a,b'", "22023", "COPY delimiter character must not appear in the NULL specification"},
		{false, "NULL 'a\"b'", "22023", "CSV quote character must not appear in the NULL specification"},
		{false, "DEFAULT 'a\nb'", "22023", "COPY default representation cannot use newline or carriage return"},
		{false, "DEFAULT 'a,b'", "0A000", "COPY delimiter character must not appear in the DEFAULT specification"},
		{false, "DEFAULT 'x', NULL 'x'", "0A000", "NULL specification and DEFAULT specification cannot be the same"},
		{true, "DEFAULT 'x'", "0A000", "COPY DEFAULT cannot be used with COPY TO"},
		{false, "QUOTE 'ab'", "0A000", "COPY quote must be a single one-byte character"},
		{false, "ESCAPE 'ab'", "0A000", "COPY escape must be a single one-byte character"},
		{false, "HEADER maybe", "42601", "header requires a Boolean value"},
		{false, "HEADER -1", "22023", "a negative integer value cannot be specified for header"},
		{true, "HEADER match", "0A000", `cannot use "match" with HEADER in COPY TO`},
		{true, "HEADER 2", "0A000", "cannot use multi-line header in COPY TO"},
		{false, "FORCE_QUOTE (a)", "0A000", "COPY FORCE_QUOTE cannot be used with COPY FROM"},
		{true, "FORCE_NULL (a)", "22023", "COPY FORCE_NULL cannot be used with COPY TO"},
		{true, "FORCE_NOT_NULL (a)", "22023", "COPY FORCE_NOT_NULL cannot be used with COPY TO"},
		{false, "FORCE_NULL a", "22023", `argument to option "force_null" must be a list of column names`},
		{false, "ENCODING 'klingon'", "22023", "argument to option \"encoding\" must be a valid encoding name"},
		{false, "ENCODING 'BIG5'", "22023", "argument to option \"encoding\" must be a valid encoding name"},
		{true, "ON_ERROR stop", "22023", "COPY ON_ERROR cannot be used with COPY TO"},
		{false, "ON_ERROR sometimes", "22023", `COPY ON_ERROR "sometimes" not recognized`},
		{false, "FREEZE perhaps", "42601", "freeze requires a Boolean value"},
		{true, "FREEZE", "22023", "COPY FREEZE cannot be used with COPY TO"},
		{false, "REJECT_LIMIT 3", "22023", "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"},
		{false, "REJECT_LIMIT 3, ON_ERROR set_null", "22023", "COPY REJECT_LIMIT requires ON_ERROR to be set to IGNORE"},
		{false, "ON_ERROR ignore, REJECT_LIMIT 0", "22023", "REJECT_LIMIT (0) must be greater than zero"},
		{false, "ON_ERROR ignore, REJECT_LIMIT some", "42601", "reject_limit requires a numeric value"},
		{false, "ON_ERROR ignore, REJECT_LIMIT", "42601", "reject_limit requires a numeric value"},
		{true, "REJECT_LIMIT 1", "22023", "COPY REJECT_LIMIT cannot be used with COPY TO"},
		{false, "LOG_VERBOSITY loud", "22023", `COPY LOG_VERBOSITY "loud" not recognized`},
		{false, "REJECTS 'r'", "22023", "COPY REJECTS requires ON_ERROR to be set to IGNORE"},
		{false, "ON_CONFLICT perhaps", "22023", `COPY ON_CONFLICT "perhaps" not recognized`},
		{true, "ON_CONFLICT ignore", "22023", "COPY ON_CONFLICT cannot be used with COPY TO"},
		{false, "FORMAT binary, ON_ERROR ignore", "42601", "only ON_ERROR STOP is allowed in BINARY mode"},
		{false, "FORMAT binary, ENCODING 'LATIN1'", "0A000", "COPY ENCODING with FORMAT binary is not supported"},
		{false, "PARALLELISM 0", "22023", "COPY PARALLELISM must be between 1 and"},
		{false, "PARALLELISM many", "42601", "parallelism requires an integer value"},
		{true, "ROWS 3", "22023", "COPY ROWS cannot be used with COPY TO"},
		{false, "NULL", "42601", "null requires a parameter"},
		{false, "FORMAT text, DELIMITER '.'", "22023", "COPY delimiter cannot be \".\""},
		{false, "FORMAT text, DELIMITER '\\'", "22023", "COPY delimiter cannot be \"\\\""},
		{true, "FORMAT text, DELIMITER 'a'", "22023", "COPY delimiter cannot be \"a\""},
		{true, "FORMAT text, DELIMITER '7'", "22023", "COPY delimiter cannot be \"7\""},
		{false, "FORMAT text, DELIMITER '\r'", "22023", "COPY delimiter cannot be newline or carriage return"},
		{false, "FORMAT text, NULL 'a\tb'", "22023", "COPY delimiter character must not appear in the NULL specification"},
		{false, "FORMAT text, DEFAULT 'a\tb'", "0A000", "COPY delimiter character must not appear in the DEFAULT specification"},
		{false, "FORMAT text, QUOTE 'x'", "0A000", "COPY QUOTE requires CSV mode"},
		{false, "FORMAT text, ESCAPE 'x'", "0A000", "COPY ESCAPE requires CSV mode"},
		{true, "FORMAT text, FORCE_QUOTE *", "0A000", "COPY FORCE_QUOTE requires CSV mode"},
		{false, "FORMAT text, FORCE_NULL (a)", "0A000", "COPY FORCE_NULL requires CSV mode"},
		{false, "FORMAT text, FORCE_NOT_NULL (a)", "0A000", "COPY FORCE_NOT_NULL requires CSV mode"},
		{false, "FORMAT binary, DELIMITER ','", "42601", "cannot specify DELIMITER in BINARY mode"},
		{false, "FORMAT binary, NULL ''", "42601", "cannot specify NULL in BINARY mode"},
		{false, "FORMAT binary, DEFAULT ''", "42601", "cannot specify DEFAULT in BINARY mode"},
		{true, "FORMAT binary, HEADER", "0A000", "cannot specify HEADER in BINARY mode"},
		{true, "FORMAT binary, QUOTE 'x'", "0A000", "COPY QUOTE requires CSV mode"},
		{true, "FORMAT binary, FORCE_QUOTE *", "0A000", "COPY FORCE_QUOTE requires CSV mode"},
	}
	for _, tc := range tests {
		t.Run(tc.options, func(t *testing.T) {
			options := tc.options
			if !strings.HasPrefix(options, "FORMAT") {
				options = "FORMAT csv, " + options
			}
			list := parseOptions(t, "COPY t WITH ("+options+")")
			var err error
			if tc.to {
				_, err = ParseToOptions(list)
			} else {
				_, err = ParseFromOptions(list)
			}
			e, ok := err.(*Error)
			if !ok || e.SQLState != tc.state || !strings.Contains(e.Message, tc.message) {
				t.Errorf("error %v, want %s %q", err, tc.state, tc.message)
			}
		})
	}
	for format, state := range map[string]string{"csv": "", "text": "", "binary": "", "excel": "22023"} {
		_, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+format+")"))
		if e, ok := err.(*Error); (err != nil) != (state != "") || ok && e.SQLState != state {
			t.Errorf("FORMAT %s: %v, want %q", format, err, state)
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT CSV)")); err == nil {
		t.Error("a format's name is taken in any case, which PostgreSQL does not")
	}
	o, err := ParseFromOptions(parseOptions(t, `COPY t WITH (Format csv, header 2, DELIMITER ';', ESCAPE '\', NULL 'x', ENCODING 'utf-8', PARALLELISM 3, ROWS 7, ON_ERROR STOP)`))
	if err != nil {
		t.Fatal(err)
	}
	l := o.records.(*lineReader)
	if l.delimiter != ';' || l.quote != '"' || l.escape != '\\' || l.null != "x" || l.header.Records != 2 || o.Parallelism != 3 || o.Rows != 7 {
		t.Errorf("%+v of %+v", l, o)
	}
}

func TestForceColumns(t *testing.T) {
	s := &columnar.Schema{Name: "t", Columns: []columnar.Column{
		{Name: "a", Type: columnar.Type{Kind: columnar.Text}}, {Name: "b", Type: columnar.Type{Kind: columnar.Text}},
	}}
	for _, tc := range []struct{ option, state string }{
		{"FORCE_NULL (a)", ""}, {"FORCE_NULL *", ""}, {"FORCE_NULL (b)", "42P10"}, {"FORCE_NOT_NULL (z)", "42703"}, {"FORCE_NULL (a, a)", "42701"},
	} {
		o, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT csv, "+tc.option+")"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = newShape(&Target{Schema: s, Columns: []int{0}}, o)
		if e, ok := err.(*Error); (err != nil) != (tc.state != "") || ok && e.SQLState != tc.state {
			t.Errorf("%s: %v, want %q", tc.option, err, tc.state)
		}
	}
	for names, state := range map[string]string{"a": "", "a b": "", "z": "42703", "a a": "42701"} {
		_, err := ColumnPositions(s, strings.Fields(names))
		if e, ok := err.(*Error); (err != nil) != (state != "") || ok && e.SQLState != state {
			t.Errorf("columns %s: %v, want %q", names, err, state)
		}
	}
}
