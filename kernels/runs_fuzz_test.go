package kernels

import (
	"encoding/binary"
	"testing"
)

// wordsOf returns the words that the bytes of data hold.
func wordsOf(data []byte) []uint64 {
	words := make([]uint64, len(data)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return words
}

// FuzzRuns compares every bitmap kernel with its definition at every level. Bytes are
// repeated, since only long equal stretches reach the vector blocks.
func FuzzRuns(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1}, uint8(9), uint16(3), uint16(500))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255}, uint8(40), uint16(64), uint16(2048))
	f.Fuzz(func(t *testing.T, data []byte, repeat uint8, from, rows uint16) {
		if len(data) > 256 {
			return
		}
		var bitmap []uint64
		for _, w := range wordsOf(data) {
			for range repeat {
				bitmap = append(bitmap, w)
			}
		}
		n := min(int(rows), 64*len(bitmap))
		at := int(from)
		for _, l := range Levels() {
			undo := SetLevelForTest(l)
			if got, want := LeadingZeros(bitmap, at, n), leadingZerosRef(bitmap, at, n); got != want {
				t.Errorf("%v: LeadingZeros %d, want %d", l, got, want)
			}
			if got, want := LeadingOnes(bitmap, at, n), leadingOnesRef(bitmap, at, n); got != want {
				t.Errorf("%v: LeadingOnes %d, want %d", l, got, want)
			}
			start, length := NextRun(bitmap, at, n)
			if s, c := nextRunRef(bitmap, at, n); s != start || c != length {
				t.Errorf("%v: NextRun %d, %d; want %d, %d", l, start, length, s, c)
			}
			start, length = LongestRun(bitmap, n)
			if s, c := longestRunRef(bitmap, n); s != start || c != length {
				t.Errorf("%v: LongestRun %d, %d; want %d, %d", l, start, length, s, c)
			}
			want := 0
			for i := range n {
				want += int(bitmap[i/64] >> (i % 64) & 1)
			}
			if got := PopCount(bitmap, n); got != want {
				t.Errorf("%v: PopCount %d, want %d", l, got, want)
			}
			undo()
		}
	})
}
