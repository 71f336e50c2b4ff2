package kernels

//go:generate go run ./internal/genpowers floatpowers.go

// maxNumberLength is the longest text of a number that scanNumbers takes.
const maxNumberLength = 32

// numberScan is what scanNumbers finds in the fields of up to 64 records. Bit r of a word
// is record r's; bits past the records are zero.
type numberScan struct {
	// The value of record r is mantissa[r] * 10**exponent[r], negative if its bit is set
	// in neg. In a null or slow record all three are 0.
	mantissa [64]uint64
	exponent [64]int32

	neg, null, slow uint64
}

// scanNumbersGo is scanNumbers without assembly.
func scanNumbersGo(s *numberScan, n int, b []byte, seps []uint32, stride int, trim uint32, exponents bool) {
	s.neg = 0
	clear(s.mantissa[:n])
	clear(s.exponent[:n])
	var null, slow [1]uint64
	parseColumn(0, n, null[:], slow[:], b, seps, stride, trim, func(r int, field []byte) bool {
		m, exp, neg, ok := scanNumber(field, exponents)
		if !ok {
			return false
		}
		s.mantissa[r], s.exponent[r] = m, int32(exp)
		if neg {
			s.neg |= 1 << r
		}
		return true
	})
	s.null, s.slow = null[0], slow[0]
}

// scanNumber reads a number of at most 32 bytes: a sign, digits around a point, at most
// 19 of them behind leading zeros, and an exponent if exponents says so.
func scanNumber(f []byte, exponents bool) (m uint64, exp int, neg, ok bool) {
	if len(f) == 0 || len(f) > maxNumberLength {
		return 0, 0, false, false
	}
	if isSign(f[0]) {
		neg = f[0] == '-'
		f = f[1:]
	}
	first := f
	m, f = scanDigits(m, f)
	digits := len(first) - len(f)
	if len(f) > 0 && f[0] == '.' {
		f = f[1:]
		n := len(f)
		m, f = scanDigits(m, f)
		exp = len(f) - n
		digits -= exp
	}
	if digits == 0 || digits > 19 && significant(first) > 19 {
		return 0, 0, false, false
	}
	if len(f) > 0 {
		if !exponents || f[0]|0x20 != 'e' {
			return 0, 0, false, false
		}
		f = f[1:]
		down := len(f) > 0 && f[0] == '-'
		if len(f) > 0 && isSign(f[0]) {
			f = f[1:]
		}
		if len(f) == 0 || len(f) > 3 {
			return 0, 0, false, false
		}
		e := 0
		for _, c := range f {
			if !isDigit(c) {
				return 0, 0, false, false
			}
			e = 10*e + int(c-'0')
		}
		if down {
			e = -e
		}
		exp += e
	}
	return m, exp, neg, true
}

// scanDigits appends the digits that f starts with to the number m and returns what
// follows them.
func scanDigits(m uint64, f []byte) (uint64, []byte) {
	for len(f) >= 8 {
		v, ok := eightDigits(f, 8)
		if !ok {
			break
		}
		m = m*1e8 + uint64(v)
		f = f[8:]
	}
	for len(f) > 0 && isDigit(f[0]) {
		m = m*10 + uint64(f[0]-'0')
		f = f[1:]
	}
	return m, f
}

// significant returns the number of digits of f before anything but a digit or a point,
// without leading zeros.
func significant(f []byte) int {
	n := 0
	for _, c := range f {
		if c == '.' {
			continue
		}
		if !isDigit(c) {
			break
		}
		if n > 0 || c != '0' {
			n++
		}
	}
	return n
}
