package kernels

import (
	"fmt"
	"math"
)

// CopySlack is the room that CopyFields wants behind the bytes it places.
const CopySlack = 32

// CopyFields places the bytes of column col one after the other in dst, from offsets[0]
// on, and stores where each ends: field r becomes dst[offsets[r]:offsets[r+1]].
//
// There are len(offsets)-1 records. b, seps, stride, col and trim are those of
// ParseInt64Column. A record's bit in null is set if its field is empty, which takes no
// bytes; the words that belong to the records are overwritten, with zeros past the last.
//
// It returns the number of records placed: all, or the index of the first one whose
// field is no range of b, has no room, or would end past 2**31-1. A field has room if
// dst holds CopySlack bytes more behind it. offsets behind the record returned, its null
// bit and the ones behind it are then arbitrary, and so are up to CopySlack bytes of dst
// behind the last byte placed in every case: short fields are copied by whole registers.
// The caller makes room and calls again with the records left, or sizes dst before by the
// fields' total length plus CopySlack.
//
// It panics if offsets is empty, offsets[0] is negative, or null, stride, col or seps are
// as ParseInt64Column refuses them. dst must not overlap b.
func CopyFields(dst []byte, offsets []int32, null []uint64, b []byte, seps []uint32, stride, col int, trim uint32) int {
	if len(offsets) == 0 || offsets[0] < 0 {
		panic(fmt.Sprintf("kernels: CopyFields: %d offsets, none to start at", len(offsets)))
	}
	n := len(offsets) - 1
	if !checkColumn(n, len(null), len(null), len(seps), stride, col) {
		return 0
	}
	clear(null[:(n+63)/64])
	return copyFields(dst, offsets, null, b, seps[col:], stride, trim)
}

// copyRoom returns where the last byte that CopyFields places in dst may end.
func copyRoom(dst []byte) int { return min(len(dst)-CopySlack, math.MaxInt32) }

// copyFieldsGo is CopyFields from record from to record to, without assembly. The null
// bits are zero before. seps starts at the first separator of the column.
func copyFieldsGo(dst []byte, offsets []int32, from, to int, null []uint64, b []byte, seps []uint32, stride int, trim uint32) int {
	at, room := int(offsets[from]), copyRoom(dst)
	for r := from; r < to; r++ {
		start, end := int(seps[r*stride]+1), int(seps[r*stride+1]-trim)
		length := end - start
		if length < 0 || end > len(b) || at+length > room {
			return r
		}
		if length <= 16 && start+16 <= len(b) {
			*(*[16]byte)(dst[at:]) = *(*[16]byte)(b[start:])
		} else {
			copy(dst[at:], b[start:end])
		}
		at += length
		offsets[r+1] = int32(at)
		null[uint(r)/64] |= (uint64(length) - 1) >> 63 << (uint(r) % 64)
	}
	return to
}

// copyFieldsRef is the definition of CopyFields. seps starts at the first separator of
// the column.
func copyFieldsRef(dst []byte, offsets []int32, null []uint64, b []byte, seps []uint32, stride int, trim uint32) int {
	clear(null[:(len(offsets)+62)/64])
	for r := range offsets[1:] {
		start, end := seps[r*stride]+1, seps[r*stride+1]-trim
		if start > end || uint64(end) > uint64(len(b)) {
			return r
		}
		to := int(offsets[r]) + int(end-start)
		if to > math.MaxInt32 || to+CopySlack > len(dst) {
			return r
		}
		if start == end {
			null[r/64] |= 1 << (r % 64)
		}
		copy(dst[offsets[r]:], b[start:end])
		offsets[r+1] = int32(to)
	}
	return len(offsets) - 1
}
