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
// 19 of them behind leading zeros, and an exponent if exponents says so. f is not empty.
func scanNumber(f []byte, exponents bool) (m uint64, exp int, neg, ok bool) {
	if len(f) > maxNumberLength {
		return 0, 0, false, false
	}
	i := 0
	if isSign(f[0]) {
		neg = f[0] == '-'
		i = 1
	}
	first := i
	for ; i < len(f) && isDigit(f[i]); i++ {
		m = m*10 + uint64(f[i]-'0')
	}
	digits := i - first
	if i < len(f) && f[i] == '.' {
		i++
		point := i
		for i+8 <= len(f) {
			v, all := eightDigits(f[i:], 8)
			if !all {
				break
			}
			m = m*1e8 + uint64(v)
			i += 8
		}
		for ; i < len(f) && isDigit(f[i]); i++ {
			m = m*10 + uint64(f[i]-'0')
		}
		exp = point - i
		digits -= exp
	}
	if digits == 0 || digits > 19 && significant(f[first:]) > 19 {
		return 0, 0, false, false
	}
	if i < len(f) {
		if !exponents || f[i]|0x20 != 'e' {
			return 0, 0, false, false
		}
		e, valid := scanExponent(f[i+1:])
		if !valid {
			return 0, 0, false, false
		}
		exp += e
	}
	return m, exp, neg, true
}

// scanExponent reads the sign and the one to three digits behind an 'e'.
func scanExponent(f []byte) (e int, ok bool) {
	down := len(f) > 0 && f[0] == '-'
	if len(f) > 0 && isSign(f[0]) {
		f = f[1:]
	}
	if len(f) == 0 || len(f) > 3 {
		return 0, false
	}
	for _, c := range f {
		if !isDigit(c) {
			return 0, false
		}
		e = 10*e + int(c-'0')
	}
	if down {
		e = -e
	}
	return e, true
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
