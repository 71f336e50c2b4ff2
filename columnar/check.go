package columnar

import (
	"context"
	"errors"
	"fmt"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// CheckStats counts what Check looked at.
type CheckStats struct {
	Tables, RowGroups, Fragments, Chunks int
	Runs                                 int // of edges
	Rows                                 uint64
	Bytes                                int64
}

// Check verifies every checksum and invariant of the store: the log and the
// superblock, and of the latest commit each chunk's checksum and header, its offsets,
// null count and zone map, the text encoding, the lengths of fragments and row groups,
// the delete states, and of rel tables the adjacency. Each finding goes to report; the error returned joins them.
func (s *Store) Check(ctx context.Context, report func(error)) (CheckStats, error) {
	var st CheckStats
	var all []error
	found := func(err error) {
		all = append(all, err)
		if report != nil {
			report(err)
		}
	}
	if s.closed.Load() {
		return st, ErrClosed
	}
	err := s.log.Check(func(what string, err error) {
		if err != nil {
			found(fmt.Errorf("columnar: check %s: %w", what, err))
		}
	})
	switch {
	case errors.Is(err, journal.ErrClosed): // by a Close that came in between
		return st, ErrClosed
	case err != nil && len(all) == 0:
		found(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		return st, err
	}
	defer snap.Release()
	for _, t := range snap.Tables() {
		st.Tables++
		if err := t.check(ctx, &st, found); err != nil {
			return st, err
		}
		if t.schema.Rel == nil {
			continue
		}
		if err := snap.ref.Value().checkEdges(ctx, t, found); err != nil {
			return st, err
		}
		for _, r := range t.runs {
			if st.Runs++; r.file != nil {
				st.Bytes += r.bytes()
			}
		}
	}
	return st, errors.Join(all...)
}

func (t *Table) check(ctx context.Context, st *CheckStats, found func(error)) error {
	st.Rows += t.Rows()
	for i, g := range t.vis.All() {
		st.RowGroups++
		rows := 0
		for _, p := range t.group(i).pieces {
			rows += int(p.rows)
		}
		if rows != int(g.Rows()) || (i < t.Groups()-1 && rows != visibility.GroupRows) {
			found(fmt.Errorf("columnar: check %s: row group %d has %d rows in fragments and %d by its delete state: %w",
				t.schema.Name, i, rows, g.Rows(), ErrCorrupt))
		}
	}
	var err error
	t.pieces(func(first visibility.RowID, p piece) {
		if err != nil || p.from != 0 {
			return
		}
		if err = ctx.Err(); err != nil {
			return
		}
		st.Fragments++
		for i := range p.frag.chunks {
			st.Chunks++
			st.Bytes += p.frag.chunks[i].loc.size + p.frag.chunks[i].loc.outLen
			if err := t.checkChunk(p.frag, &p.frag.chunks[i]); err != nil {
				found(fmt.Errorf("columnar: check %s, rows from %d: %w", t.schema.Name, first, err))
			}
		}
	})
	return err
}

// checkChunk verifies a chunk from its bytes, whether it was opened before or not.
func (t *Table) checkChunk(f *fragment, k *chunk) error {
	return mmap.Guard(func() (err error) {
		var v Vec
		where, off := "log", int64(-1)
		if f.file == nil {
			v = k.vec
		} else {
			where, off = f.file.name, k.loc.off
			if v, err = f.file.chunkVec(k, f.rows); err != nil {
				return err
			}
		}
		nulls := 0
		if v.valid != nil {
			nulls = f.rows - kernels.PopCount(v.valid, f.rows)
		}
		if nulls != k.zone.Nulls {
			return corrupt(where, off, "null count is %d, recorded %d", nulls, k.zone.Nulls)
		}
		if z := zoneOf(&v, nulls); !z.equal(&k.zone) {
			return corrupt(where, off, "zone map differs from the values")
		}
		if c := t.schema.position(k.col); c >= 0 && t.schema.Columns[c].NotNull && nulls > 0 {
			return corrupt(where, off, "column %s is not null but has %d nulls", t.schema.Columns[c].Name, nulls)
		}
		switch k.typ.Kind {
		case Text, Varchar, JSON, Numeric:
			if !k.typ.Array && len(v.data) > 0 && !pgtext.ValidUTF8(v.data) {
				return corrupt(where, off, "text is not valid UTF-8")
			}
		}
		return nil
	})
}

// equal reports whether two zones say the same.
func (z *Zone) equal(o *Zone) bool {
	if z.HasBounds != o.HasBounds || z.HasNaN != o.HasNaN || z.Ascending != o.Ascending || z.Nulls != o.Nulls {
		return false
	}
	return !z.HasBounds || (z.MinExact == o.MinExact && z.MaxExact == o.MaxExact &&
		CompareValues(z.Min, o.Min) == 0 && CompareValues(z.Max, o.Max) == 0)
}
