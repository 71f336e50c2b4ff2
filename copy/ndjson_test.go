package copy

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// jsonPart is a value as JSON and what it becomes: text, or the error of its conversion.
type jsonPart struct{ json, text, state string }

// jsonParts are values for the columns of jsonColumns; an empty one is a key that is missing.
var jsonParts = map[string][]jsonPart{
	"a": {{"1", "1", ""}, {"-50", "-50", ""}, {`"7"`, "7", ""}, {"null", null, ""}, {"", null, ""}, {"2147483647", "2147483647", ""},
		{"1.5", "", "22P02"}, {"2147483648", "", "22003"}, {`"x"`, "", "22P02"}, {"[1]", "", "22P02"}},
	"b": {{`"x"`, "x", ""}, {`""`, "", ""}, {`"ä\n\u00e4\"\\"`, "ä\nä\"\\", ""}, {"[1, {}]", "[1, {}]", ""}, {"1e5", "1e5", ""}, {"true", "true", ""},
		{"null", null, ""}, {"", null, ""}, {`"` + strings.Repeat("long ", 40) + `"`, strings.Repeat("long ", 40), ""}},
	"c": {{"1.5", "1.5", ""}, {`"NaN"`, "NaN", ""}, {"1e400", "", "22003"}, {"-0", "-0", ""}, {"null", null, ""}, {"", null, ""}},
	"d": {{`{"k":[1,2]}`, `{"k":[1,2]}`, ""}, {`"s\t"`, `"s\t"`, ""}, {"null", null, ""}, {"1.50", "1.50", ""}, {"", null, ""}},
	"e": {{"[1,null]", "[1,null]", ""}, {"", null, ""}},
}

const jsonColumns = "a int4, b text, c float8, d json, e text"

// wrongRecords are records that are none, whatever ON_ERROR says.
var wrongRecords = []jsonPart{
	{`{"a":1,}`, "", "22P04"}, {`{"a":tru}`, "", "22P04"}, {`[1]`, "", "22P04"}, {`{"a":1`, "", "22P04"}, {`{"q":"\ud800"}`, "", "22P05"},
	{`{"b":"\u0000"}`, "", "22P05"}, {"{\"b\":\"\xff\"}", "", "22021"}, {`"`, "", "22P04"}, {`{"q":01}`, "", "22P04"}, {`{}{}`, "", "22P04"},
}

// jsonInput is an input and what loading it gives.
type jsonInput struct {
	text  string
	rows  [][]string // with what ON_ERROR forgives
	state string
	line  int
}

// drawJSON draws an input: lines or an array, all of whose records are right if bad is 0,
// else one in so many fails.
func drawJSON(r *rand.Rand, array bool, onError string, bad int) jsonInput {
	var in jsonInput
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	b.WriteString(pick("", "", "\ufeff"))
	if array {
		b.WriteString(pick("[", "\n [\n", "[ "))
	} else {
		b.WriteString(pick("", "", "\n", " \r\n"))
	}
	n := r.IntN(300)
	for k := range n {
		if array && k > 0 {
			b.WriteString(pick(",", ",\n", "\n , ", "\r\n,"))
		}
		b.WriteString(pick("", "", " "))
		line := 1 + strings.Count(b.String(), "\n")
		fail := func(state string) {
			if in.state == "" {
				in.state, in.line = state, line
			}
		}
		if bad > 0 && r.IntN(3*bad) == 0 {
			w := wrongRecords[r.IntN(len(wrongRecords))]
			b.WriteString(w.json)
			if fail(w.state); array && in.line == line && (w.json[0] == '"' || !strings.HasSuffix(w.json, "}")) {
				in.line = 0 // where it ends depends on what follows
			}
		} else {
			row, pairs, forgiven := []string{}, []string{}, true
			state := ""
			for _, c := range strings.Split(jsonColumns, ", ") {
				part := jsonPart{state: "x"}
				for part.state != "" && (bad == 0 || r.IntN(bad) > 0 || part.state == "x") {
					part = jsonParts[c[:1]][r.IntN(len(jsonParts[c[:1]]))]
				}
				if part.json != "" {
					pairs = append(pairs, pick("", "", " ")+`"`+c[:1]+`":`+pick("", " ")+part.json)
				}
				if part.state != "" {
					part.text = null
					if state == "" {
						state = part.state
					}
					forgiven = onError == "set_null"
				}
				row = append(row, part.text)
			}
			if r.IntN(4) == 0 {
				r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
			}
			if r.IntN(6) == 0 {
				pairs = slices.Insert(pairs, r.IntN(len(pairs)+1), pick(`"x":{"a":["}"]}`, `"A":1`, `"":null`))
			}
			b.WriteString("{" + strings.Join(pairs, ",") + pick("", " ") + "}")
			if state != "" && onError == "stop" {
				fail(state)
			}
			if forgiven {
				in.rows = append(in.rows, row)
			}
		}
		if !array {
			b.WriteString(pick("", " "))
			if k < n-1 {
				b.WriteString(pick("\n", "\n", "\r\n", "\n\n", "\n \n"))
			}
		}
	}
	if array {
		b.WriteString(pick("]", "\n]\n\n", " ] "))
	} else {
		b.WriteString(pick("", "\n", "\n\n \n"))
	}
	in.text = b.String()
	return in
}

// TestNDJSONModel loads random inputs in every way.
func TestNDJSONModel(t *testing.T) {
	const seed = 71
	rounds := 60
	switch {
	case os.Getenv("INGOT_SOAK") == "1":
		rounds = 3000
	case testing.Short():
		rounds = 15
	}
	r := rand.New(rand.NewPCG(seed, 0))
	store := newStore(t)
	dir := t.TempDir()
	for round := range rounds {
		onError := []string{"stop", "stop", "ignore", "set_null"}[r.IntN(4)]
		array := r.IntN(2) == 0
		in := drawJSON(r, array, onError, []int{0, 0, 30, 300}[r.IntN(4)])
		path := filepath.Join(dir, "in.ndjson")
		if err := os.WriteFile(path, []byte(in.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []string{"file", "split", "split", "stream"} {
			env := Env{Files: AnyFile(), MaxWorkers: 1 + r.IntN(9), BlockSize: 1 << r.IntN(12), smallBytes: -1, readBytes: r.IntN(2) << r.IntN(12), MemoryLimit: int64(r.IntN(2) << r.IntN(14))}
			src := FromFiles(path)
			switch mode {
			case "file":
				env.smallBytes = 0
			case "stream":
				src = FromReader(iotest.HalfReader(strings.NewReader(in.text)), "stdin")
			}
			res, err := fromText(t, store, jsonColumns, "FORMAT ndjson, ON_ERROR "+onError, src, env)
			rows := readTable(t, store)
			dropTable(t, store)
			label := fmt.Sprintf("seed %d round %d, %s, on error %s, %+v, input %q", seed, round, mode, onError, env, in.text)
			if in.state != "" {
				e, ok := err.(*Error)
				if !ok || e.SQLState != in.state || in.line > 0 && e.Line != int64(in.line) {
					t.Fatalf("%s:\nerror %+v, want %s at line %d", label, err, in.state, in.line)
				}
				if len(rows) > 0 {
					t.Fatalf("%s:\n%d rows after an error", label, len(rows))
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s:\nerror %+v, want %d rows", label, err, len(in.rows))
			}
			if res.Rows != int64(len(rows)) || !slices.EqualFunc(rows, in.rows, slices.Equal) {
				t.Fatalf("%s:\n%d rows, in the table %q, want %q", label, res.Rows, rows, in.rows)
			}
		}
	}
}

// TestNDJSONErrors checks what an error says, whoever finds it.
func TestNDJSONErrors(t *testing.T) {
	ok := `{"a":1,"b":"x"}`
	for _, tc := range []struct {
		in            string
		state, column string
		value, detail string
		line, offset  int64
	}{
		{"\n" + ok + "\n{\"b\":\"x\", \"a\":\"1x\"}\n", "22P02", "a", "1x", "", 3, 31},
		{ok + "\n\n" + `{"a":1.5}`, "22P02", "a", "1.5", "", 3, 22},
		{ok + "\n" + `{"a":99999999999}` + "\r\n", "22003", "a", "99999999999", "", 2, 21},
		{ok + "\n" + `{"a":2}xyz` + "\n" + ok, "22P04", "", `{"a":2}xyz`, `Token "xyz" is invalid.`, 2, 23},
		{ok + "\n[" + ok + "]\n", "22P04", "", "[" + ok + "]", "", 2, 16},
		{`{"a":f1234`, "22P04", "", `{"a":f1234`, `Token "f1234" is invalid.`, 1, 5},
		{"[" + ok + ",\n" + ok + "\n," + "\n {\"a\":\"1x\"}]", "22P02", "a", "1x", "", 4, 42},
		{"[" + ok + ",\n" + ok + "\n" + ok + "]", "22P04", "", ok + "]", `Expected "," or "]" behind an element of the array.`, 3, 34},
		{"[" + ok + ",\n]", "22P04", "", ",", "Expected an object.", 2, 18},
		{"[" + ok + "\n] 1", "22P04", "", "] 1", "The array ends before it, or not at all.", 2, 17},
		{"[" + ok, "22P04", "", "[" + ok, "The array does not end.", 1, 16},
		{"[" + ok + "\n\n", "22P04", "", "[" + ok, "The array does not end.", 1, 16},
		{"[" + ok + "[" + ok + "]", "22P04", "", "[" + ok, `Expected "," or "]" behind an element of the array.`, 1, 16},
		{"[" + ok + ",\n1]", "22P04", "", ",\n1", "", 2, 18},
		{"[" + ok + ",\n {\"a\":tru}]", "22P04", "", ",\n {\"a\":tru}", `Token "tru" is invalid.`, 2, 24},
		{"[", "22P04", "", "[", "Expected an object.", 1, 1},
	} {
		for _, block := range []int{1, 7, 1 << 20} {
			for _, stream := range []bool{false, true} {
				src := FromFiles(writeFile(t, "in.json", tc.in))
				if stream {
					src = FromReader(iotest.OneByteReader(strings.NewReader(tc.in)), "stdin")
				}
				_, err := fromText(t, newStore(t), "a int4, b text", "FORMAT ndjson", src, Env{Files: AnyFile(), BlockSize: block, smallBytes: int64(block) - 1, MaxWorkers: 3})
				var e *Error
				if !errors.As(err, &e) || e.SQLState != tc.state {
					t.Errorf("%q, block %d, stream %t: %v, want %s", tc.in, block, stream, err, tc.state)
					continue
				}
				if e.Column != tc.column || e.Value != tc.value || e.Line != tc.line || e.ByteOffset != tc.offset || e.Detail != tc.detail && tc.column == "" {
					t.Errorf("%q, block %d, stream %t: column %q value %q line %d offset %d detail %q\nwant %q %q %d %d %q",
						tc.in, block, stream, e.Column, e.Value, e.Line, e.ByteOffset, e.Detail, tc.column, tc.value, tc.line, tc.offset, tc.detail)
				}
			}
		}
	}
}

func TestNDJSONEmpty(t *testing.T) {
	for _, in := range []string{"", "\n", " \r\n\n", "\ufeff", "[]", "\ufeff\n[ \n]\n"} {
		for _, stream := range []bool{false, true} {
			src := FromFiles(writeFile(t, "in.json", in))
			if stream {
				src = FromReader(strings.NewReader(in), "stdin")
			}
			if res, err := fromText(t, newStore(t), "a int4", "FORMAT json", src, Env{Files: AnyFile()}); err != nil || res.Rows != 0 {
				t.Errorf("%q, stream %t: %d rows, %v", in, stream, res.Rows, err)
			}
		}
	}
}

func TestNDJSONOptions(t *testing.T) {
	for _, tc := range []struct {
		options, from, to string
	}{
		{"FORMAT ndjson", "", ""},
		{"FORMAT json, FORCE_ARRAY", "0A000", ""},
		{"FORMAT ndjson, FORCE_ARRAY true", "0A000", ""},
		{"FORMAT ndjson, FORCE_ARRAY perhaps", "0A000", "42601"},
		{"FORMAT ndjson, DELIMITER ','", "42601", "42601"},
		{"FORMAT ndjson, HEADER", "42601", "42601"},
		{"FORMAT ndjson, ENCODING latin1", "", ""},
	} {
		list := parseOptions(t, "COPY t WITH ("+tc.options+")")
		for _, side := range []struct {
			name, state string
			parse       func() error
		}{
			{"from", tc.from, func() error { _, err := ParseFromOptions(list); return err }},
			{"to", tc.to, func() error { _, err := ParseToOptions(list); return err }},
		} {
			if err := side.parse(); side.state != "" {
				wantState(t, err, side.state)
			} else if err != nil {
				t.Errorf("%s %s: %v", tc.options, side.name, err)
			}
		}
	}
}

// TestNDJSONWrites writes lines and an array, and loads both, compressed too.
func TestNDJSONWrites(t *testing.T) {
	store := newStore(t)
	in := "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":\"\\\"\\n\"}\n"
	if _, err := fromText(t, store, "a int4, b text", "FORMAT ndjson", FromReader(strings.NewReader(in), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ options, want string }{
		{"FORMAT ndjson", in},
		{"FORMAT json, FORCE_ARRAY", "[\n{\"a\":1,\"b\":\"x\"}\n,{\"a\":null,\"b\":\"\\\"\\n\"}\n]\n"},
	} {
		text := toText(t, store, tc.options, Env{})
		if text != tc.want {
			t.Errorf("%s: %q, want %q", tc.options, text, tc.want)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write([]byte(text))
		z.Close()
		again := newStore(t)
		res, err := fromText(t, again, "a int4, b text", "FORMAT json", FromFiles(writeFile(t, "in.gz", packed.String())), Env{Files: AnyFile()})
		if err != nil || res.Rows != 2 {
			t.Fatalf("%s: %d rows, %v", tc.options, res.Rows, err)
		}
		compareRows(t, readTable(t, again), readTable(t, store))
	}
}

func TestNDJSONInfer(t *testing.T) {
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT ndjson)"))
	if err != nil {
		t.Fatal(err)
	}
	infer := func(in string) (string, error) {
		inf, err := Infer(context.Background(), FromReader(strings.NewReader(in), "stdin"), opt, Env{})
		if err != nil {
			return "", err
		}
		var cols []string
		for _, c := range inf.Columns {
			cols = append(cols, fmt.Sprintf("%s %s", c.Name, c.Type))
		}
		return strings.Join(cols, ", "), nil
	}
	for _, tc := range []struct{ in, want string }{
		{`{"a":1,"b":true,"c":"x"}` + "\n" + `{"d":null,"b":false,"a":-7}`, "a int8, b bool, c text, d text"},
		{`{"i":9223372036854775808,"f":1.5,"g":1e5,"h":0.1234567890123456789,"m":1}` + "\n" + `{"m":2.5,"f":"NaN"}`,
			"i numeric, f float8, g float8, h numeric, m float8"},
		{`{"d":"2024-01-31","t":"2024-01-31 10:00:00","z":"2024-01-31T10:00:00Z","u":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","n":"12","b":"true"}`,
			"d date, t timestamp, z timestamptz, u uuid, n text, b text"},
		{`{"j":{"x":1},"k":1,"l":[]}` + "\n" + `{"j":null,"k":[1],"l":"x"}`, "j json, k json, l json"},
		{`{"m":1}` + "\n" + `{"m":"x"}` + "\n" + `{"m":true}`, "m text"},
		{`{"zip":"00501","esc\u00e4ped":1,"":2}`, "zip text, escäped int8"},
		{"\ufeff\n[{\"a\":1},\n {\"b\":2.5}]", "a int8, b float8"},
		{`{"a":1}` + "\n" + `{"b":tru}`, "a int8"},
	} {
		if got, err := infer(tc.in); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.in, got, err, tc.want)
		}
	}
	for _, tc := range []struct {
		in, state string
		line      int64
	}{
		{"", "22P04", 0}, {"{}\n", "22P04", 0}, {"[ ]", "22P04", 0},
		{"\n\n{\"a\":tru}\n", "22P04", 3}, {"[\n1]", "22P04", 2}, {"id,name\n1,x\n", "22P04", 1},
	} {
		_, err := infer(tc.in)
		if e := wantState(t, err, tc.state); e.Line != tc.line {
			t.Errorf("%q: %+v, want line %d", tc.in, e, tc.line)
		}
	}
}
