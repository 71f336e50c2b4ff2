package parquet

import (
	"errors"
	"io"
	"math"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// reader is an open Parquet file. Immutable but for what its io.ReaderAt does.
type reader struct {
	r    io.ReaderAt
	foot *footer
	*schema
}

// openFile reads the footer of a file of size bytes and looks at what it claims.
func openFile(r io.ReaderAt, size int64) (*reader, error) {
	foot, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	s, err := newSchema(foot.schema)
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for i := range foot.groups {
		g := &foot.groups[i]
		if len(g.columns) != s.leaves {
			return nil, corrupt("row group %d has %d columns and the schema %d", i, len(g.columns), s.leaves)
		}
		if g.rows > math.MaxInt64-total {
			return nil, corrupt("it claims more rows than there are numbers")
		}
		total += g.rows
	}
	if total > freeValues+valuesPerByte*size {
		return nil, corrupt("a file of %d bytes claims %d rows", size, total)
	}
	foot.rows = total
	return &reader{r: r, foot: foot, schema: s}, nil
}

// inColumn says in err, which is about a column's bytes, which column it is.
func inColumn(err error, name string) error {
	var e *pgerr.Error
	if errors.As(err, &e) && e.Column == "" {
		e.Column = name
		e.Detail = joinSentences(e.Detail, "It is in column \""+name+"\".")
	}
	return err
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimSuffix(a, ".") + ". " + b
}

// chunk returns the chunk of a field in a row group, after a look at where it claims to be.
func (f *reader) chunk(group, index int) (*chunk, error) {
	d := &f.fields[index]
	g := &f.foot.groups[group]
	c := &g.columns[d.at]
	bad := func(format string, args ...any) error { return inColumn(corrupt(format, args...), d.name) }
	switch start := c.start(); {
	case d.refused != "":
		return nil, unsupported("column \"%s\" has the Parquet type %s, which is not supported", d.name, d.refused)
	case c.elsewhere:
		return nil, unsupported("column \"%s\" of the Parquet file is in another file, which is not supported", d.name)
	case c.encrypted:
		return nil, unsupported("column \"%s\" of the Parquet file is encrypted, which is not supported", d.name)
	case c.typ != d.phys:
		return nil, bad("a column chunk is of another type than its column")
	case !codecKnown(c.codec):
		return nil, unsupported("column \"%s\" is compressed with codec %d, which is not supported", d.name, c.codec)
	case c.values == 0 && g.rows == 0:
		return &chunk{typ: c.typ}, nil // wherever it claims to be
	case start < int64(len(magic)) || c.compressed < 0 || start > f.foot.end || c.compressed > f.foot.end-start:
		return nil, bad("a column chunk of %d bytes at %d is not in the file", c.compressed, start)
	case d.list && c.values < g.rows, !d.list && c.values != g.rows:
		return nil, bad("a column chunk has %d values for %d rows", c.values, g.rows)
	case c.values > freeValues+valuesPerByte*c.compressed:
		return nil, bad("a column chunk of %d bytes claims %d values", c.compressed, c.values)
	}
	return c, nil
}

// trailingBytes is by how much the size of a column chunk may be too small: old writers forgot
// the header of the dictionary.
const trailingBytes = 100

// groupReader reads wanted columns of one row group. One goroutine owns it.
type groupReader struct {
	columns []*column
	vecs    []columnar.Vec
	taken   []int // rows of each column's batch that were given away
	rows    int64 // left
	step    int   // rows of a batch
	last    bool  // the row group ends with the rows
}

// group returns the reader of the fields of a row group: of so many rows from the first on,
// which is 0 if a field is a list.
func (f *reader) group(index int, fields []int, first, rows int64, location *time.Location) (*groupReader, error) {
	g := &groupReader{
		columns: make([]*column, len(fields)), vecs: make([]columnar.Vec, len(fields)), taken: make([]int, len(fields)),
		rows: rows, step: int(min(rows, batchRows)), last: first+rows == f.foot.groups[index].rows,
	}
	for i, k := range fields {
		c, err := f.chunk(index, k)
		if err != nil {
			return nil, err
		}
		g.columns[i] = newColumn(&f.fields[k], c, f.pages(c), location)
		g.columns[i].toSkip = first
	}
	return g, nil
}

// next reads the next rows, 0 at the end. The batch of column i has them from row first[i] on;
// it is valid until the next call.
func (g *groupReader) next() (rows int, err error) {
	if g.rows == 0 {
		return 0, g.end()
	}
	rows = int(min(g.rows, int64(g.step)))
	for i, c := range g.columns {
		out := c.given()
		if g.taken[i] == out.rows {
			g.taken[i] = 0
			if err := c.fill(g.step); err != nil {
				return 0, err
			}
			if out.rows == 0 {
				return 0, c.damaged("it has fewer values than its row group has rows")
			}
		}
		rows = min(rows, out.rows-g.taken[i])
	}
	for i, c := range g.columns {
		v := c.given().vec(c.field.columnType())
		g.vecs[i] = v.Slice(g.taken[i], rows)
		g.taken[i] += rows
	}
	g.rows -= int64(rows)
	return rows, nil
}

// end checks that the columns end with the row group.
func (g *groupReader) end() error {
	if !g.last {
		return nil
	}
	for i, c := range g.columns {
		if c.left > 0 || c.inPage > 0 || g.taken[i] != c.given().rows || c.list != nil && (c.list.open || c.list.at != c.list.n) {
			return c.damaged("it has more values than its row group has rows")
		}
	}
	return nil
}

// given returns the batch that fill makes.
func (c *column) given() *batch {
	if c.list != nil {
		return &c.list.lists
	}
	return &c.out
}

// release gives the memory of g to the next reader.
func (g *groupReader) release() {
	for i, c := range g.columns {
		c.release()
		g.columns[i] = nil
	}
}

// eachBad calls bad for every value of the last batch that its natural type does not have.
func (g *groupReader) eachBad(rows int, bad func(row, column int) error) error {
	for i, c := range g.columns {
		first := int32(g.taken[i] - rows)
		for _, row := range c.given().bad {
			if row < first || row >= first+int32(rows) {
				continue
			}
			if err := bad(int(row-first), i); err != nil {
				return err
			}
		}
	}
	return nil
}

// badValue is the error for a value that the natural type of its column does not have.
func (d *field) badValue() *pgerr.Error {
	var e *pgerr.Error
	switch d.meaning {
	case meansDate:
		e = pgerr.New(pgerr.DatetimeFieldOverflow, "date out of range")
	case meansTime:
		e = pgerr.New(pgerr.DatetimeFieldOverflow, "time out of range")
	case meansTimestamp, meansInt96:
		e = pgerr.New(pgerr.DatetimeFieldOverflow, "timestamp out of range")
	case meansText:
		e = pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\"")
	case meansUUID:
		e = pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type uuid")
	case meansJSON:
		e = pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json")
	case meansDecimal:
		e = pgerr.New(pgerr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A value of the Parquet file has more than the %d digits of its type.", d.precision)
	default:
		e = pgerr.New(pgerr.NumericValueOutOfRange, "value is out of range for type %s", d.typ.Name())
	}
	e.Column = d.name
	e.Detail = joinSentences(e.Detail, "It is in column \""+d.name+"\".")
	return e
}
