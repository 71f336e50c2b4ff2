package kernels

import "fmt"

// ParseBoolColumn parses column col of n records into bits: bit r of dst is record r's.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; its bit is 0) or a value. A value is one of t, true, 1,
// f, false, 0, in lower case. Anything else is slow.
//
// The (n+63)/64 words of dst, null and slow that belong to the records are overwritten,
// with zeros past bit n-1. It panics if n is negative or dst has fewer words, and on
// misuse as ParseInt64Column does; no content of b or seps makes it panic or read outside
// b. The result is the same at every Level; boolRef is the definition.
func ParseBoolColumn(dst []uint64, n int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if n < 0 || len(dst) < (n+63)/64 {
		panic(fmt.Sprintf("kernels: bool column: %d words for %d records", len(dst), n))
	}
	if !checkColumn(n, len(null), len(slow), len(seps), stride, col) {
		return
	}
	parseBoolColumn(dst, n, null, slow, b, seps[col:], stride, trim)
}

// parseBoolColumnGo is ParseBoolColumn without assembly. seps starts at the first
// separator of the column.
func parseBoolColumnGo(dst []uint64, n int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	var values, nulls, slows uint64
	for r := range n {
		start, end := seps[r*stride]+1, seps[r*stride+1]-trim
		slot := uint64(boolSlow)
		if start <= end && uint64(end) <= uint64(len(b)) {
			slot = boolSlot(b, uint(start), uint(end-start))
		}
		word, bit := uint(r)/64, uint(r)%64
		nulls |= slot & boolNull << bit
		slows |= slot & boolSlow / boolSlow << bit
		values |= slot / boolTrue << bit
		if bit == 63 || r == n-1 {
			dst[word], null[word], slow[word] = values, nulls, slows
			values, nulls, slows = 0, 0, 0
		}
	}
}

// What a field of a bool column is.
const (
	boolNull  = 1
	boolSlow  = 2
	boolTrue  = 4
	boolFalse = 0
)

// boolSlot returns what the length bytes of b from start on are; they lie inside b.
func boolSlot(b []byte, start, length uint) uint64 {
	if length > 5 {
		return boolSlow
	}
	var w uint64
	if start+8 <= uint(len(b)) {
		w = load8(b[start:]) & (1<<(8*length&63) - 1)
	} else {
		for i, c := range b[start : start+length] {
			w |= uint64(c) << (8 * i)
		}
	}
	// The length makes a word of its bytes and a zero byte different.
	w |= uint64(length) << 56
	if k := &boolWords[w*boolHash>>61]; k[0] == w {
		return k[1]
	}
	return boolSlow
}

// boolHash sends every word of boolWords to a place of its own.
const boolHash = 0xcd613e30d8f16adf

// boolWords has, at the place that boolHash gives it, each field that is a value or null,
// as a word of its bytes and its length, and what it is. An empty place is slow.
var boolWords = [8][2]uint64{
	0: {0, boolNull},
	1: {1<<56 | '1', boolTrue},
	2: {0, boolSlow},
	3: {1<<56 | '0', boolFalse},
	4: {4<<56 | 'e'<<24 | 'u'<<16 | 'r'<<8 | 't', boolTrue},
	5: {1<<56 | 'f', boolFalse},
	6: {5<<56 | 'e'<<32 | 's'<<24 | 'l'<<16 | 'a'<<8 | 'f', boolFalse},
	7: {1<<56 | 't', boolTrue},
}
