package kernels

import (
	"encoding/binary"
	"fmt"
)

// The column kernels other than those for integers share this file: what misuse is, how
// a field is found, and how its three outcomes are recorded. See ParseInt64Column for the
// meaning of seps, stride, col and trim.

// checkColumn panics on misuse of a column kernel for n records and reports whether there
// is anything to do.
func checkColumn(n, null, slow, seps, stride, col int) bool {
	if stride < 1 || col < 0 || col >= stride {
		panic(fmt.Sprintf("kernels: column %d of %d", col, stride))
	}
	if words := (n + 63) / 64; null < words || slow < words {
		panic(fmt.Sprintf("kernels: column: %d null and %d slow words for %d records", null, slow, n))
	}
	if seps < 1 || (seps-1)/stride < n {
		panic(fmt.Sprintf("kernels: column: %d separators for %d records of %d", seps, n, stride))
	}
	return n > 0
}

// parseColumn gives parse the fields of n records, one after the other, and records
// which are null and which are slow: those that parse refuses and those that are no
// range of b. parse is called with r and a field that is not empty and stores its value;
// what belongs to the other records is the caller's to clear before.
//
// With a parse that reads one byte after the other it defines a column kernel; with a
// fast one it is the kernel, at the levels that have no assembly for it. from is the
// first record, a multiple of 64 unless the words of null and slow hold the bits before.
func parseColumn(from, n int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32, parse func(r int, field []byte) bool) {
	for r := from; r < n; r++ {
		word, bit := uint(r)/64, uint(r)%64
		if bit == 0 {
			null[word], slow[word] = 0, 0
		}
		start, end := seps[r*stride]+1, seps[r*stride+1]-trim
		switch {
		case start > end || uint64(end) > uint64(len(b)):
			slow[word] |= 1 << bit
		case start == end:
			null[word] |= 1 << bit
		case !parse(r, b[start:end]):
			slow[word] |= 1 << bit
		}
	}
}

// load8 returns the first eight bytes of b, the first in the lowest bits.
func load8(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// pow10 holds the powers of ten that fit in 64 bits.
var pow10 = [20]uint64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return c-'0' <= 9 }
