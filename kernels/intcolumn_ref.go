package kernels

// parseIntColumnRef is the definition of the integer column kernels: of ParseInt64Column
// with digits 18, ParseInt32Column with 10, ParseInt16Column with 5. seps starts at the
// first separator of the column.
func parseIntColumnRef[T int16 | int32 | int64](dst []T, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32, digits int) {
	words := (len(dst) + 63) / 64
	clear(null[:words])
	clear(slow[:words])
	for r := range dst {
		dst[r] = 0
		start, end := seps[r*stride]+1, seps[r*stride+1]-trim
		if start > end || uint64(end) > uint64(len(b)) {
			slow[r/64] |= 1 << (r % 64)
			continue
		}
		if start == end {
			null[r/64] |= 1 << (r % 64)
			continue
		}
		v, ok := parseIntRef(b[start:end], digits)
		if !ok || int64(T(v)) != v {
			slow[r/64] |= 1 << (r % 64)
			continue
		}
		dst[r] = T(v)
	}
}

// parseIntRef returns the value of field and true if it is an optional sign and then 1 to
// digits decimal digits, where digits is at most 18.
func parseIntRef(field []byte, digits int) (int64, bool) {
	neg := field[0] == '-'
	if neg || field[0] == '+' {
		field = field[1:]
	}
	if len(field) == 0 || len(field) > digits {
		return 0, false
	}
	v := int64(0)
	for _, c := range field {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int64(c-'0')
	}
	if neg {
		v = -v
	}
	return v, true
}
