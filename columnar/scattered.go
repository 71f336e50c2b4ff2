package columnar

import (
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// shape says how a scan gives visible rows between which others are deleted.
type shape uint8

const (
	inRuns   shape = iota // a batch for every run
	masked                // a vector with a bitmap, where its runs are short
	gathered              // the rows of a vector side by side, where its runs are short
)

// ScanMasked is Scan for consumers that can leave rows out: where the runs of a vector are
// short, they come as one batch with the bitmap of the visible rows, so that the cost of a
// batch is not paid for every two or three rows. Batch.First + i is the id of row i. No
// batch reaches over the end of a vector, and one with a bitmap begins, where its fragment
// does not begin later, with a row id that is a multiple of 64. Values of deleted rows are
// what was stored, or not defined if a VACUUM took them.
func (t *Table) ScanMasked(ctx context.Context, opt ScanOptions) iter.Seq2[*Batch, error] {
	return t.scan(ctx, scan{opt: opt, shape: masked})
}

// ScanGathered is Scan for consumers that want many rows at once and no row ids: where the
// runs of a vector are short, its visible rows are copied into one batch. They live until
// the scan's next step, as any batch's do.
func (t *Table) ScanGathered(ctx context.Context, opt ScanOptions) iter.Seq2[*Batch, error] {
	return t.scan(ctx, scan{opt: opt, shape: gathered})
}

// A batch costs its consumer about as much as batchCost rows in it do, and copying a row
// about as much as a quarter of a row. That is how it is decided whether the runs of a
// vector are short: whatever lies where, a vector costs no more than one without deleted
// rows and a batch.
const (
	batchCost  = 256
	gatherCost = 4 // rows are copied for the cost of one
)

// gatherBytes is the most bytes of a column that are copied together. Rows that are so
// long that a vector has more are worth a batch each.
const gatherBytes = 1 << 20

// window is rows of one vector that make one batch.
type window struct {
	first, rows uint32
}

// window returns the rest of the vector that run, which is not empty, begins in, up to its
// last visible row before end, and puts the bitmap of the rows into s.mask. It has no
// rows if the runs in it should rather be batches of their own. Rows before run are not
// in the bitmap; they were given before.
func (s *scan) window(vis *visibility.Group, run visibility.Run, at, end uint32) (w window) {
	base := run.Start &^ (visibility.VectorRows - 1)
	stop := min(base+visibility.VectorRows, end)
	if s.opt.BatchRows < visibility.VectorRows {
		stop = min(stop, run.Start+uint32(s.opt.BatchRows))
	}
	if run.End() >= stop {
		return w
	}
	_, deleted := vis.Vector(int(run.Start / visibility.VectorRows)) // some: run ends in it
	if s.shape == masked && s.opt.BatchRows >= visibility.VectorRows {
		w.first = max(run.Start&^63, at)
	} else {
		w.first = run.Start
	}
	w.rows = stop - w.first
	mask := s.mask[:(w.rows+63)/64]
	copyBits(mask, deleted[:], int(w.first-base), int(w.rows))
	for i := range mask {
		mask[i] = ^mask[i]
	}
	mask[0] &^= 1<<(run.Start-w.first) - 1
	if k := w.rows & 63; k != 0 {
		mask[len(mask)-1] &= 1<<k - 1
	}
	live, runs, before := 0, 0, uint64(0)
	for i, x := range mask {
		if x != 0 {
			w.rows = uint32(i*64 + bits.Len64(x))
		}
		live += bits.OnesCount64(x)
		runs += bits.OnesCount64(x &^ (x<<1 | before))
		before = x >> 63
	}
	more := int(w.rows) - live
	if s.shape == gathered {
		more = live / gatherCost
	}
	if (runs-1)*batchCost <= more {
		return window{}
	}
	return w
}

// masked makes the batch rows from to from+n of the open fragment with the bitmap in
// s.mask.
func (s *scan) masked(from, n int) error {
	err := s.slice(from, n)
	s.batch.Visible = s.mask[:(n+63)/64]
	if s.opt.Copy {
		s.batch.Visible = slices.Clone(s.batch.Visible)
	}
	return err
}

// gathered makes the batch those of rows from to from+n of the open fragment that are in
// s.mask; false if their values are too many bytes.
func (s *scan) gathered(from, n int) (ok bool, err error) {
	err = mmap.Guard(func() error {
		for i := range s.vecs {
			if o := s.vecs[i].offs; o != nil && o[from+n]-o[from] > gatherBytes {
				return nil
			}
		}
		ok = true
		s.rows = s.rows[:0]
		for i, x := range s.mask[:(n+63)/64] {
			for ; x != 0; x &= x - 1 {
				s.rows = append(s.rows, int32(from+i<<6+bits.TrailingZeros64(x)))
			}
		}
		if s.packed == nil || s.keep || s.opt.Copy {
			s.packed = make([]Packed, len(s.vecs))
		}
		if s.opt.Copy {
			s.batch.Cols = make([]Vec, len(s.vecs))
		}
		s.batch.Rows, s.batch.Visible, s.batch.lease = len(s.rows), nil, nil
		for i := range s.vecs {
			s.batch.Cols[i] = s.packed[i].Take(&s.vecs[i], s.rows)
		}
		return nil
	})
	if !ok || err != nil {
		return false, err
	}
	return true, s.withKeys()
}

// Packed is memory that rows of a column are copied to, again and again. The zero value is
// ready. It is for one goroutine.
type Packed struct {
	valid, bits, nan []uint64
	fixed            []uint64
	offs             []int32
	data             []byte
}

// Take returns the given rows of v, in their order. They lie in p's memory, where the next
// Take writes. A read of mapped memory belongs inside mmap.Guard, as it does for any Vec.
func (p *Packed) Take(v *Vec, rows []int32) Vec {
	out := Vec{typ: v.typ, n: len(rows)}
	out.valid = gatherBits(&p.valid, v.valid, v.off, rows)
	out.bits = gatherBits(&p.bits, v.bits, v.off, rows)
	out.nan = gatherBits(&p.nan, v.nan, v.off, rows)
	if w := v.typ.Width(); w > 0 {
		n := len(rows) * w
		p.fixed = slices.Grow(p.fixed[:0], (n+7)/8)
		out.fixed = wordsAsBytes(p.fixed[:(n+7)/8])[:n]
		switch w {
		case 2:
			pick(view[int16](out.fixed), view[int16](v.fixed), rows)
		case 4:
			pick(view[int32](out.fixed), view[int32](v.fixed), rows)
		case 8:
			pick(view[int64](out.fixed), view[int64](v.fixed), rows)
		default:
			for i, r := range rows {
				copy(out.fixed[i*w:(i+1)*w], v.fixed[int(r)*w:])
			}
		}
	}
	if v.offs != nil {
		p.offs, p.data = append(slices.Grow(p.offs[:0], len(rows)+1), 0), p.data[:0]
		for _, r := range rows {
			p.data = append(p.data, v.data[v.offs[r]:v.offs[r+1]]...)
			p.offs = append(p.offs, int32(len(p.data)))
		}
		out.offs, out.data = p.offs, p.data
	}
	return out
}

// pick makes dst[i] the value src[rows[i]].
func pick[T any](dst, src []T, rows []int32) {
	for i, r := range rows[:len(dst)] {
		dst[i] = src[r]
	}
}

// gatherBits returns bits off+rows[i] of src in *dst; nil for nil.
func gatherBits(dst *[]uint64, src []uint64, off int, rows []int32) []uint64 {
	if src == nil {
		return nil
	}
	n := (len(rows) + 63) / 64
	*dst = slices.Grow((*dst)[:0], n)
	out := (*dst)[:n]
	clear(out)
	for i, r := range rows {
		at := off + int(r)
		out[i>>6] |= (src[at>>6] >> (at & 63) & 1) << (i & 63)
	}
	return out
}
