package columnar

import (
	"context"

	"github.com/ingotdb/ingot/visibility"
)

const (
	// foldBytes is what a checkpoint leaves inline, to be written again with the state: less
	// is not worth a file. In the background it is a sixteenth of a log, at least this: the
	// first log is short, and folding what it holds would cost more than carrying it along
	// once.
	foldBytes = 256 << 10
	foldShare = 16

	// vacuumShare is the part of a data file that must be of no use any more before VACUUM
	// writes the rest again: a file goes only as a whole, so less would copy more than it
	// frees.
	vacuumShare = 0.25

	// Fragments below smallBytes and smallRows are merged once there are smallRun of them side
	// by side: they grow by that factor at a time, so a row is written again O(log n) times.
	smallBytes = 1 << 20
	smallRows  = 16384
	smallRun   = 8
)

// Vacuum is a Checkpoint that also gives back the space of deleted rows, of dropped columns
// and of what a transaction took back after it had spilled. A data file of which that is a
// quarter is replaced: stretches of deleted rows become placeholders without bytes, values
// of variable length of other deleted rows become empty, and the file goes with the last
// snapshot that reads it. Row ids never change, so fixed-width values of deleted rows that
// lie between others stay. A vacuum behind another one finds nothing to do.
func (s *Store) Vacuum(ctx context.Context) error {
	return s.compact(ctx, compaction{inline: foldBytes, vacuum: true})
}

// compaction says which fragments are written again.
type compaction struct {
	inline int64 // fragments in memory are, if they have as many bytes together
	vacuum bool  // those are that take more than they need
}

// candidate is a fragment that may be written again.
type candidate struct {
	first   visibility.RowID
	frag    *fragment
	oneOff  bool   // straddles two row groups: it is not merged with others
	live    uint64 // rows that are not deleted
	needs   int64  // bytes it would have if it was written again; of a vacuum only
	rewrite bool
}

// folds returns what is written again and how. Neighbours are merged up to FragmentBytes,
// within a row group.
func (c compaction) folds(tables []*Table) ([]fold, error) {
	all := make([][]candidate, len(tables))
	inline := int64(0)
	for i, t := range tables {
		all[i] = t.candidates()
		for k := range all[i] {
			if f := all[i][k].frag; f.file == nil {
				inline += f.bytes()
			}
		}
	}
	for i, t := range tables {
		for k := range all[i] {
			f := all[i][k].frag
			all[i][k].rewrite = inline >= c.inline && f.file == nil && len(f.chunks) > 0
		}
		t.small(all[i])
	}
	if c.vacuum {
		if err := vacuumable(tables, all); err != nil {
			return nil, err
		}
	}
	var out []fold
	for i, t := range tables {
		out = t.merge(out, all[i])
	}
	return out, nil
}

// candidates returns all fragments of t in order.
func (t *Table) candidates() (out []candidate) {
	t.pieces(func(first visibility.RowID, p piece) {
		if p.from == 0 {
			out = append(out, candidate{first: first, frag: p.frag, oneOff: int(p.rows) != p.frag.rows,
				live: t.vis.LiveIn(first, uint64(p.frag.rows))})
		}
	})
	return out
}

// small marks runs of small neighbours.
func (t *Table) small(all []candidate) {
	begin := 0
	for i := 0; i <= len(all); i++ {
		if i < len(all) && all[i].small() && (i == begin || t.joins(&all[begin], &all[i])) {
			continue
		}
		if i-begin >= smallRun {
			for k := begin; k < i; k++ {
				all[k].rewrite = true
			}
		}
		if begin = i; i < len(all) && !all[i].small() {
			begin++
		}
	}
}

// small reports whether c is a fragment in a data file that is worth merging. Those in
// memory merge as they arrive, and when they are folded.
func (c *candidate) small() bool {
	return c.frag.file != nil && !c.oneOff && c.frag.rows < smallRows && c.frag.bytes() < smallBytes
}

// joins reports whether fragments may become one: they lie in one row group, and either no
// row is left of both or both have the same columns, of those that the table has.
func (t *Table) joins(a, b *candidate) bool {
	if a.oneOff || b.oneOff || a.first.Group() != b.first.Group() || (a.live == 0) != (b.live == 0) {
		return false
	}
	if a.live == 0 {
		return true
	}
	i, k := 0, 0
	for {
		for i < len(a.frag.chunks) && !t.keeps(&a.frag.chunks[i]) {
			i++
		}
		for k < len(b.frag.chunks) && !t.keeps(&b.frag.chunks[k]) {
			k++
		}
		if i == len(a.frag.chunks) || k == len(b.frag.chunks) {
			return i == len(a.frag.chunks) && k == len(b.frag.chunks)
		}
		if x, y := &a.frag.chunks[i], &b.frag.chunks[k]; x.col != y.col || x.typ != y.typ {
			return false
		}
		i, k = i+1, k+1
	}
}

// keeps reports whether the table still has the column of a chunk.
func (t *Table) keeps(k *chunk) bool { return t.schema.position(k.col) >= 0 }

// vacuumable marks what takes more than it needs: the fragments of data files of which
// enough would go, and fragments without a row left, which cost nothing to replace.
func vacuumable(tables []*Table, all [][]candidate) error {
	needs := map[*dataFile]int64{}
	for i, t := range tables {
		for k := range all[i] {
			c := &all[i][k]
			if err := t.measure(c); err != nil {
				return err
			}
			if c.frag.file != nil && !c.rewrite {
				needs[c.frag.file] += c.needs
			}
		}
		for _, r := range t.runs {
			if r.file != nil {
				needs[r.file] += r.bytes()
			}
		}
	}
	for i := range tables {
		for k := range all[i] {
			c := &all[i][k]
			if df := c.frag.file; df != nil {
				held := float64(df.size - dataHeaderBytes)
				c.rewrite = c.rewrite || held-float64(needs[df]) >= vacuumShare*held
			}
			c.rewrite = c.rewrite || c.live == 0
		}
	}
	return nil
}

// measure sets the bytes that a fragment needs.
func (t *Table) measure(c *candidate) error {
	f := c.frag
	if c.live == 0 {
		return nil
	}
	var live []visibility.Run
	var segs []segment
	if c.live < uint64(f.rows) {
		live = t.liveRuns(c.first, f.rows)
		segs = segments(live, uint32(f.rows))
	}
	for i := range f.chunks {
		k := &f.chunks[i]
		switch {
		case !t.keeps(k):
		case segs == nil:
			c.needs += k.loc.size + align(k.loc.outLen)
		default:
			v := &k.vec
			if k.typ.Variable() { // no other values are looked at
				var err error
				if v, err = f.open(k); err != nil {
					return err
				}
			}
			for _, s := range segs {
				if !s.dead {
					c.needs += layoutOf(k.typ, k.zone.Nulls == 0, int(s.to-s.from)).size + align(outLen(k, v, s, live))
				}
			}
		}
	}
	return nil
}

// outLen returns the out-of-line bytes that a segment of chunk k, whose rows are v, has
// once it is written again.
func outLen(k *chunk, v *Vec, s segment, live []visibility.Run) (n int64) {
	if k.typ.Variable() {
		for _, r := range within(live, s.from, s.to) {
			n += int64(v.offs[s.from+r.End()] - v.offs[s.from+r.Start])
		}
		return n
	}
	if k.loc.outLen > 0 {
		n = int64(s.to-s.from+63) / 64 * 8
	}
	return n
}

func (t *Table) liveRuns(first visibility.RowID, rows int) (out []visibility.Run) {
	for r := range t.vis.LiveRuns(first, uint32(rows)) {
		if n := len(out); n > 0 && out[n-1].End() == r.Start { // over the end of a row group
			out[n-1].Length += r.Length
			continue
		}
		out = append(out, r)
	}
	return out
}

// merge appends the folds of the fragments that are written again.
func (t *Table) merge(out []fold, all []candidate) []fold {
	for i := 0; i < len(all); {
		if !all[i].rewrite {
			i++
			continue
		}
		n, size := i+1, all[i].frag.bytes()
		for n < len(all) && all[n].rewrite && t.joins(&all[i], &all[n]) {
			if size += all[n].frag.bytes(); all[i].live > 0 && size > FragmentBytes {
				break
			}
			n++
		}
		// One placeholder is not replaced by another.
		if n > i+1 || len(all[i].frag.chunks) > 0 {
			out = append(out, t.newFold(all[i:n]))
		}
		i = n
	}
	return out
}

func (t *Table) newFold(run []candidate) fold {
	fo := fold{table: t.schema.ID, first: run[0].first}
	for i := range run {
		f := run[i].frag
		f.folding.Store(true)
		fo.old = append(fo.old, f)
		fo.rows += uint32(f.rows)
	}
	fo.live = t.liveRuns(fo.first, int(fo.rows))
	for i := range run[0].frag.chunks {
		if k := &run[0].frag.chunks[i]; t.keeps(k) {
			fo.cols = append(fo.cols, k.col)
		}
	}
	return fo
}
