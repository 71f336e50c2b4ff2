package kernels

import "strconv"

// float64Ref returns the value of field and true if it is a number as ParseFloat64Column
// takes it. It is the definition of that.
func float64Ref(field []byte) (float64, bool) { return floatRef(field, 64) }

// float32Ref is the definition of ParseFloat32Column.
func float32Ref(field []byte) (float32, bool) {
	f, ok := floatRef(field, 32)
	return float32(f), ok
}

func floatRef(field []byte, bits int) (float64, bool) {
	zero, ok := numberRef(field, true)
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(field), bits)
	if err != nil || f == 0 && !zero {
		return 0, false
	}
	return f, true
}

// numberRef returns whether field is zero and true if it is a number of at most 32 bytes:
// a sign, digits around a point, at most 19 of them behind leading zeros, and an exponent
// of one to three digits if exponents says so. It is the definition of scanNumbers.
func numberRef(field []byte, exponents bool) (zero, ok bool) {
	i := 0
	next := func(set string) bool {
		for _, c := range []byte(set) {
			if i < len(field) && field[i] == c {
				i++
				return true
			}
		}
		return false
	}
	const digit = "0123456789"
	next("+-")
	digits, significant, point := 0, 0, false
	for i < len(field) {
		if !point && next(".") {
			point = true
			continue
		}
		c := field[i]
		if !next(digit) {
			break
		}
		digits++
		if significant > 0 || c != '0' {
			significant++
		}
	}
	zero = significant == 0
	ok = len(field) <= 32 && digits > 0 && significant <= 19
	if exponents && next("eE") {
		next("+-")
		n := 0
		for next(digit) {
			n++
		}
		ok = ok && n >= 1 && n <= 3
	}
	return zero, ok && i == len(field)
}
