package columnar

import (
	"context"
	"fmt"
	"iter"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// ScanOptions say what a scan reads. The zero value reads every column of every row.
type ScanOptions struct {
	Columns    []int   // positions in the schema; nil is all, an empty non-nil slice reads row counts only
	Prune      []Bound // fragments whose zone maps exclude one of these are skipped; rows are not tested
	FirstGroup int     // first row group
	GroupCount int     // number of row groups; 0 is all that follow
	BatchRows  int     // most rows of a batch; 0 is visibility.VectorRows
	Copy       bool    // batches own their memory and stay valid
}

// Batch is rows of a table, in order.
//
// From Scan it is a piece of one visible run: consecutive row ids, none of them deleted.
// From ScanMasked it is consecutive row ids within a vector, and if Visible is set, rows
// whose bit is clear are deleted. From ScanGathered no row of it is deleted, but only the
// first one's id is known.
type Batch struct {
	First   visibility.RowID
	Rows    int
	Cols    []Vec    // as ScanOptions.Columns
	Visible []uint64 // bit i is set if row i is not deleted, no bit past Rows is; nil if all are visible

	lease *mmap.Mapping // that Cols point into; nil if they are in memory
}

// Live returns the number of rows that are not deleted.
func (b *Batch) Live() int {
	if b.Visible == nil {
		return b.Rows
	}
	return kernels.PopCount(b.Visible, b.Rows)
}

// Scan returns the live rows of the table in row order. Inside a run it never looks at
// a row's visibility. The Batch is used again by the next step. A read of mapped
// memory that fails is an error of the scan where the scan does it; reading the
// batch's vectors belongs inside a Guard of the caller's.
func (t *Table) Scan(ctx context.Context, opt ScanOptions) iter.Seq2[*Batch, error] {
	return t.scan(ctx, scan{opt: opt})
}

// scan returns the batches of s, which has its options and its shape.
func (t *Table) scan(ctx context.Context, s scan) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s := s // a sequence may be run again
		s.table = t
		if err := s.bind(); err != nil {
			yield(nil, err)
			return
		}
		last := t.Groups()
		if s.opt.GroupCount > 0 {
			last = min(last, s.opt.FirstGroup+s.opt.GroupCount)
		}
		for g := s.opt.FirstGroup; g < last; g++ {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if more, err := s.group(ctx, g, yield); err != nil || !more {
				if err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// scan is one pass over a table.
type scan struct {
	table *Table
	opt   ScanOptions
	shape shape
	cols  []*Column
	vecs  []Vec // of the current fragment, all rows
	lease *mmap.Mapping
	batch Batch

	mask   [visibility.VectorRows / 64]uint64 // visible rows of a vector
	rows   []int32                            // their positions in the fragment
	packed []Packed                           // memory of gathered columns
	keep   bool                               // gathered columns stay valid
}

func (s *scan) bind() error {
	schema := s.table.schema
	if s.opt.Columns == nil {
		for i := range schema.Columns {
			s.opt.Columns = append(s.opt.Columns, i)
		}
	}
	for _, i := range s.opt.Columns {
		if i < 0 || i >= len(schema.Columns) {
			return pgerr.New(pgerr.UndefinedColumn, "column %d of table \"%s\" does not exist", i, schema.Name)
		}
		s.cols = append(s.cols, &schema.Columns[i])
	}
	for _, b := range s.opt.Prune {
		if b.Column < 0 || b.Column >= len(schema.Columns) || b.Value.Type.Kind != schema.Columns[b.Column].Type.Kind {
			return fmt.Errorf("columnar: bound on column %d does not fit table %s", b.Column, schema.Name)
		}
	}
	if s.opt.BatchRows <= 0 {
		s.opt.BatchRows = visibility.VectorRows
	}
	s.vecs = make([]Vec, len(s.cols))
	s.batch.Cols = make([]Vec, len(s.cols))
	return nil
}

// group yields the batches of one row group; more is false if the consumer stopped.
func (s *scan) group(ctx context.Context, g int, yield func(*Batch, error) bool) (more bool, err error) {
	vis := s.table.vis.At(g)
	at := uint32(0) // row in the group
	run := vis.NextRun(0)
	for _, p := range s.table.group(g).pieces {
		end := at + uint32(p.rows)
		if run.Length > 0 && run.Start < end {
			if s.pruned(&p) {
				run = rest(vis, run, end)
			} else if err := s.open(p.frag); err != nil {
				return false, err
			}
		}
		for run.Length > 0 && run.Start < end {
			first, n, err := s.next(vis, run, at, end, int(p.from))
			if err != nil {
				return false, err
			}
			s.batch.First = visibility.RowID(g)<<visibility.GroupShift + visibility.RowID(first)
			if !yield(&s.batch, nil) {
				return false, nil
			}
			if err := ctx.Err(); err != nil {
				return false, err
			}
			run = rest(vis, run, first+n)
		}
		at = end
	}
	return true, nil
}

// rest returns what is left of run from row from on or, if nothing is, the next one.
func rest(vis *visibility.Group, run visibility.Run, from uint32) visibility.Run {
	if run.Contains(from) {
		return visibility.Run{Start: from, Length: run.End() - from}
	}
	return vis.NextRun(from)
}

// next makes the next batch of the open fragment, of which rows at to end of the row group
// begin at row skip of the fragment. The rows that it looked at are n from first on;
// run begins there or, if the batch has a mask, below 64 rows behind.
func (s *scan) next(vis *visibility.Group, run visibility.Run, at, end uint32, skip int) (first, n uint32, err error) {
	first = run.Start
	if s.shape != inRuns {
		if w := s.window(vis, run, at, end); w.rows > 0 {
			from := int(w.first-at) + skip
			if s.shape == masked {
				return w.first, w.rows, s.masked(from, int(w.rows))
			}
			if ok, err := s.gathered(from, int(w.rows)); ok || err != nil {
				return w.first, w.rows, err
			}
		}
	}
	n = uint32(min(int(min(run.End(), end)-first), s.opt.BatchRows))
	if s.shape == masked {
		n = min(n, visibility.VectorRows-first%visibility.VectorRows)
	}
	return first, n, s.slice(int(first-at)+skip, int(n))
}

// pruned reports whether no row of the piece can be of interest.
func (s *scan) pruned(p *piece) bool {
	for _, b := range s.opt.Prune {
		c := &s.table.schema.Columns[b.Column]
		if s.table.keyed != nil && b.Column <= toAt {
			continue // the zones are of row ids
		}
		if k := p.frag.find(c.ID); k != nil && k.zone.excludes(b, p.frag.rows) {
			return true
		}
	}
	return false
}

// open makes s.vecs the columns of a fragment.
func (s *scan) open(f *fragment) error {
	if s.lease = nil; f.file != nil {
		s.lease = f.file.m
	}
	for i, c := range s.cols {
		v, err := f.column(c)
		if err != nil {
			return err
		}
		s.vecs[i] = *v
	}
	return nil
}

// slice makes the batch rows from to from+n of the open fragment.
func (s *scan) slice(from, n int) error {
	if s.opt.Copy {
		if err := mmap.Guard(func() error { s.copied(from, n); return nil }); err != nil {
			return err
		}
		return s.withKeys()
	}
	s.batch.Rows, s.batch.Visible, s.batch.lease = n, nil, s.lease
	for i := range s.vecs {
		s.batch.Cols[i] = s.vecs[i].Slice(from, n)
	}
	return s.withKeys()
}

// withKeys replaces the row ids in the batch by keys where the table is read with keys.
func (s *scan) withKeys() (err error) {
	if s.table.keyed == nil {
		return nil
	}
	for i, at := range s.opt.Columns {
		if at <= toAt && err == nil {
			s.batch.Cols[i], err = s.table.keyed.keys(end(at), &s.batch.Cols[i])
		}
	}
	return err
}

// copied is slice for a batch that owns its memory.
func (s *scan) copied(from, n int) {
	s.batch = Batch{Rows: n, Cols: make([]Vec, len(s.vecs))}
	for i := range s.vecs {
		part := s.vecs[i].Slice(from, n)
		s.batch.Cols[i] = part.clone()
	}
}

// Fetch calls each with the given columns of single rows, in the order of ids; i is the
// position in ids. A row that is deleted or does not exist is an error.
func (t *Table) Fetch(ids []visibility.RowID, columns []int, each func(i int, cols []Vec) error) error {
	s := scan{table: t, opt: ScanOptions{Columns: columns}}
	if err := s.bind(); err != nil {
		return err
	}
	var open *fragment
	for i, id := range ids {
		if !t.vis.Visible(id) {
			return fmt.Errorf("columnar: row %d of table %s is not there", id, t.schema.Name)
		}
		p, row := t.locate(id)
		if p.frag != open {
			if err := s.open(p.frag); err != nil {
				return err
			}
			open = p.frag
		}
		if err := s.slice(row, 1); err != nil {
			return err
		}
		if err := each(i, s.batch.Cols); err != nil {
			return err
		}
	}
	return nil
}

// locate returns the piece that holds an existing row id, and the row in its fragment.
func (t *Table) locate(id visibility.RowID) (piece, int) {
	row := int32(id.Row())
	for _, p := range t.group(int(id.Group())).pieces {
		if row < p.rows {
			return p, int(p.from + row)
		}
		row -= p.rows
	}
	panic("columnar: row id behind its row group")
}
