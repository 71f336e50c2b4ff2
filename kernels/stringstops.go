package kernels

import "fmt"

// MarkStringStops sets bit i of dst iff b[i] is what a JSON string does not hold as it
// is: a double quote, a backslash, or a byte below 0x20. ascii reports whether no byte of
// b is above 0x7f.
//
// A line feed is marked too, so behind the start of a string the first mark is its end,
// its first escape, or the place where it is wrong, and never in another line.
//
// The (len(b)+63)/64 words of dst that belong to b are overwritten, with zeros past bit
// len(b)-1, and no others; it panics if dst is shorter. No byte outside b is read at any
// level. Callers bound b to about 64 KiB so the goroutine stays preemptible. The result
// is the same at every Level; markStringStopsRef is the definition.
func MarkStringStops(dst []uint64, b []byte) (ascii bool) {
	words := (len(b) + 63) / 64
	if len(dst) < words {
		panic(fmt.Sprintf("kernels: MarkStringStops: %d words for %d bytes", len(dst), len(b)))
	}
	return markStringStops(dst[:words], b)
}
