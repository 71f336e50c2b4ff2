package columnar

import (
	"math/bits"
	"slices"

	"github.com/ingotdb/ingot/visibility"
)

// keySpan is a range of keys whose rows ascend with them: those of one fragment, or, if
// no key of the range is missing, of any number of neighbours.
type keySpan struct {
	min, max int64
	first    uint64 // id of the row with key min
	col      *chunk // the keys; nil if the row of key x is first + x - min
	frag     *fragment
	scale    float64 // rows per key
}

// keySpans are the spans of a table whose integer key ascends in every fragment, ascending
// themselves. Spans that look alike are found through a table of prefixes of the key.
type keySpans struct {
	spans   []keySpan
	buckets []int32 // for each (x - spans[0].min) >> shift the first span that ends at or behind its first key
	shift   uint
	width   int // bytes of a key
}

// newKeySpans returns the spans of t; nil if it needs an index.
func newKeySpans(t *Table, key *Column) *keySpans {
	ks := &keySpans{width: key.Type.Width()}
	ok := true
	t.pieces(func(first visibility.RowID, p piece) {
		if !ok || p.from != 0 || len(p.frag.chunks) == 0 { // without chunks: all its rows are dead
			return
		}
		k := p.frag.find(key.ID)
		if k == nil || !k.zone.HasBounds || !k.zone.Ascending {
			ok = k != nil && k.zone.Nulls == p.frag.rows
			return
		}
		s := keySpan{min: k.zone.Min.I, max: k.zone.Max.I, first: uint64(first), col: k, frag: p.frag}
		if gap := uint64(s.max) - uint64(s.min); gap == uint64(p.frag.rows-1) {
			s.col, s.frag = nil, nil
		} else {
			s.scale = float64(p.frag.rows-1) / float64(gap)
		}
		ks.spans = append(ks.spans, s)
	})
	if !ok {
		return nil
	}
	less := func(a, b keySpan) int {
		if a.min < b.min {
			return -1
		}
		return b2i(a.min > b.min)
	}
	if !slices.IsSortedFunc(ks.spans, less) {
		slices.SortFunc(ks.spans, less)
	}
	out := ks.spans[:0]
	for _, s := range ks.spans {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if s.min <= last.max {
				return nil
			}
			if last.col == nil && s.col == nil && s.min == last.max+1 && s.first-last.first == uint64(s.min)-uint64(last.min) {
				last.max = s.max
				continue
			}
		}
		out = append(out, s)
	}
	ks.spans = out
	ks.index()
	return ks
}

// index makes the table of prefixes.
func (ks *keySpans) index() {
	n := len(ks.spans)
	if n < 2 {
		return
	}
	width := uint64(ks.spans[n-1].max) - uint64(ks.spans[0].min)
	ks.shift = uint(max(0, bits.Len64(width)-bits.Len(uint(2*n))))
	ks.buckets = make([]int32, width>>ks.shift+1)
	at := 0
	for b := range ks.buckets {
		for uint64(ks.spans[at].max)-uint64(ks.spans[0].min) < uint64(b)<<ks.shift {
			at++
		}
		ks.buckets[b] = int32(at)
	}
}

// span returns the position of the span that x can be in; x is not below the first
// span's minimum, nor above the last one's maximum.
func (ks *keySpans) span(x int64) int {
	if ks.buckets == nil {
		return 0
	}
	b := (uint64(x) - uint64(ks.spans[0].min)) >> ks.shift
	lo, hi := int(ks.buckets[b]), len(ks.spans)-1
	if b+1 < uint64(len(ks.buckets)) {
		hi = int(ks.buckets[b+1])
	}
	for lo < hi {
		if m := (lo + hi) >> 1; ks.spans[m].max < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// find looks up rows of keys from a row on.
func (ks *keySpans) find(keys *Vec, from int, out []visibility.RowID, k *Keys, s *findScratch) (missing int, err error) {
	xs := s.ints[:len(out)]
	switch keys.typ.Width() {
	case 2:
		widen(xs, keys.Int16s()[from:])
	case 4:
		widen(xs, keys.Int32s()[from:])
	default:
		widen(xs, keys.Int64s()[from:])
	}
	if len(ks.spans) == 0 {
		for i := range out {
			out[i] = NoRow
		}
		return len(out), nil
	}
	if len(ks.spans) == 1 && ks.spans[0].col == nil {
		ks.spans[0].findDense(xs, out)
	} else if err := ks.findSparse(xs, out, s); err != nil {
		return 0, err
	}
	if keys.valid != nil {
		for i := range out {
			if keys.IsNull(from + i) {
				out[i] = NoRow
			}
		}
	}
	for i, id := range out {
		if id == NoRow {
			missing++
		} else if !k.clean && !k.table.vis.Visible(id) {
			out[i] = NoRow
			missing++
		}
	}
	return missing, nil
}

// widen stores v in dst. v has at least the rows of dst.
func widen[T int16 | int32 | int64](dst []int64, v []T) {
	v = v[:len(dst)]
	for i, x := range v {
		dst[i] = int64(x)
	}
}

// findDense looks keys up in a span without gaps: no row needs to be looked at.
func (s *keySpan) findDense(xs []int64, out []visibility.RowID) {
	out = out[:len(xs)]
	n := uint64(s.max) - uint64(s.min)
	for i, x := range xs {
		id := NoRow
		if at := uint64(x) - uint64(s.min); at <= n {
			id = visibility.RowID(s.first + at)
		}
		out[i] = id
	}
}

// findSparse looks keys up in any spans: where the key would be if keys had one distance
// is looked at first, for all keys, so that many cache misses are under way at a time.
func (ks *keySpans) findSparse(xs []int64, out []visibility.RowID, s *findScratch) error {
	first, last := ks.spans[0].min, ks.spans[len(ks.spans)-1].max
	n := 0 // keys whose row has to be searched
	var open *chunk
	var vec *Vec
	for i, x := range xs {
		if out[i] = NoRow; x < first || x > last {
			continue
		}
		sp := &ks.spans[ks.span(x)]
		if x < sp.min {
			continue
		}
		if sp.col == nil {
			out[i] = visibility.RowID(sp.first + uint64(x) - uint64(sp.min))
			continue
		}
		if sp.col != open {
			v, err := sp.frag.open(sp.col)
			if err != nil {
				return err
			}
			open, vec = sp.col, v
		}
		s.left[n], s.vec[n], s.id[n] = int32(i), vec, sp.first
		s.slot[n] = uint64(min(int(float64(uint64(x)-uint64(sp.min))*sp.scale), vec.n-1))
		n++
	}
	sink, width := uint64(0), ks.width
	for j, v := range s.vec[:n] {
		sink += uint64(v.fixed[int(s.slot[j])*width])
	}
	s.sink += sink
	for j, v := range s.vec[:n] {
		i := s.left[j]
		if row := v.searchFrom(int(s.slot[j]), xs[i]); row >= 0 {
			out[i] = visibility.RowID(s.id[j] + uint64(row))
		}
	}
	return nil
}

// searchFrom returns the row of an ascending column that holds x, or -1. It looks at
// guess first and then ever further away, so that a good guess costs little and a bad
// one twice a binary search.
func (v *Vec) searchFrom(guess int, x int64) int {
	switch v.typ.Width() {
	case 2:
		return gallop(v.Int16s(), guess, x)
	case 4:
		return gallop(v.Int32s(), guess, x)
	}
	return gallop(v.Int64s(), guess, x)
}

func gallop[T int16 | int32 | int64](v []T, at int, x int64) int {
	lo, hi := 0, len(v) // the row is in [lo, hi)
	switch y := int64(v[at]); {
	case y == x:
		return at
	case y < x:
		lo = at + 1
		for d := 1; ; d <<= 1 {
			p := at + d
			if p >= len(v) {
				break
			}
			if int64(v[p]) >= x {
				hi = p + 1
				break
			}
			lo = p + 1
		}
	default:
		hi = at
		for d := 1; ; d <<= 1 {
			p := at - d
			if p < 0 {
				break
			}
			if int64(v[p]) <= x {
				lo = p
				break
			}
			hi = p
		}
	}
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if int64(v[m]) < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(v) && int64(v[lo]) == x {
		return lo
	}
	return -1
}
