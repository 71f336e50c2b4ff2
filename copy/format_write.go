package copy

import "io"

// RecordWriter is the writing side of a format of records, whose options were read.
type RecordWriter interface {
	// Bind says how rows of the given columns are written.
	Bind(b *Binding) (*Encoding, error)
}

// Encoding is how rows become records. Rows are encoded by several goroutines, a row group
// each, and written in order.
type Encoding struct {
	Head []byte // what comes before the records
	Tail []byte // and behind them

	// Between is how many bytes in front of each record separate it from the one before:
	// they are left out before the first.
	Between int

	Encoder func() Encoder // returns what encodes in one goroutine
}

// Encoder encodes rows. One goroutine owns it.
type Encoder interface {
	// Append appends the records of a batch to dst. It keeps nothing of the batch.
	Append(dst []byte, b Batch) ([]byte, error)
}

// ContainerWriter is the writing side of a format of containers, whose options were read.
type ContainerWriter interface {
	// Create begins a file.
	Create(f *Output) (Archive, error)
}

// Output is the file that a COPY TO makes.
type Output struct {
	*Binding
	Writer io.Writer // takes what is written, from front to back
	Name   string    // of the file; empty for a writer
	Rows   int64     // that there will be; -1 if that is unknown
}

// Archive is a file that is being written.
type Archive interface {
	// Workers returns how many goroutines may pack rows at once, limit at most. If it is 1,
	// Pack and Put are called in turns by one goroutine.
	Workers(limit int) int

	// Packer returns what packs rows in one goroutine.
	Packer() Packer

	// Put writes a pack. Packs come in the order of their rows, one at a time.
	Put(pack any) error

	// Close writes what ends the file. It is not called after an error.
	Close() error
}

// Packer makes packs of rows, such as row groups. One goroutine owns it.
type Packer interface {
	// Add adds the rows of a batch, of which it keeps nothing.
	Add(b Batch) error

	// Pack returns the rows that were added since the last call for Archive.Put, nil if there
	// is nothing to put yet. It is called behind each row group of a table, and of a query
	// each 131,072 rows or so; last says that no rows follow in this goroutine.
	Pack(last bool) (pack any, err error)
}
