package kernels

// timestampRef returns the microseconds since 1970-01-01 00:00:00 of field and true if it
// is a timestamp as ParseTimestampColumn takes it. It is the definition of that.
func timestampRef(field []byte) (int64, bool) {
	if len(field) < 19 || field[10] != ' ' && field[10] != 'T' || field[13] != ':' || field[16] != ':' {
		return 0, false
	}
	days, ok := dateRef(field[:10])
	hour, ok1 := digitsRef(field[11:13])
	minute, ok2 := digitsRef(field[14:16])
	second, ok3 := digitsRef(field[17:19])
	if !ok || !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	micros := 0
	if rest := field[19:]; len(rest) > 0 {
		digits := rest[1:]
		if rest[0] != '.' || len(digits) == 0 || len(digits) > 6 {
			return 0, false
		}
		micros, ok = digitsRef(digits)
		if !ok {
			return 0, false
		}
		for range 6 - len(digits) {
			micros *= 10
		}
	}
	seconds := int64(days)*86400 + int64(hour*3600+minute*60+second)
	return seconds*1e6 + int64(micros), true
}

// timestampTZRef is timestampRef for a timestamp with an offset, or without one if bare.
// It is the definition of ParseTimestampTZColumn.
func timestampTZRef(field []byte, bare bool) (int64, bool) {
	i := min(10, len(field))
	for i < len(field) && field[i] != 'Z' && !isSign(field[i]) {
		i++
	}
	us, ok := timestampRef(field[:i])
	offset := field[i:]
	switch {
	case !ok:
		return 0, false
	case len(offset) == 0:
		if !bare {
			return 0, false
		}
		return us, true
	case offset[0] == 'Z':
		if len(offset) != 1 {
			return 0, false
		}
		return us, true
	}
	sign, digits := offset[0], offset[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = []byte{digits[0], digits[1], digits[3], digits[4]}
	}
	if len(digits) != 2 && len(digits) != 4 {
		return 0, false
	}
	hours, ok1 := digitsRef(digits[:2])
	minutes, ok2 := digitsRef(digits[2:])
	if !ok1 || !ok2 || hours > maxOffsetHours || minutes > 59 {
		return 0, false
	}
	shift := int64(hours*60+minutes) * 60e6
	if sign == '-' {
		shift = -shift
	}
	return us - shift, true
}
