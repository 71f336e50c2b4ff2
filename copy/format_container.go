package copy

import (
	"context"
	"io"
	"iter"

	"github.com/ingotdb/ingot/columnar"
)

// ContainerReader is the reading side of a format of containers, whose options were read.
type ContainerReader interface {
	// Streams reports whether Open can do with an input that is read from front to back.
	// If not, such an input is read into memory whole.
	Streams() bool

	// Open opens one input. Nothing that it says about itself is believed before it was
	// compared with the bytes that are there.
	Open(ctx context.Context, in *Input) (Container, error)
}

// Positional is a ContainerReader of a format whose columns have names, which may match them
// by their order after all.
type Positional interface {
	// ByPosition reports whether the first column fills the first of the COPY, and so on.
	ByPosition() bool
}

// Input is one input of a COPY FROM, decompressed. One of At and Stream is set.
type Input struct {
	Name   string
	At     io.ReaderAt // may be used by several goroutines
	Size   int64       // of At
	Stream io.Reader   // may be used by one goroutine: the one that asks for parts
}

// ContainerColumn is a column that a container has.
type ContainerColumn struct {
	Name string
	Type columnar.Type // that holds all its values; zero if there is none, and it can only be passed over
	Says string        // the type in the words of the format, for messages
}

// Container is an open input: columns, and parts that have rows of them.
type Container interface {
	// Columns returns the columns, which the core matches with those of the COPY.
	Columns() []ContainerColumn

	// Bind says what is read: from[i] is the container's column that fills b.Columns[i]. Where
	// the input lacks a column of the COPY that column is not in b. Called once, before Parts.
	Bind(b *Binding, from []int) error

	// Rows says how many rows there are. For Exact the parts say their rows too.
	Rows() (Cardinality, int64)

	// Parts yields the parts in the order of their rows, in the goroutine that asks.
	Parts() iter.Seq2[Part, error]

	// Close gives back what the container holds; parts are not used after that.
	Close() error
}

// Part is consecutive rows of a container.
type Part interface {
	// Size returns the exact number of rows, those that Read passes over among them, -1 if it is
	// unknown, and how many bytes their variable-length values have at most, -1 if that is
	// unknown.
	Size() (rows, varBytes int64)

	// Read gives the rows to out, in order. It is called once, in a goroutine of its own;
	// other parts are read at the same time.
	Read(ctx context.Context, out *Sink) error
}
