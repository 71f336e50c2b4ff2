// Package naive is a second reader of the store format, written from docs/FORMAT.md and sharing
// nothing with the engine: no code, no mapping, no vectors, no laziness. It exists so that a test
// can say of a store that the page describes it, and that the engine reads what the page says.
//
// Read takes the files of a directory with os.ReadFile, verifies every checksum that the page
// names and every rule that a reader can check (zone maps, UTF-8, not null and what adjacency
// runs say included, which the engine leaves to `ingot check`), and holds all rows of all tables as Go values. It takes
// no lock: the caller sees to it that nobody writes to the directory.
//
// The form of a value, by kind:
//
//	bool                      bool
//	int2 int4 int8            int16 int32 int64
//	float4 float8             float32 float64
//	numeric(p,s)              Decimal
//	numeric text varchar json string
//	bytea                     []byte
//	date                      int32 days
//	time timestamp timestamptz int64 microseconds
//	uuid                      [16]byte
//	null                      nil
//
// Errors are ErrCorrupt or ErrVersion with what was found, or those of the os package.
package naive

import (
	"errors"
	"fmt"
	"iter"
	"sort"
)

// ErrCorrupt means that a file breaks a rule of the format.
var ErrCorrupt = errors.New("naive: corrupt store")

// ErrVersion means that the store, or a file of it, is of a newer format.
var ErrVersion = errors.New("naive: store of a newer format")

// Store is the latest version of a store, and where it was found.
type Store struct {
	ID         [16]byte
	Generation uint64   // of the slot that counts
	Logs       []uint64 // the chain, the replayed log last
	Seq        uint64   // of the last commit applied
	Durable    uint64   // commits up to here were durable by the log's own account
	Dropped    int      // commits behind the end of history whose data files do not hold
	Clean      bool     // the log ends in a mark and zeros
	Tables     []*Table // ascending by id
}

// Table is a table with all of its rows.
type Table struct {
	Schema
	Rel     *Rel   // nil if the rows are no edges
	Rows    int    // deleted ones included
	Deleted []bool // by row id
	frags   []*fragment
	runs    []*run // ascending
}

// Live yields id and values of each row that is not deleted, ascending by id. The values are
// in the order of the schema's columns; the slice is the caller's.
func (t *Table) Live() iter.Seq2[int, []any] {
	return func(yield func(int, []any) bool) {
		id := 0
		for _, f := range t.frags {
			for i := range f.rows {
				if !t.Deleted[id+i] && !yield(id+i, t.row(f, i)) {
					return
				}
			}
			id += f.rows
		}
	}
}

// Fragments returns, for each fragment in row order, its rows and the number of the data file
// it lies in, 0 for one in a log.
func (t *Table) Fragments() (rows []int, files []uint64) {
	for _, f := range t.frags {
		rows = append(rows, f.rows)
		files = append(files, f.file)
	}
	return rows, files
}

func (t *Table) row(f *fragment, i int) []any {
	row := make([]any, len(t.Columns))
	for c, col := range t.Columns {
		row[c] = col.Missing
		if ch := f.chunk(col.ID); ch != nil {
			row[c] = ch.values[i]
		}
	}
	return row
}

// Decimal is a value of numeric(p,s), unscaled, in two's complement; Lo and Hi are 0 if NaN.
type Decimal struct {
	NaN bool
	Hi  int64
	Lo  uint64
}

// Read reads the store in dir.
func Read(dir string) (*Store, error) {
	slot, err := readSuperblock(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{ID: slot.store, Generation: slot.generation}
	l, err := followLogs(dir, slot, s)
	if err != nil {
		return nil, err
	}
	if err := replay(dir, l, s); err != nil {
		return nil, err
	}
	sort.Slice(s.Tables, func(i, j int) bool { return s.Tables[i].ID < s.Tables[j].ID })
	return s, nil
}

// corrupt returns an ErrCorrupt that says what was found where.
func corrupt(where, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrCorrupt, where, fmt.Sprintf(format, args...))
}
