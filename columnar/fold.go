package columnar

import (
	"slices"

	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/visibility"
)

// A fold replaces consecutive fragments of a table by others with the same row ids: one,
// unless stretches of deleted rows are cut out of it.
type fold struct {
	table uint32 // ID
	first visibility.RowID
	rows  uint32
	old   []*fragment
	new   []*fragment      // made by write
	live  []visibility.Run // rows that are not deleted, behind first
	cols  []uint32         // that the new fragments have
}

const (
	// stretchRows is the shortest stretch of deleted rows that is cut out of a fragment. What is
	// in front of it and behind becomes a fragment of its own, which costs a header and a line
	// in the log for each column: some 200 bytes, where as many int2 are 1 KiB.
	stretchRows = 512

	// stretchAlign is what cuts lie on a multiple of, so that bitmaps are copied by words.
	stretchAlign = 64
)

// segment is rows [from, to) of a fold that become a fragment.
type segment struct {
	from, to uint32
	dead     bool // all of them are deleted: the fragment has no chunks
}

// segments returns the fragments that the rows of a fold become.
func segments(live []visibility.Run, rows uint32) (out []segment) {
	done := uint32(0)
	gap := func(from, to uint32) { // deleted rows
		if from > 0 {
			from = (from + stretchAlign - 1) &^ (stretchAlign - 1)
		}
		if to < rows {
			to &^= stretchAlign - 1
		}
		if all := from == 0 && to == rows; !all && (from >= to || to-from < stretchRows) {
			return
		}
		if from > done {
			out = append(out, segment{from: done, to: from})
		}
		out = append(out, segment{from, to, true})
		done = to
	}
	at := uint32(0)
	for _, r := range live {
		gap(at, r.Start)
		at = r.End()
	}
	gap(at, rows)
	if done < rows {
		out = append(out, segment{from: done, to: rows})
	}
	return out
}

// within returns the part of runs that lies in rows [from, to), behind from.
func within(runs []visibility.Run, from, to uint32) (out []visibility.Run) {
	i, _ := slices.BinarySearchFunc(runs, from, func(r visibility.Run, at uint32) int { return int(r.End()) - int(at) - 1 })
	for ; i < len(runs) && runs[i].Start < to; i++ {
		start, end := max(runs[i].Start, from), min(runs[i].End(), to)
		out = append(out, visibility.Run{Start: start - from, Length: end - start})
	}
	return out
}

// whole reports whether runs are all of rows rows.
func whole(runs []visibility.Run, rows uint32) bool {
	return len(runs) == 1 && runs[0].Length == rows
}

// write makes the fold's new fragments and writes those that have chunks.
func (fo *fold) write(w *chunkWriter, df *dataFile) error {
	for _, seg := range segments(fo.live, fo.rows) {
		f := &fragment{rows: int(seg.to - seg.from)}
		fo.new = append(fo.new, f)
		if seg.dead || len(fo.cols) == 0 {
			continue
		}
		if err := fo.fill(f, seg); err != nil {
			return err
		}
		if err := w.allocate(f); err != nil {
			return err
		}
		if err := w.fragment(f); err != nil {
			return err
		}
		f.file = df
		f.unload()
	}
	return nil
}

// fill gives f, in memory, the columns of the rows of a segment.
func (fo *fold) fill(f *fragment, seg segment) error {
	f.chunks = make([]chunk, len(fo.cols))
	for i, col := range fo.cols {
		k := &f.chunks[i]
		k.col = col
		nulls := 0
		var parts []part
		at := uint32(0) // first row of the old fragment
		for _, o := range fo.old {
			from, to := max(at, seg.from), min(at+uint32(o.rows), seg.to)
			if from < to {
				c := o.find(col)
				v, err := o.open(c)
				if err != nil {
					return err
				}
				k.typ = c.typ
				live := within(fo.live, from, to)
				if int(to-from) == o.rows && f.rows == o.rows && whole(live, to-from) {
					k.vec, nulls = *v, c.zone.Nulls
				} else {
					parts = append(parts, part{v.Slice(int(from-at), int(to-from)), live})
				}
			}
			at += uint32(o.rows)
		}
		if parts != nil {
			k.vec, nulls = gather(k.typ, f.rows, parts)
		}
		k.zone = zoneOf(&k.vec, nulls)
	}
	return nil
}

// part is rows of one vector, and which of them are not deleted.
type part struct {
	vec  Vec
	live []visibility.Run
}

// gather returns the n rows of several vectors of one type in new memory, one vector behind
// the other, and how many of them are null. Values of variable length are empty where the
// row is deleted.
func gather(t Type, n int, parts []part) (v Vec, nulls int) {
	v = Vec{typ: t, n: n}
	words := (n + 63) / 64
	scratch := make([]uint64, words)
	for _, p := range parts {
		if p.vec.valid != nil {
			nulls += p.vec.n - kernels.PopCount(p.vec.ValidWords(scratch), p.vec.n)
		}
		if p.vec.nan != nil && v.nan == nil {
			v.nan = make([]uint64, words)
		}
	}
	if nulls > 0 {
		v.valid = make([]uint64, words)
	}
	switch {
	case t.Variable():
		v.offs = make([]int32, 1, n+1)
	case t.Kind == Bool:
		v.bits = make([]uint64, words)
	default:
		v.fixed = alignedBytes(n * t.Width())
	}
	at := 0
	for _, p := range parts {
		s := &p.vec
		putBits(v.valid, at, s.valid, s.off, s.n, true)
		putBits(v.nan, at, s.nan, s.off, s.n, false)
		putBits(v.bits, at, s.bits, s.off, s.n, false)
		if s.offs != nil {
			v.appendLive(s, p.live)
		}
		copy(v.fixed[at*t.Width():], s.fixed)
		at += s.n
	}
	return v, nulls
}

// appendLive appends the values of s to v, those of rows outside of live as empty ones.
func (v *Vec) appendLive(s *Vec, live []visibility.Run) {
	at := 0
	empty := func(to int) {
		for ; at < to; at++ {
			v.offs = append(v.offs, int32(len(v.data)))
		}
	}
	for _, r := range live {
		empty(int(r.Start))
		offs := s.offs[r.Start : r.End()+1]
		shift := int32(len(v.data)) - offs[0]
		for _, o := range offs[1:] {
			v.offs = append(v.offs, o+shift)
		}
		v.data = append(v.data, s.data[offs[0]:offs[len(offs)-1]]...)
		at = int(r.End())
	}
	empty(s.n)
}

// putBits sets bits [at, at+n) of dst, which are 0, to those of src from bit off on; a
// missing src stands for bits that all are absent. A missing dst is left alone.
func putBits(dst []uint64, at int, src []uint64, off, n int, absent bool) {
	if dst != nil && (src != nil || absent) {
		bitmap.Or(dst, at, src, off, n)
	}
}

// fold makes those folds whose old fragments the draft still has where they were.
func (d *draft) fold(folds []fold) {
	byTable := map[uint32]map[visibility.RowID]*fold{}
	for i := range folds {
		fo := &folds[i]
		if byTable[fo.table] == nil {
			byTable[fo.table] = map[visibility.RowID]*fold{}
		}
		byTable[fo.table][fo.first] = fo
	}
	for slot, t := range d.tables {
		if t != nil && byTable[t.schema.ID] != nil {
			d.foldTable(slot, byTable[t.schema.ID])
		}
	}
}

func (d *draft) foldTable(slot int, folds map[visibility.RowID]*fold) {
	old := d.tables[slot]
	var frags []*fragment
	var firsts []visibility.RowID
	old.pieces(func(first visibility.RowID, p piece) {
		if p.from == 0 {
			frags, firsts = append(frags, p.frag), append(firsts, first)
		}
	})
	t := newTable(old.schema, d.store)
	t.runs = old.runs
	for i := 0; i < len(frags); {
		with, n := frags[i:i+1], 1
		if fo := folds[firsts[i]]; fo != nil && fo.at(frags[i:]) {
			with, n = fo.new, len(fo.old)
			d.refer(fo.old, -1)
			d.refer(fo.new, 1)
			if slices.ContainsFunc(with, func(f *fragment) bool { return len(f.chunks) == 0 }) {
				t.runs = unbuilt(old.runs)
			}
		}
		for _, f := range with {
			t = t.grow(f, false)
		}
		i += n
	}
	t.vis, t.keys = old.vis, old.keys
	d.set(slot, t)
}

// refer counts references of fragments to data files.
func (d *draft) refer(frags []*fragment, change int) {
	for _, f := range frags {
		if f.file != nil {
			d.refs[f.file] += change
		}
	}
}

// at reports whether frags starts with the fold's old fragments.
func (fo *fold) at(frags []*fragment) bool {
	return len(frags) >= len(fo.old) && slices.Equal(frags[:len(fo.old)], fo.old)
}
