package copy

import (
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

// FromOptions are the options of a COPY FROM in a checked form. The zero value is not
// valid; ParseFromOptions makes them.
type FromOptions struct {
	Format      string
	Encoding    string // canonical name; empty for UTF-8
	Parallelism int    // workers the statement asks for at most; 0 leaves it to the caller
	Rows        int64  // rows the caller promises; -1 if none were
	OnError     OnError
	RejectLimit int64 // rows that OnError may leave out; 0 is any number
	Verbosity   Verbosity
	Rejects     string // table that is told the rows left out by OnError; empty for none
	OnConflict  columnar.OnConflict
	Freeze      bool // a hint without effect: rows are as cheap to read as they can be from the start

	format    *Format
	records   RecordReader    // what the format made of its options: this,
	container ContainerReader // or this
}

// ToOptions are the options of a COPY TO in a checked form. The zero value is not valid;
// ParseToOptions makes them.
type ToOptions struct {
	Format      string
	Encoding    string // canonical name; empty for UTF-8
	Parallelism int    // workers the statement asks for at most; 0 leaves it to the caller

	format    *Format
	output    outputOptions
	records   RecordWriter    // what the format made of its options: this,
	container ContainerWriter // or this
}

// coreOptions are the options of either direction that are the same for every format.
type coreOptions struct {
	from        bool
	name        string // of the format
	format      *Format
	encoding    string
	parallelism int
	rows        int64 // -1: not given
	policy      policy
	output      outputOptions
	others      []Option // the format's own
}

// ParseFromOptions checks the options of a COPY FROM. Every error is an *Error with
// PostgreSQL's SQLSTATE and words; an option that this version does not carry out is
// refused with 0A000, never ignored.
func ParseFromOptions(list []Option) (*FromOptions, error) {
	r, err := readOptions(list, true)
	if err != nil {
		return nil, err
	}
	o := &FromOptions{
		Format: r.name, Encoding: r.encoding, Parallelism: r.parallelism, Rows: r.rows,
		OnError: r.policy.onError, RejectLimit: r.policy.rejectLimit, Verbosity: r.policy.verbosity, Rejects: r.policy.rejects,
		OnConflict: r.policy.onConflict, Freeze: r.policy.freeze, format: r.format,
	}
	err = guarded(r.name, func() (err error) {
		switch f := r.format; {
		case f.ReadRecords != nil:
			o.records, err = f.ReadRecords(r.options())
		case f.ReadContainer != nil:
			o.container, err = f.ReadContainer(r.options())
		default:
			return pgerr.New(pgerr.FeatureNotSupported, "COPY FROM is not supported with FORMAT %s", r.name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, r.check()
}

// ParseToOptions checks the options of a COPY TO, as ParseFromOptions does.
func ParseToOptions(list []Option) (*ToOptions, error) {
	r, err := readOptions(list, false)
	if err != nil {
		return nil, err
	}
	if r.format.WriteRecords != nil {
		if r.others, err = r.output.takeCompression(r.others); err != nil {
			return nil, err
		}
	}
	o := &ToOptions{Format: r.name, Encoding: r.encoding, Parallelism: r.parallelism, format: r.format, output: r.output}
	err = guarded(r.name, func() (err error) {
		switch f := r.format; {
		case f.WriteRecords != nil:
			o.records, err = f.WriteRecords(r.options())
		case f.WriteContainer != nil:
			o.container, err = f.WriteContainer(r.options())
		default:
			return pgerr.New(pgerr.FeatureNotSupported, "COPY TO is not supported with FORMAT %s", r.name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, r.check()
}

// readOptions reads each option on its own, and leaves to the format what is not the
// core's.
func readOptions(list []Option, from bool) (*coreOptions, error) {
	r := &coreOptions{from: from, name: "text", rows: -1, policy: policy{verbosity: Summary}}
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
	var err error
	r.format, err = lookupFormat(r.name)
	return r, err
}

func (r *coreOptions) read(name string, o *Option) (err error) {
	switch name {
	case "format":
		if r.name, err = o.Text(); err == nil {
			_, err = lookupFormat(r.name)
		}
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
	default:
		if known, err := r.policy.read(name, o, r.from); known {
			return err
		}
		if known, err := r.output.read(name, o, r.from); known {
			return err
		}
		r.others = append(r.others, *o)
	}
	return err
}

// options returns what the format is told.
func (r *coreOptions) options() *Options {
	return &Options{Format: r.name, From: r.from, List: r.others, OnError: r.policy.onError}
}

// check applies the rules that hold between options of the core and the format.
func (r *coreOptions) check() error {
	if r.encoding != "" && !r.format.Text {
		return notSupported("ENCODING with FORMAT " + r.name)
	}
	if err := r.output.check(); err != nil {
		return err
	}
	return r.policy.check(r.from)
}

// notSupported refuses an option that this version does not carry out.
func notSupported(what string) error {
	return pgerr.New(pgerr.FeatureNotSupported, "COPY %s is not supported", what).
		WithHint("Leave the option out.")
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
