package copy

import (
	"errors"
	"io"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// Column is a column of the table, or of the query, that a COPY is about.
type Column struct {
	Name       string
	Type       columnar.Type
	NotNull    bool
	HasDefault bool           // a DEFAULT was declared
	Default    columnar.Value // its value, if HasDefault
	Pos        int            // in Binding.Schema
}

// Binding is what a format is told about the rows of one COPY before the first byte.
// Immutable.
type Binding struct {
	Schema   *columnar.Schema // of the table; of the query's result
	Columns  []Column         // that the COPY is about, in its order: no others are wanted
	Where    []Predicate      // true of every row that is stored: others may be left out early
	Location *time.Location   // of timestamps without a zone
	OnError  OnError
}

// Op is a comparison.
type Op uint8

// The comparisons.
const (
	Equal Op = iota
	Less
	LessEqual
	Greater
	GreaterEqual
	NotNull // Value means nothing
)

// Predicate is one condition of a WHERE: a column compared with a constant, not true if
// the column is NULL.
type Predicate struct {
	Column int // of Binding.Columns
	Op     Op
	Value  columnar.Value // of the column's type, not NULL
}

// RecordReader is the reading side of a format of records, whose options were read.
type RecordReader interface {
	// Bind says how records become rows of the given columns. What is wrong between options
	// and columns is an error here.
	Bind(b *Binding) (Records, error)
}

// Records are the records of one COPY FROM. Immutable; used by several goroutines.
type Records interface {
	// Head looks at the beginning of an input and says where and how its records stand.
	// It returns ErrShort if it takes more bytes than h has, and h.Whole is not set. h.Bytes
	// is valid only until it returns. Every input is asked, in any order; errors say the
	// file by themselves: Table and File are filled in by the core.
	Head(h *Head) (Layout, error)

	// Decoder returns what converts records in one goroutine, for any of the inputs.
	Decoder() Decoder
}

// Expander is Records whose values may take more bytes in the store than in the input, such
// as a number 1e1000.
type Expander interface {
	// Expansion guesses how many more of them the variable-length values of so many
	// records, bytes long, take. If it is too little they are converted again.
	Expansion(rows, bytes int64) int64
}

// ErrShort says that the beginning of an input is too short to be understood.
var ErrShort = errors.New("copy: more of the input is needed")

// Head is the beginning of an input.
type Head struct {
	Name  string // of the input, for messages
	Bytes []byte
	Whole bool  // Bytes is all of it
	Size  int64 // of all of it; -1 if that is unknown
}

// Layout is where the records of one input stand. One of Scan and Walk is set.
type Layout struct {
	Start int64   // where the first record begins: behind header, signature and byte order mark
	Lines int64   // line breaks before it
	Scan  Scanner // the end of a record shows in its bytes
	Walk  Walker  // where a record ends only what comes before it tells
}

// States is the most states of a Scanner.
const States = 4

// State is what a byte of an input stands in, such as quotes. The first record begins in
// state 0, and so does every other.
type State uint8

// Tally is what was counted in a range of bytes, for each state that it may start in. A
// range in the middle of a file is counted before anybody knows in which it does.
type Tally struct {
	Ends  [States]int64 // record ends
	Next  [States]State // the state behind the range
	Open  [States]bool  // behind the last record end stands more: a record, if the input ends here
	Mark  [States]bool  // something that may end the input stands in the range: Ender is asked
	Lines int64         // line breaks, those within records too
}

// EmptyTally returns the tally of no bytes: every state stays what it is.
func EmptyTally() (t Tally) {
	for s := range t.Next {
		t.Next[s] = State(s)
	}
	return t
}

// Then returns the tally of a range followed by another, which is not empty.
func (t Tally) Then(u Tally) Tally {
	r := Tally{Lines: t.Lines + u.Lines}
	for s, next := range t.Next {
		r.Ends[s] = t.Ends[s] + u.Ends[next]
		r.Next[s] = u.Next[next]
		r.Open[s] = u.Open[next]
		r.Mark[s] = t.Mark[s] || u.Mark[next]
	}
	return r
}

// Scanner finds the ends of records by what their bytes are. It makes an input splittable:
// its pieces are counted in parallel, and the core knows the exact number of rows before
// anything is allocated. Immutable; used by several goroutines.
type Scanner interface {
	// Count returns the tally of b, which has a byte at least. off is its position in the
	// input, counted from Layout.Start. Pieces may be of any length, in any place.
	Count(b []byte, off int64) Tally

	// After returns the position in b behind its k-th record end, k at least 1, or -1 if it
	// has fewer; b stands at off and starts in state s. A small k should cost no more than
	// the bytes that it passes.
	After(b []byte, off int64, s State, k int64) int

	// Explain returns what is wrong with a record, or nil if nothing is but what the core
	// tests itself: NOT NULL, CHECK, keys. It is called for the one record that ends the
	// COPY, and for those that ON_ERROR is to tell about.
	Explain(r *Record) *Error
}

// Ender is a Scanner whose records may end before the input does.
type Ender interface {
	// End looks for the end of the data between from and to, in a range that starts in
	// state s and whose tally has a Mark. Positions are those in src; records begin at start,
	// size is the input's. It returns where the records end, or -1 if what was marked does
	// not end them, in which case the record that it is in must fail.
	End(src io.ReaderAt, start, from, to, size int64, s State) (end int64, err error)
}

// Padder is a Scanner or a Walker of inputs in which something may stand behind the last
// record that is no record, such as blank lines.
type Padder interface {
	// Padding reports whether all of src, which begins behind the last record and ends with
	// the input, is nothing but that.
	Padding(src *io.SectionReader) (bool, error)
}

// Step is what stands where a Walker has stopped.
type Step uint8

// What may stand there.
const (
	StepEnough Step = iota // a record, which was not to be passed
	StepShort              // the beginning of a record; a failing one if there are no more bytes
	StepEnd                // the end of the data
	StepBad                // a record that fails, however it goes on: the last one
)

// Walker finds the ends of records one after the other, by lengths for instance. Inputs are
// counted one by one, each by one goroutine. Immutable; used by several goroutines.
type Walker interface {
	// Walk passes records of b, which begins with one, as long as they end at until or
	// before it and are not more than most. last says that the input ends with b. It returns
	// where it stopped, how many records it passed, and what stands there.
	Walk(b []byte, last bool, until int, most int64) (n int, rows int64, next Step)

	// Skip returns where the record at off ends, which Walk found too short in a long
	// window; the input ends at end. Only what tells the length should be read. next is
	// StepEnough if the record is whole.
	Skip(src io.ReaderAt, off, end int64) (n int64, next Step, err error)

	// Explain is Scanner.Explain; src has the record and all that follows it in the input,
	// since a failing record may not say where it ends. r.Bytes is not set. The error is one
	// of reading.
	Explain(src *io.SectionReader, r *Record) (*Error, error)
}

// Strider is a Walker of records that may all be equally long, which the core then checks in
// parallel before it walks.
type Strider interface {
	// Stride returns the length that records have if they are equally long, 0 if they are not.
	Stride() int
	// Even returns how many records of that length b begins with.
	Even(b []byte) int
}

// Decoder converts records. One goroutine owns it.
type Decoder interface {
	// Begin is called before the first block of an input, or of a piece of it.
	Begin(l *Layout)

	// Index looks at a block of bytes, which begins with a record and stays what it is until
	// the next block. last says that the input ends with it; then its last record may lack
	// its end, and the two bytes behind b, within its capacity, may be written. It returns how
	// many records in front are complete and can be decoded, and whether the one behind
	// them fails for certain.
	Index(b []byte, last bool) (ready int, bad bool)

	// End returns the position in the block behind its k-th record.
	End(k int) int

	// Decode converts the next n records of the block, which are among the ready ones, into
	// rows r.At() and on, and returns how many it did. ok is false if the record behind
	// those fails; why is for Explain to say. It may do fewer for reasons of its own.
	Decode(r *Rows, n int) (done int, ok bool)

	// Close gives back what the decoder holds. It is not used after that.
	Close()
}

// Record is a record that is looked at again, slowly, to say what is wrong with it.
type Record struct {
	Bytes  []byte // with its end, if it has one
	File   string
	Line   int64 // of its first byte, from 1; the number of the record if the format has no lines
	Offset int64 // of its first byte in the input

	// Forgiven is called with the error of each value that ON_ERROR set_null makes NULL;
	// nil if nobody wants to know.
	Forgiven func(*Error)
}

// Error places e in r: at a line, so many line breaks behind the first, and at a byte of the
// record.
func (r *Record) Error(e *Error, lines int64, at int) *Error {
	e.File, e.Line = r.File, r.Line+lines
	e.ByteOffset, e.HasOffset = r.Offset+int64(at), true
	return e
}
