package kernels

import "fmt"

// The most digits that each width takes; longer fields are slow. An int64 of 18 digits
// needs no overflow check.
const (
	maxDigits64 = 18
	maxDigits32 = 10
	maxDigits16 = 5
)

// ParseInt64Column parses column col of len(dst) records of a structural index into dst.
//
// seps are positions of separators in b in increasing order, stride of them per record,
// after one that stands before the first field: field (r, col) is
//
//	b[seps[r*stride+col]+1 : seps[r*stride+col+1]-trim]
//
// in uint32 arithmetic, so the first separator may be ^uint32(0) for a block that starts
// with a field. trim is 1 to leave a CR before the record end off the last column, else
// 0. Each record becomes one of three:
//
//   - null, if the field is empty: its bit is set in null, dst is 0;
//   - slow, if the kernel does not take the field: its bit is set in slow, dst is 0, and
//     the caller parses it again, to a value or an error;
//   - a value in dst, if the field is at most one '-' or '+' followed by 1 to 18 decimal
//     digits and nothing else. Leading zeros count as digits.
//
// A field that is no range of b, for whatever seps holds, is slow: no content of seps
// makes the kernel panic or read outside b. So are quotes, blanks, underscores, a sign
// alone and 19 digits.
//
// The (len(dst)+63)/64 words of null and slow that belong to dst are overwritten, with
// zeros past bit len(dst)-1, and no others. If null or slow is shorter, stride is below
// 1, col is not in 0..stride-1, or seps has fewer than len(dst)*stride+1 entries,
// ParseInt64Column panics. Nothing outside b is read at any level. Callers bound b to
// about 64 KiB so the goroutine stays preemptible. The result is the same at every
// Level; parseIntColumnRef is the definition.
func ParseInt64Column(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkIntColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		parseInt64Column(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// ParseInt32Column is ParseInt64Column for up to 10 digits; a number that does not fit
// in 32 bits is slow.
func ParseInt32Column(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkIntColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		parseInt32Column(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// ParseInt16Column is ParseInt64Column for up to 5 digits; a number that does not fit in
// 16 bits is slow.
func ParseInt16Column(dst []int16, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkIntColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		parseInt16Column(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// checkIntColumn panics on misuse of an integer column kernel and reports whether there
// is anything to do.
func checkIntColumn(n, null, slow, seps, stride, col int) bool {
	if stride < 1 || col < 0 || col >= stride {
		panic(fmt.Sprintf("kernels: integer column %d of %d", col, stride))
	}
	if words := (n + 63) / 64; null < words || slow < words {
		panic(fmt.Sprintf("kernels: integer column: %d null and %d slow words for %d records", null, slow, n))
	}
	if seps < 1 || (seps-1)/stride < n {
		panic(fmt.Sprintf("kernels: integer column: %d separators for %d records of %d", seps, n, stride))
	}
	return n > 0
}
