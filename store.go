package ingot

import (
	"context"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/graph"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// TableInfo describes a table: columns, row groups, fragments, chunks, zone maps.
type TableInfo = columnar.TableInfo

// CheckStats counts what Check has read.
type CheckStats = columnar.CheckStats

// Info describes the tables of the store, ordered by name.
func (db *DB) Info() ([]TableInfo, error) {
	snap, err := db.store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Release()
	return snap.Info(), nil
}

// Check verifies every checksum and invariant of the store. It calls report with each
// finding and returns them joined; they match ErrCorrupt. report may be nil.
func (db *DB) Check(ctx context.Context, report func(error)) (CheckStats, error) {
	return db.store.Check(ctx, report)
}

// Snapshot is the store at one commit: later commits do not change what it shows. It
// keeps the files it needs mapped and their space in use until Release. Safe for
// concurrent use.
type Snapshot struct {
	snap *columnar.Snapshot
}

// Snapshot returns the store as of now. It takes no lock and costs next to nothing.
func (db *DB) Snapshot() (*Snapshot, error) {
	snap, err := db.store.Snapshot()
	if err != nil {
		return nil, err
	}
	return &Snapshot{snap}, nil
}

// Release gives the snapshot up. Call it exactly once.
func (s *Snapshot) Release() { s.snap.Release() }

// Table returns the table called name, byte by byte, as it is stored: the ends of edges are
// row ids of their node tables. 42P01 if there is none.
func (s *Snapshot) Table(name string) (*columnar.Table, error) { return s.snap.Table(name) }

// Tables returns all tables, ordered by name.
func (s *Snapshot) Tables() []*columnar.Table { return s.snap.Tables() }

// Graph returns the graph of rel tables, or of the tables of rel groups, for searches: paths,
// what can be reached, whole-graph work. It sees what the snapshot sees, and is usable until
// the snapshot is released.
func (s *Snapshot) Graph(rels ...string) (*graph.Graph, error) { return graph.Open(s.snap, rels...) }

// ScanOptions say what a scan reads. The zero value reads every column in batches of a
// row group, without a copy but where deleted rows are scattered among those that are left.
type ScanOptions struct {
	Columns   []string // names, byte by byte; nil is all
	BatchRows int      // rows of a batch at most; 0 is a row group's
	Copy      bool     // batches own their memory: they survive anything, and cost a copy
}

// Scan returns the rows of a table as Arrow record batches, in the order of their ids.
//
// Each batch is the caller's: Release it. Without ScanOptions.Copy it holds a lease on
// mapped memory, which lasts until its last Release, also past the end of the snapshot
// and of the DB. An error ends the loop.
func (s *Snapshot) Scan(ctx context.Context, table string, opt ScanOptions) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		t, err := s.snap.Keyed(table)
		if err != nil {
			yield(nil, err)
			return
		}
		scan := columnar.ScanOptions{BatchRows: opt.BatchRows, Copy: opt.Copy}
		if opt.Columns != nil {
			scan.Columns = make([]int, len(opt.Columns))
		}
		for i, name := range opt.Columns {
			if scan.Columns[i] = t.Schema().Lookup(name); scan.Columns[i] < 0 {
				yield(nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, table))
				return
			}
		}
		for batch, err := range t.Records(ctx, scan) {
			if !yield(batch, err) {
				return
			}
		}
	}
}

// Scan is Snapshot.Scan on the store as of the start of the loop.
func (db *DB) Scan(ctx context.Context, table string, opt ScanOptions) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		snap, err := db.Snapshot()
		if err != nil {
			yield(nil, err)
			return
		}
		defer snap.Release()
		for batch, err := range snap.Scan(ctx, table, opt) {
			if !yield(batch, err) {
				return
			}
		}
	}
}
