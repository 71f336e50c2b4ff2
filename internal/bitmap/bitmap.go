// Package bitmap has the loops that move bits between bitmaps of 64-bit words, in which
// bit i is bit i%64 of word i/64. Nothing here allocates or keeps a slice.
package bitmap

// Set sets n bits of dst from bit at on.
func Set(dst []uint64, at, n int) {
	for n > 0 {
		k := min(64-at&63, n)
		dst[at>>6] |= (1<<k - 1) << (at & 63) // 1<<64 is 0, and less one all bits
		at += k
		n -= k
	}
}

// Or sets the bits of dst from bit at on whose counterparts among the n bits of src from
// bit off on are set; a nil src stands for bits that all are, as it does for the validity
// of a column. No other bit of dst changes, and only words that hold one of the bits are
// read or written. dst and src must not share words.
func Or(dst []uint64, at int, src []uint64, off, n int) {
	if src == nil {
		Set(dst, at, n)
		return
	}
	if k := min(-at&63, n); k > 0 { // to the edge of a word of dst
		dst[at>>6] |= load(src, off, k) << (at & 63)
		at += k
		off += k
		n -= k
	}
	whole := dst[at>>6:][:n>>6]
	if shift := off & 63; shift == 0 {
		for i, w := range src[off>>6:][:len(whole)] {
			whole[i] |= w
		}
	} else if len(whole) > 0 {
		from := src[off>>6:][:len(whole)+1]
		low := from[0]
		for i, high := range from[1:] {
			whole[i] |= low>>shift | high<<(64-shift)
			low = high
		}
	}
	if k := n & 63; k > 0 {
		n -= k
		dst[(at+n)>>6] |= load(src, off+n, k)
	}
}

// load returns n bits of src from bit off on, between 1 and 64 of them.
func load(src []uint64, off, n int) uint64 {
	w := src[off>>6] >> (off & 63)
	if have := 64 - off&63; have < n {
		w |= src[off>>6+1] << have
	}
	return w & (1<<n - 1)
}
