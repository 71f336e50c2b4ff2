package kernels

import "encoding/binary"

// parseIntColumnGo is the integer column kernel at Generic and NEON: it reads fields by
// their ends, eight bytes at a time, and leaves to parseIntRef what stands too near the
// start of b for that or has more than 16 digits.
func parseIntColumnGo[T int16 | int32 | int64](dst []T, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32, digits int) {
	var nullWord, slowWord uint64
	for r := range dst {
		start, end := seps[r*stride]+1, seps[r*stride+1]-trim
		v, ok := int64(0), false
		switch n := end - start; {
		case start > end || uint64(end) > uint64(len(b)):
		case n == 0:
			nullWord |= 1 << (r % 64)
			ok = true
		case end < 16 || n > 16:
			v, ok = parseIntRef(b[start:end], digits)
		default:
			v, ok = parseIntBefore(b[:end], int(n), digits)
		}
		if !ok || int64(T(v)) != v {
			slowWord |= 1 << (r % 64)
			v = 0
		}
		dst[r] = T(v)
		if r%64 == 63 || r == len(dst)-1 {
			null[r/64], slow[r/64] = nullWord, slowWord
			nullWord, slowWord = 0, 0
		}
	}
}

// parseIntBefore is parseIntRef for the last n bytes of b, where n is 1 to 16 and b has
// at least 16 bytes.
func parseIntBefore(b []byte, n, digits int) (int64, bool) {
	neg := b[len(b)-n] == '-'
	if neg || b[len(b)-n] == '+' {
		n--
	}
	if n == 0 || n > digits {
		return 0, false
	}
	v, ok := eightDigits(b[len(b)-8:], min(n, 8))
	if n > 8 {
		high, highOK := eightDigits(b[len(b)-16:], n-8)
		v, ok = v+100_000_000*high, ok && highOK
	}
	if neg {
		v = -v
	}
	return v, ok
}

// eightDigits returns the value of the last n of the first eight bytes of b and whether
// they are all digits; n is 1 to 8.
func eightDigits(b []byte, n int) (int64, bool) {
	w := (binary.LittleEndian.Uint64(b) ^ swarOnes*'0') & (^uint64(0) << (64 - 8*n))
	// A byte above 9 reaches the high bit by the addition or has it already.
	ok := (w+swarOnes*(0x80-10)|w)&(swarOnes<<7) == 0
	w = w * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	w = w * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	w = w * (10000<<32 + 1) >> 32
	return int64(w), ok
}
