package columnar

import (
	"context"
	"slices"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// vacuumShare is the part of a data file's rows that must be dead before VACUUM writes
// the rest again: a file goes only as a whole, so less would copy more than it frees.
const vacuumShare = 0.25

// Vacuum is a Checkpoint that also gives back the space of deleted rows. Files of which
// a quarter of the rows is dead are replaced: fragments without a live row become
// placeholders, the others are written again with dead values blanked. Row ids never
// change. Snapshots keep the old files until they are released.
func (s *Store) Vacuum(ctx context.Context) error {
	return s.compact(ctx, func(tables []*Table) (folds []fold, err error) {
		done := map[*fragment]bool{}
		for _, t := range tables {
			f, err := vacuumFolds(t)
			if err != nil {
				return nil, err
			}
			for i := range f {
				done[f[i].old[0]] = true
			}
			folds = append(folds, f...)
		}
		return append(folds, inlineFolds(tables, foldBytes, done)...), nil
	})
}

// vacuumFolds returns the folds that free the space of t's deleted rows.
func vacuumFolds(t *Table) ([]fold, error) {
	type count struct{ rows, dead int }
	files := map[*dataFile]*count{}
	each := func(fn func(first visibility.RowID, f *fragment)) {
		t.pieces(func(first visibility.RowID, p piece) {
			if p.from == 0 && len(p.frag.chunks) > 0 {
				fn(first, p.frag)
			}
		})
	}
	each(func(first visibility.RowID, f *fragment) {
		if f.file == nil {
			return
		}
		c := files[f.file]
		if c == nil {
			c = &count{}
			files[f.file] = c
		}
		c.rows += f.rows
		c.dead += len(t.deadRows(first, f.rows))
	})
	var folds []fold
	var failed error
	each(func(first visibility.RowID, f *fragment) {
		c := files[f.file] // nil for a fragment in memory, which goes if it is all dead
		if failed != nil || (c != nil && float64(c.dead) < vacuumShare*float64(c.rows)) {
			return
		}
		fo := fold{table: t.schema.ID, first: first, old: []*fragment{f}}
		dead := t.deadRows(first, f.rows)
		if c == nil && len(dead) < f.rows {
			return
		}
		if len(dead) == f.rows {
			fo.new = &fragment{rows: f.rows}
		} else {
			failed = mmap.Guard(func() (err error) {
				fo.new, err = f.blank(dead)
				return err
			})
		}
		folds = append(folds, fo)
	})
	return folds, failed
}

// deadRows returns which of n rows from first on are deleted, as positions.
func (t *Table) deadRows(first visibility.RowID, n int) []int32 {
	var dead []int32
	for i := range n {
		if !t.vis.Visible(first + visibility.RowID(i)) {
			dead = append(dead, int32(i))
		}
	}
	return dead
}

// blank returns a copy of f whose variable-length values are empty in the dead rows.
func (f *fragment) blank(dead []int32) (*fragment, error) {
	c := f.copy()
	for i := range c.chunks {
		v, err := f.open(&f.chunks[i])
		if err != nil {
			return nil, err
		}
		c.chunks[i].vec = *v
		if k := &c.chunks[i]; k.typ.Variable() && len(dead) > 0 {
			k.vec = blankVec(&k.vec, dead)
			k.zone = zoneOf(&k.vec, k.zone.Nulls)
		}
	}
	return c, nil
}

// blankVec returns v with the bytes of the dead rows left out.
func blankVec(v *Vec, dead []int32) Vec {
	out := *v
	out.offs = make([]int32, 1, v.n+1)
	out.data = nil
	for i := range v.n {
		if len(dead) > 0 && int(dead[0]) == i {
			dead = dead[1:]
		} else {
			out.data = append(out.data, v.data[v.offs[i]:v.offs[i+1]]...)
		}
		out.offs = append(out.offs, int32(len(out.data)))
	}
	out.data = slices.Clip(out.data)
	return out
}
