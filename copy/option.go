package copy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// ValueKind is how the value of an option was written.
type ValueKind uint8

// The kinds of option values.
const (
	Word   ValueKind = iota // an identifier or key word: csv, true, match
	String                  // a quoted string
	Number                  // a number with its sign
	Star                    // *
)

// OptionValue is one value of an option.
type OptionValue struct {
	Kind ValueKind
	Text string
}

// Option is one option of a COPY statement as it was written: a name in any case and
// its values. No value means that the name stands alone; List says that the values
// stood in parentheses.
type Option struct {
	Name   string
	Values []OptionValue
	List   bool
	Pos    int // byte position in the statement, for messages
}

// Header says what the records at the head of an input are.
//
// Header is the number of header records; Match demands that the one header record
// names the columns.
type Header struct {
	Records int64
	Match   bool
}

// columnSet is the columns of a FORCE_ option.
type columnSet struct {
	given bool
	all   bool
	names []string
}

// rawOptions is the option list of either direction, read but not yet judged.
type rawOptions struct {
	from        bool
	format      string
	delimiter   *string
	null        *string
	dflt        *string
	quote       *string
	escape      *string
	header      *Header
	forceQuote  columnSet
	forceNotNil columnSet
	forceNull   columnSet
	encoding    string
	parallelism int
	rows        int64 // -1: not given
	policy      policy
}

// FromOptions are the options of a COPY FROM in a checked form. The zero value is not
// valid; ParseFromOptions makes them.
type FromOptions struct {
	Format      string
	Delimiter   byte
	Quote       byte
	Escape      byte
	Null        string
	Header      Header
	Encoding    string // canonical name; empty for UTF-8
	Parallelism int    // workers the statement asks for at most; 0 leaves it to the caller
	Rows        int64  // rows the caller promises; -1 if none were
	OnError     OnError
	RejectLimit int64 // rows that OnError may leave out; 0 is any number
	Verbosity   Verbosity
	Rejects     string // table that is told the rows left out by OnError; empty for none
	OnConflict  columnar.OnConflict
	Freeze      bool // a hint without effect: rows are as cheap to read as they can be from the start

	forceNotNull columnSet
	forceNull    columnSet
	dflt         string
	hasDefault   bool
	headerGiven  bool
}

// dialect returns the dialect of the input's lines, without a line style.
func (o *FromOptions) dialect() dialect {
	return dialect{delim: o.Delimiter, quote: o.Quote, escape: o.Escape, text: o.Format == "text"}
}

// ToOptions are the options of a COPY TO in a checked form. The zero value is not valid;
// ParseToOptions makes them.
type ToOptions struct {
	Format      string
	Delimiter   byte
	Quote       byte
	Escape      byte
	Null        string
	Header      bool
	Encoding    string // canonical name; empty for UTF-8
	Parallelism int    // workers the statement asks for at most; 0 leaves it to the caller

	forceQuote columnSet
}

// ParseFromOptions checks the options of a COPY FROM. Every error is an *Error with
// PostgreSQL's SQLSTATE and words; an option that this version does not carry out is
// refused with 0A000, never ignored.
func ParseFromOptions(list []Option) (*FromOptions, error) {
	r, err := readOptions(list, true)
	if err != nil {
		return nil, err
	}
	d, err := r.check()
	if err != nil {
		return nil, err
	}
	o := &FromOptions{
		Format: r.format, Delimiter: d.delimiter, Quote: d.quote, Escape: d.escape, Null: d.null,
		Encoding: r.encoding, Parallelism: r.parallelism, Rows: r.rows, forceNotNull: r.forceNotNil, forceNull: r.forceNull,
		OnError: r.policy.onError, RejectLimit: r.policy.rejectLimit, Verbosity: r.policy.verbosity, Rejects: r.policy.rejects,
		OnConflict: r.policy.onConflict, Freeze: r.policy.freeze,
	}
	if r.header != nil {
		o.Header, o.headerGiven = *r.header, true
	}
	if r.dflt != nil {
		o.dflt, o.hasDefault = *r.dflt, true
	}
	return o, nil
}

// ParseToOptions checks the options of a COPY TO, as ParseFromOptions does.
func ParseToOptions(list []Option) (*ToOptions, error) {
	r, err := readOptions(list, false)
	if err != nil {
		return nil, err
	}
	d, err := r.check()
	if err != nil {
		return nil, err
	}
	return &ToOptions{
		Format: r.format, Delimiter: d.delimiter, Quote: d.quote, Escape: d.escape, Null: d.null,
		Header: r.header != nil && r.header.Records > 0, Encoding: r.encoding, Parallelism: r.parallelism, forceQuote: r.forceQuote,
	}, nil
}

// readOptions reads each option on its own.
func readOptions(list []Option, from bool) (*rawOptions, error) {
	r := &rawOptions{from: from, format: "text", rows: -1, policy: policy{verbosity: Summary}}
	seen := make(map[string]bool, len(list))
	for i := range list {
		name := strings.ToLower(list[i].Name)
		if seen[name] {
			return nil, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").
				WithDetail("The option \"%s\" is given twice.", name)
		}
		seen[name] = true
		if err := r.read(name, &list[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *rawOptions) read(name string, o *Option) (err error) {
	switch name {
	case "format":
		r.format, err = formatName(o)
	case "delimiter", "delim":
		r.delimiter, err = o.text()
	case "null":
		r.null, err = o.text()
	case "default":
		r.dflt, err = o.text()
	case "quote":
		r.quote, err = o.text()
	case "escape":
		r.escape, err = o.text()
	case "header":
		r.header, err = o.header(r.from)
	case "force_quote":
		r.forceQuote, err = o.columns(true)
	case "force_not_null":
		r.forceNotNil, err = o.columns(true)
	case "force_null":
		r.forceNull, err = o.columns(true)
	case "encoding":
		r.encoding, err = encodingName(o)
	case "parallelism":
		var n int64
		n, err = o.integer(1, maxWorkers)
		r.parallelism = int(n)
	case "rows":
		if !r.from {
			return pgerr.New(pgerr.InvalidParameterValue, "COPY %s cannot be used with %s", "ROWS", "COPY TO")
		}
		r.rows, err = o.integer(0, 1<<62)
	case "force_array", "compression":
		return notSupported(strings.ToUpper(name))
	default:
		if known, err := r.policy.read(name, o, r.from); known {
			return err
		}
		return pgerr.New(pgerr.SyntaxError, "option \"%s\" not recognized", name)
	}
	return err
}

// notSupported refuses an option that this version does not carry out.
func notSupported(what string) error {
	return pgerr.New(pgerr.FeatureNotSupported, "COPY %s is not supported", what).
		WithHint("Leave the option out.")
}

func formatName(o *Option) (string, error) {
	v, err := o.text()
	if err != nil {
		return "", err
	}
	switch *v {
	case "csv", "text", "binary":
		return *v, nil
	}
	return *v, pgerr.New(pgerr.InvalidParameterValue, "COPY format \"%s\" not recognized", *v).WithHint("Known formats: text, csv, binary.")
}

// text returns the one value of o.
func (o *Option) text() (*string, error) {
	switch {
	case len(o.Values) == 0:
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", strings.ToLower(o.Name))
	case len(o.Values) > 1 || o.List || o.Values[0].Kind == Star:
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a single value", strings.ToLower(o.Name))
	}
	return &o.Values[0].Text, nil
}

// integer returns the one value of o, from low to high.
func (o *Option) integer(low, high int64) (int64, error) {
	v, err := o.text()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(*v, 10, 64)
	if err != nil {
		return 0, pgerr.New(pgerr.SyntaxError, "%s requires an integer value", strings.ToLower(o.Name))
	}
	if n < low || n > high {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "COPY %s must be between %d and %d", strings.ToUpper(o.Name), low, high)
	}
	return n, nil
}

// header reads HEADER: a Boolean, MATCH, or a number of records.
func (o *Option) header(from bool) (*Header, error) {
	if len(o.Values) == 0 {
		return &Header{Records: 1}, nil
	}
	v, err := o.text()
	if err != nil {
		return nil, err
	}
	word := strings.ToLower(*v)
	if o.Values[0].Kind == Number {
		n, err := strconv.ParseInt(word, 10, 32)
		switch {
		case err != nil:
		case n < 0:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "a negative integer value cannot be specified for %s", "header")
		case n > 1 && !from:
			return nil, pgerr.New(pgerr.FeatureNotSupported, "cannot use multi-line header in COPY TO")
		default:
			return &Header{Records: n}, nil
		}
	}
	switch word {
	case "true", "on", "1":
		return &Header{Records: 1}, nil
	case "false", "off", "0":
		return &Header{}, nil
	case "match":
		if !from {
			return nil, pgerr.New(pgerr.FeatureNotSupported, "cannot use \"%s\" with HEADER in COPY TO", word)
		}
		return &Header{Records: 1, Match: true}, nil
	}
	return nil, pgerr.New(pgerr.SyntaxError,
		"header requires a Boolean value, an integer value greater than or equal to zero, or the string \"match\"")
}

// columns reads a list of column names or *; star says that * is allowed.
func (o *Option) columns(star bool) (columnSet, error) {
	set := columnSet{given: true}
	if star && len(o.Values) == 1 && o.Values[0].Kind == Star {
		set.all = true
		return set, nil
	}
	if !o.List || len(o.Values) == 0 || slices.ContainsFunc(o.Values, func(v OptionValue) bool { return v.Kind == Star || v.Kind == Number }) {
		return set, pgerr.New(pgerr.InvalidParameterValue, "argument to option \"%s\" must be a list of column names", strings.ToLower(o.Name))
	}
	for _, v := range o.Values {
		set.names = append(set.names, v.Text)
	}
	return set, nil
}

// structure is the bytes that structure a file. Only csv has quotes; text has the
// backslash in their place.
type structure struct {
	delimiter, quote, escape byte
	null                     string
}

const lineBreaks = "\r\n"

// check applies the rules that hold between options, in PostgreSQL's order.
func (r *rawOptions) check() (d structure, err error) {
	if r.format == "binary" {
		return d, r.checkBinary()
	}
	csv := r.format == "csv"
	d = structure{delimiter: '\t', quote: '\\', escape: '\\', null: `\N`}
	if csv {
		d = structure{delimiter: ',', quote: '"', escape: '"'}
	}
	if r.null != nil {
		d.null = *r.null
	}
	if r.delimiter != nil {
		if len(*r.delimiter) != 1 {
			return d, pgerr.New(pgerr.FeatureNotSupported, "COPY delimiter must be a single one-byte character")
		}
		d.delimiter = (*r.delimiter)[0]
	}
	if strings.IndexByte(lineBreaks, d.delimiter) >= 0 {
		return d, pgerr.New(pgerr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return")
	}
	if strings.ContainsAny(d.null, lineBreaks) {
		return d, pgerr.New(pgerr.InvalidParameterValue, "COPY null representation cannot use newline or carriage return")
	}
	if r.dflt != nil && strings.ContainsAny(*r.dflt, lineBreaks) {
		return d, pgerr.New(pgerr.InvalidParameterValue, "COPY default representation cannot use newline or carriage return")
	}
	if !csv && strings.IndexByte(`\.abcdefghijklmnopqrstuvwxyz0123456789`, d.delimiter) >= 0 {
		return d, pgerr.New(pgerr.InvalidParameterValue, "COPY delimiter cannot be \"%s\"", *r.delimiter)
	}
	if err := r.checkQuotes(&d); err != nil {
		return d, err
	}
	if d.delimiter >= 0x80 || d.quote >= 0x80 || d.escape >= 0x80 {
		return d, pgerr.New(pgerr.FeatureNotSupported, "COPY delimiter, quote and escape must be ASCII characters")
	}
	if err := r.checkForce(); err != nil {
		return d, err
	}
	if err := r.policy.check(r.from, r.format); err != nil {
		return d, err
	}
	return d, r.checkMarkers(d)
}

// checkBinary refuses what means nothing in a binary file.
func (r *rawOptions) checkBinary() error {
	const inBinary = "cannot specify %s in BINARY mode"
	switch {
	case r.delimiter != nil:
		return pgerr.New(pgerr.SyntaxError, inBinary, "DELIMITER")
	case r.null != nil:
		return pgerr.New(pgerr.SyntaxError, inBinary, "NULL")
	case r.dflt != nil:
		return pgerr.New(pgerr.SyntaxError, inBinary, "DEFAULT")
	case r.header != nil && r.header.Records > 0:
		return pgerr.New(pgerr.FeatureNotSupported, inBinary, "HEADER")
	}
	if err := r.checkQuotes(nil); err != nil {
		return err
	}
	if err := r.checkForce(); err != nil {
		return err
	}
	if r.encoding != "" {
		return notSupported("ENCODING with FORMAT binary")
	}
	return r.policy.check(r.from, r.format)
}

// checkQuotes reads QUOTE and ESCAPE into d, which only csv has.
func (r *rawOptions) checkQuotes(d *structure) error {
	const needsCSV = "COPY %s requires CSV mode"
	csv := r.format == "csv"
	if r.quote != nil {
		if !csv {
			return pgerr.New(pgerr.FeatureNotSupported, needsCSV, "QUOTE")
		}
		if len(*r.quote) != 1 {
			return pgerr.New(pgerr.FeatureNotSupported, "COPY quote must be a single one-byte character")
		}
		d.quote = (*r.quote)[0]
		d.escape = d.quote
	}
	if csv && d.delimiter == d.quote {
		return pgerr.New(pgerr.InvalidParameterValue, "COPY delimiter and quote must be different")
	}
	if r.escape != nil {
		if !csv {
			return pgerr.New(pgerr.FeatureNotSupported, needsCSV, "ESCAPE")
		}
		if len(*r.escape) != 1 {
			return pgerr.New(pgerr.FeatureNotSupported, "COPY escape must be a single one-byte character")
		}
		d.escape = (*r.escape)[0]
	}
	if csv && (strings.IndexByte(lineBreaks, d.quote) >= 0 || strings.IndexByte(lineBreaks, d.escape) >= 0) {
		return pgerr.New(pgerr.InvalidParameterValue, "COPY quote and escape cannot be newline or carriage return")
	}
	return nil
}

func (r *rawOptions) checkForce() error {
	csv := r.format == "csv"
	switch {
	case r.forceQuote.given && !csv:
		return pgerr.New(pgerr.FeatureNotSupported, "COPY %s requires CSV mode", "FORCE_QUOTE")
	case r.forceNotNil.given && !csv:
		return pgerr.New(pgerr.FeatureNotSupported, "COPY %s requires CSV mode", "FORCE_NOT_NULL")
	case r.forceNull.given && !csv:
		return pgerr.New(pgerr.FeatureNotSupported, "COPY %s requires CSV mode", "FORCE_NULL")
	case r.forceQuote.given && r.from:
		return pgerr.New(pgerr.FeatureNotSupported, "COPY %s cannot be used with %s", "FORCE_QUOTE", "COPY FROM")
	case r.forceNotNil.given && !r.from:
		return pgerr.New(pgerr.InvalidParameterValue, "COPY %s cannot be used with %s", "FORCE_NOT_NULL", "COPY TO")
	case r.forceNull.given && !r.from:
		return pgerr.New(pgerr.InvalidParameterValue, "COPY %s cannot be used with %s", "FORCE_NULL", "COPY TO")
	}
	return nil
}

func (r *rawOptions) checkMarkers(d structure) error {
	csv := r.format == "csv"
	const inDelimiter, inQuote = "COPY delimiter character must not appear in the %s specification", "CSV quote character must not appear in the %s specification"
	if strings.IndexByte(d.null, d.delimiter) >= 0 {
		return pgerr.New(pgerr.InvalidParameterValue, inDelimiter, "NULL")
	}
	if csv && strings.IndexByte(d.null, d.quote) >= 0 {
		return pgerr.New(pgerr.InvalidParameterValue, inQuote, "NULL")
	}
	if r.dflt == nil {
		return nil
	}
	switch {
	case !r.from:
		return pgerr.New(pgerr.FeatureNotSupported, "COPY %s cannot be used with %s", "DEFAULT", "COPY TO")
	case strings.IndexByte(*r.dflt, d.delimiter) >= 0:
		return pgerr.New(pgerr.FeatureNotSupported, inDelimiter, "DEFAULT")
	case csv && strings.IndexByte(*r.dflt, d.quote) >= 0:
		return pgerr.New(pgerr.FeatureNotSupported, inQuote, "DEFAULT")
	case *r.dflt == d.null:
		return pgerr.New(pgerr.FeatureNotSupported, "NULL specification and DEFAULT specification cannot be the same")
	}
	return nil
}
