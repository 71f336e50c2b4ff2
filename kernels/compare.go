package kernels

import "fmt"

// Op is a comparison of a value (left) with a bound (right).
type Op uint8

// The comparisons.
const (
	Eq Op = iota // =
	Ne           // <>
	Lt           // <
	Le           // <=
	Gt           // >
	Ge           // >=
)

// String returns the SQL spelling of op.
func (op Op) String() string {
	switch op {
	case Eq:
		return "="
	case Ne:
		return "<>"
	case Lt:
		return "<"
	case Le:
		return "<="
	case Gt:
		return ">"
	case Ge:
		return ">="
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

// CompareInt64 sets bit i of dst where v[i] op bound holds.
//
// It overwrites ceil(len(v)/64) words of dst whole, with bits past len(v) clear, and
// panics if dst is shorter or op is none of the six. Words of dst behind those are
// untouched. Nulls are the caller's to mask. compareIntRef is the definition.
func CompareInt64(dst []uint64, v []int64, op Op, bound int64) {
	compareInt64(checkCompare(dst, len(v), op), v, op, bound)
}

// CompareInt32 is CompareInt64 for 32-bit values.
func CompareInt32(dst []uint64, v []int32, op Op, bound int32) {
	compareInt32(checkCompare(dst, len(v), op), v, op, bound)
}

// CompareInt16 is CompareInt64 for 16-bit values.
func CompareInt16(dst []uint64, v []int16, op Op, bound int16) {
	compareInt16(checkCompare(dst, len(v), op), v, op, bound)
}

// CompareFloat64 sets bit i of dst where v[i] op bound holds in PostgreSQL's order: a
// NaN equals a NaN and is greater than everything else, and -0 equals +0.
//
// dst and op are as for CompareInt64; compareFloatRef is the definition.
func CompareFloat64(dst []uint64, v []float64, op Op, bound float64) {
	compareFloat64(checkCompare(dst, len(v), op), v, op, bound)
}

// CompareFloat32 is CompareFloat64 for 32-bit values. It is plain Go at every level.
func CompareFloat32(dst []uint64, v []float32, op Op, bound float32) {
	compareFloatRef(checkCompare(dst, len(v), op), v, op, bound)
}

// CompareColumnsInt sets bit i of dst where a[i] op b[i] holds.
//
// len(b) must be at least len(a), else it panics; dst and op are as for CompareInt64,
// with len(a) values. It is plain Go at every level.
func CompareColumnsInt[T int16 | int32 | int64](dst []uint64, a, b []T, op Op) {
	b = b[:len(a)]
	for k := range checkCompare(dst, len(a), op) {
		from, to := k*wordBits, min(len(a), (k+1)*wordBits)
		var equal, less uint64
		for i, x := range a[from:to] {
			y := b[from+i]
			equal |= bit(x == y) << i
			less |= bit(x < y) << i
		}
		dst[k] = opWord(op, equal, less, to-from)
	}
}

// CompareColumnsFloat sets bit i of dst where a[i] op b[i] holds in the order of
// CompareFloat64.
//
// The arguments are those of CompareColumnsInt. It is plain Go at every level.
func CompareColumnsFloat[T float32 | float64](dst []uint64, a, b []T, op Op) {
	b = b[:len(a)]
	for k := range checkCompare(dst, len(a), op) {
		from, to := k*wordBits, min(len(a), (k+1)*wordBits)
		var equal, less uint64
		for i, x := range a[from:to] {
			y := b[from+i]
			equal |= bit(equalFloat(x, y)) << i
			less |= bit(lessFloat(x, y)) << i
		}
		dst[k] = opWord(op, equal, less, to-from)
	}
}

// checkCompare returns the words of dst that n rows take. It panics if dst is shorter
// or op is unknown.
func checkCompare(dst []uint64, n int, op Op) []uint64 {
	if op > Ge {
		panic(fmt.Sprintf("kernels: compare: unknown operator %v", op))
	}
	checkRows("compare", dst, n)
	return dst[:wordsFor(n)]
}

// opWord returns the rows where op holds, of the n <= 64 rows of a word, from those
// where the left side is equal and where it is less.
func opWord(op Op, equal, less uint64, n int) uint64 {
	var w uint64
	switch op {
	case Eq:
		w = equal
	case Ne:
		w = ^equal
	case Lt:
		w = less
	case Le:
		w = less | equal
	case Gt:
		w = ^(less | equal)
	case Ge:
		w = ^less
	}
	return w & (^uint64(0) >> (wordBits - n))
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
