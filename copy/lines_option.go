package copy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// lineKind is which of PostgreSQL's formats options are for: each refuses what means
// something only in another.
type lineKind uint8

const (
	textKind lineKind = iota
	csvKind
	binaryKind
)

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

// lineOptions are the options of text, csv and binary in either direction, read but not
// yet judged.
type lineOptions struct {
	kind        lineKind
	from        bool
	onError     OnError
	delimiter   *string
	null        *string
	dflt        *string
	quote       *string
	escape      *string
	header      *Header
	forceQuote  columnSet
	forceNotNil columnSet
	forceNull   columnSet
}

// readLineOptions reads each option on its own, and then judges them together.
func readLineOptions(kind lineKind, o *Options) (*lineOptions, structure, error) {
	r := &lineOptions{kind: kind, from: o.From, onError: o.OnError}
	for i := range o.List {
		if err := r.read(&o.List[i]); err != nil {
			return nil, structure{}, err
		}
	}
	d, err := r.check()
	return r, d, err
}

func (r *lineOptions) read(o *Option) (err error) {
	switch name := strings.ToLower(o.Name); name {
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
	case "force_array", "compression":
		return notSupported(strings.ToUpper(name))
	default:
		return o.Unrecognized()
	}
	return err
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
func (r *lineOptions) check() (d structure, err error) {
	if r.kind == binaryKind {
		return d, r.checkBinary()
	}
	csv := r.kind == csvKind
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
	return d, r.checkMarkers(d)
}

// checkBinary refuses what means nothing in a binary file.
func (r *lineOptions) checkBinary() error {
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
	if r.onError != ErrorStop {
		return pgerr.New(pgerr.SyntaxError, "only ON_ERROR STOP is allowed in BINARY mode")
	}
	return nil
}

// checkQuotes reads QUOTE and ESCAPE into d, which only csv has.
func (r *lineOptions) checkQuotes(d *structure) error {
	const needsCSV = "COPY %s requires CSV mode"
	csv := r.kind == csvKind
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

func (r *lineOptions) checkForce() error {
	csv := r.kind == csvKind
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

func (r *lineOptions) checkMarkers(d structure) error {
	csv := r.kind == csvKind
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
