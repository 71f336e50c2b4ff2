package copy

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Format is how rows are written as bytes: what FORMAT names in a statement.
//
// A format reads and writes blocks and batches, never a row or a field at a time, so what
// it is called through costs nothing per row. It owns its bytes and its options. Files,
// compression, ENCODING, the choice of columns, defaults, constraints, WHERE, ON_ERROR,
// progress, cancellation and the order of rows and of errors are the core's.
//
// Each side is either about records (bytes that follow one another, such as lines, which the
// core divides among goroutines) or about containers (parts that a file lists, such as the
// row groups of Parquet). A side that is missing is 0A000.
type Format struct {
	// Text says that records are text: UTF-8 without zero bytes, in lines. Such a format can
	// have an ENCODING, its errors say physical lines and show what is there. Without it the
	// line of an error is the number of the record.
	Text bool

	// Named says that the names of its columns are in the data, and decide which column of
	// the table each of them fills.
	Named bool

	// Suffixes are ends of file names, with their point, that the format is inferred from.
	// Magic is what its files begin with; one of several.
	Suffixes []string
	Magic    []string

	ReadRecords    func(o *Options) (RecordReader, error)
	ReadContainer  func(o *Options) (ContainerReader, error)
	WriteRecords   func(o *Options) (RecordWriter, error)
	WriteContainer func(o *Options) (ContainerWriter, error)
}

// reads reports whether f has a reading side.
func (f *Format) reads() bool { return f.ReadRecords != nil || f.ReadContainer != nil }

// writes reports whether f has a writing side.
func (f *Format) writes() bool { return f.WriteRecords != nil || f.WriteContainer != nil }

// registry is every format by its name. It is replaced whole, so that looking one up takes
// no lock.
var registry struct {
	mu      sync.Mutex // of those who register
	formats atomic.Pointer[map[string]*Format]
}

func init() {
	builtIn := map[string]Format{"text": Text(), "csv": CSV(), "binary": Binary(), "arrow": Arrow(), "ndjson": NDJSON(), "json": jsonAlias()}
	for _, name := range slices.Sorted(maps.Keys(builtIn)) {
		if err := Register(name, builtIn[name]); err != nil {
			panic(err) // a name is in the list above twice
		}
	}
}

// Register makes a format known as name, in lower case, to every statement of the process.
// It is the one way in which formats come in, those of this package among them, and is
// meant for init functions and the start of a program. A name that is taken, a built-in one
// among them, is 42710; one that is no name is 42602; a format without any side, or with two
// for the same direction, is 22023.
func Register(name string, f Format) error {
	switch {
	case !formatName(name):
		return pgerr.New(pgerr.InvalidName, "invalid name of a COPY format: \"%s\"", name).
			WithHint("Letters a to z, digits and underscores, a letter first.")
	case !f.reads() && !f.writes():
		return pgerr.New(pgerr.InvalidParameterValue, "COPY format \"%s\" can neither be read nor written", name)
	case f.ReadRecords != nil && f.ReadContainer != nil, f.WriteRecords != nil && f.WriteContainer != nil:
		return pgerr.New(pgerr.InvalidParameterValue, "COPY format \"%s\" is both of records and a container", name)
	}
	f.Suffixes, f.Magic = slices.Clone(f.Suffixes), slices.Clone(f.Magic)
	registry.mu.Lock()
	defer registry.mu.Unlock()
	known := make(map[string]*Format)
	if p := registry.formats.Load(); p != nil {
		maps.Copy(known, *p)
	}
	if known[name] != nil {
		return pgerr.New(pgerr.DuplicateObject, "COPY format \"%s\" already exists", name)
	}
	known[name] = &f
	registry.formats.Store(&known)
	return nil
}

// formatName reports whether name can be that of a format.
func formatName(name string) bool {
	return name != "" && name[0] >= 'a' && name[0] <= 'z' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Formats returns the names of the formats that are registered, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(*registry.formats.Load())) }

// lookupFormat returns the format of that name; an unknown one is 22023.
func lookupFormat(name string) (*Format, error) {
	if f := (*registry.formats.Load())[name]; f != nil {
		return f, nil
	}
	return nil, pgerr.New(pgerr.InvalidParameterValue, "COPY format \"%s\" not recognized", name).
		WithHint("Known formats: %s.", strings.Join(Formats(), ", "))
}

// Options are the options of a statement as its format sees them.
type Options struct {
	Format  string   // the name in the statement
	From    bool     // of a COPY FROM
	List    []Option // those that are not the core's, in the order of the statement, each once
	OnError OnError  // which a format may refuse; what it does is the core's
}

// Unrecognized is the error for an option that a format does not have.
func (o *Option) Unrecognized() *Error {
	return pgerr.New(pgerr.SyntaxError, "option \"%s\" not recognized", strings.ToLower(o.Name))
}

// Text returns the one value of o; none, or several, is 42601.
func (o *Option) Text() (string, error) {
	v, err := o.text()
	if err != nil {
		return "", err
	}
	return *v, nil
}

// Bool returns the one value of o as a Boolean; an option that stands alone is true.
func (o *Option) Bool() (bool, error) { return o.boolean() }

// Int returns the one value of o, which must be from low to high.
func (o *Option) Int(low, high int64) (int64, error) { return o.integer(low, high) }
