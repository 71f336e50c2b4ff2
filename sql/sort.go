package sql

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// sortKey is an element of ORDER BY.
type sortKey struct {
	output     int
	desc       bool
	nullsFirst bool
}

// distinct leaves out rows that are equal to an earlier one.
func (q *query) distinct(seq rowSeq) rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		var table keyTable
		var batch expr.Batch
		var key []byte
		var rows []int32
		for b, err := range seq {
			if err != nil {
				yield(nil, err)
				return
			}
			batch.SetColumns(b.Rows, b.Cols)
			rows = rows[:0]
			for i := range b.Rows {
				key = key[:0]
				for c := range b.Cols {
					key = expr.AppendKey(key, batch.Column(c), i)
				}
				if _, fresh := table.number(key); fresh {
					rows = append(rows, int32(i))
				}
			}
			if limit := q.run.opt.MemoryLimit; table.bytes() > limit {
				yield(nil, errMemory("distinct rows", limit))
				return
			}
			if len(rows) == 0 {
				continue
			}
			out := &RowBatch{Rows: len(rows), Cols: make([]columnar.Vec, len(b.Cols))}
			for c := range b.Cols {
				out.Cols[c] = expr.Gather(&b.Cols[c], rows)
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// sorter holds rows until all are there.
type sorter struct {
	keys    []sortKey
	batches []*RowBatch
	entries []entry
	size    int64
	limit   int64
	most    int64  // rows that are wanted; -1 for all
	worst   []byte // key of the last of the wanted rows so far; nil if there are fewer

	input expr.Batch
	rows  []int32
}

// entry is a row with its key.
type entry struct {
	key   []byte
	batch int32
	row   int32
}

// sorted orders rows. Rows that compare equal keep their order.
func (q *query) sorted(seq rowSeq) rowSeq {
	return func(yield func(*RowBatch, error) bool) {
		s := sorter{keys: q.order, limit: q.run.opt.MemoryLimit, most: -1}
		if q.limit >= 0 && q.limit+q.offset >= 0 {
			s.most = q.limit + q.offset
		}
		for b, err := range seq {
			if err == nil {
				err = s.add(b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		s.sort()
		for from := 0; from < len(s.entries); {
			n := s.next(from)
			if !yield(s.batch(s.entries[from:from+n]), nil) {
				return
			}
			from += n
		}
	}
}

// next returns how many rows from the given one on make a batch: as many as one has, but
// not more bytes of one column than its offsets can say.
func (s *sorter) next(from int) int {
	n := min(len(s.entries)-from, expr.MaxRows)
	if s.size < maxBatchBytes {
		return n
	}
	bytes := 0
	for i, e := range s.entries[from : from+n] {
		for c := range s.batches[e.batch].Cols {
			if o := s.batches[e.batch].Cols[c].Offsets(); o != nil {
				bytes += int(o[e.row+1] - o[e.row])
			}
		}
		if bytes > maxBatchBytes && i > 0 {
			return i
		}
	}
	return n
}

// add takes copies of those rows of b that can be among the wanted ones.
func (s *sorter) add(b *RowBatch) error {
	s.input.SetColumns(b.Rows, b.Cols)
	number := int32(len(s.batches))
	s.rows = s.rows[:0]
	arena := make([]byte, 0, 10*len(s.keys)*min(b.Rows, 64))
	for i := range b.Rows {
		from := len(arena)
		for _, k := range s.keys {
			arena = expr.AppendSortKey(arena, s.input.Column(k.output), i, k.desc, k.nullsFirst)
		}
		if key := arena[from:len(arena):len(arena)]; s.worst == nil || bytes.Compare(key, s.worst) < 0 {
			s.entries = append(s.entries, entry{key, number, int32(len(s.rows))})
			s.rows = append(s.rows, int32(i))
		} else {
			arena = arena[:from]
		}
	}
	if len(s.rows) == 0 {
		return nil
	}
	kept := &RowBatch{Rows: len(s.rows), Cols: make([]columnar.Vec, len(b.Cols))}
	for i := range b.Cols {
		kept.Cols[i] = expr.Gather(&b.Cols[i], s.rows)
		s.size += sizeOf(&kept.Cols[i])
	}
	s.batches = append(s.batches, kept)
	s.size += int64(len(arena)) + 32*int64(kept.Rows)
	if s.most > 0 && int64(len(s.entries)) > 2*s.most+expr.MaxRows {
		s.shrink()
	}
	if s.size > s.limit {
		return errMemory("sorted rows", s.limit)
	}
	return nil
}

// sizeOf returns about how much memory a column takes.
func sizeOf(v *columnar.Vec) int64 {
	n := int64(v.Len()/8) + int64(len(v.Fixed()))
	if o := v.Offsets(); o != nil {
		n += int64(4*len(o)) + int64(o[v.Len()]-o[0])
	}
	return n
}

// sort orders the entries and keeps those that are wanted.
func (s *sorter) sort() {
	slices.SortFunc(s.entries, func(a, b entry) int {
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		if c := cmp.Compare(a.batch, b.batch); c != 0 {
			return c
		}
		return cmp.Compare(a.row, b.row)
	})
	if s.most >= 0 && int64(len(s.entries)) > s.most {
		s.entries = s.entries[:s.most]
	}
}

// shrink forgets the rows that cannot be among those that are wanted.
func (s *sorter) shrink() {
	s.sort()
	var kept []*RowBatch
	var entries []entry
	size := int64(0)
	for from := 0; from < len(s.entries); {
		part := s.entries[from : from+s.next(from)]
		from += len(part)
		b := s.batch(part)
		for i, e := range part {
			entries = append(entries, entry{bytes.Clone(e.key), int32(len(kept)), int32(i)})
			size += int64(len(e.key)) + 32
		}
		for i := range b.Cols {
			size += sizeOf(&b.Cols[i])
		}
		kept = append(kept, b)
	}
	s.batches, s.entries, s.size = kept, entries, size
	s.worst = entries[len(entries)-1].key
}

// batch returns the rows of entries.
func (s *sorter) batch(entries []entry) *RowBatch {
	out := &RowBatch{Rows: len(entries), Cols: make([]columnar.Vec, len(s.batches[0].Cols))}
	from := make([]*columnar.Vec, len(entries))
	rows := make([]int32, len(entries))
	for i, e := range entries {
		rows[i] = e.row
	}
	for c := range out.Cols {
		for i, e := range entries {
			from[i] = &s.batches[e.batch].Cols[c]
		}
		out.Cols[c] = expr.GatherFrom(from, rows)
	}
	return out
}
