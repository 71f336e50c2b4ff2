package pgtext

import "time"

// digitPairs holds 00 to 99.
const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

func append2(dst []byte, v int) []byte {
	return append(dst, digitPairs[2*v], digitPairs[2*v+1])
}

// appendYMD appends year, month and day; the year without its era, at least four digits.
func appendYMD(dst []byte, year, month, day int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	if year > 9999 {
		dst = AppendInt(dst, int64(year))
	} else {
		dst = append2(append2(dst, year/100), year%100)
	}
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), day)
}

func appendEra(dst []byte, year int) []byte {
	if year <= 0 {
		return append(dst, " BC"...)
	}
	return dst
}

// AppendDate appends days since 1970-01-01 as YYYY-MM-DD, with BC behind it where due, or
// infinity, -infinity. Days outside Date's range are printed by the same calendar.
func AppendDate(dst []byte, days int32) []byte {
	switch days {
	case DateInfinity:
		return append(dst, "infinity"...)
	case DateNegInfinity:
		return append(dst, "-infinity"...)
	}
	year, month, day := civilFromDays(int(days))
	return appendEra(appendYMD(dst, year, month, day), year)
}

// AppendTime appends microseconds since midnight, 0 to 24 hours, as hh:mm:ss and the
// fraction without trailing zeros.
func AppendTime(dst []byte, us int64) []byte {
	sec := int(uint64(us) / usPerSecond)
	frac := int(uint64(us) % usPerSecond)
	if hour := sec / 3600; hour < 100 {
		dst = append2(dst, hour)
	} else {
		dst = AppendInt(dst, int64(hour)) // not a time, but no reason to panic
	}
	dst = append2(append(dst, ':'), sec/60%60)
	dst = append2(append(dst, ':'), sec%60)
	if frac == 0 {
		return dst
	}
	dst = append(dst, '.')
	dst = append2(append2(append2(dst, frac/10000), frac/100%100), frac%100)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// AppendTimestamp appends microseconds since 1970-01-01 00:00:00 as YYYY-MM-DD hh:mm:ss
// and the fraction, with BC behind it where due, or infinity, -infinity.
func AppendTimestamp(dst []byte, us int64) []byte {
	if dst, ok := appendInfinity(dst, us); ok {
		return dst
	}
	dst, year := appendShifted(dst, us, 0)
	return appendEra(dst, year)
}

// AppendTimestampTZ appends microseconds since 1970-01-01 00:00:00 UTC as AppendTimestamp
// does, as the local time of loc, with the offset (+hh, +hh:mm or +hh:mm:ss) before BC.
func AppendTimestampTZ(dst []byte, us int64, loc *time.Location) []byte {
	if dst, ok := appendInfinity(dst, us); ok {
		return dst
	}
	offset := 0
	if loc != time.UTC {
		_, offset = time.Unix(floorDiv(us, usPerSecond), 0).In(loc).Zone()
	}
	dst, year := appendShifted(dst, us, offset)
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = append2(append(dst, sign), offset/3600)
	if offset%3600 != 0 {
		dst = append2(append(dst, ':'), offset/60%60)
		if offset%60 != 0 {
			dst = append2(append(dst, ':'), offset%60)
		}
	}
	return appendEra(dst, year)
}

func appendInfinity(dst []byte, us int64) ([]byte, bool) {
	switch us {
	case TimestampInfinity:
		return append(dst, "infinity"...), true
	case TimestampNegInfinity:
		return append(dst, "-infinity"...), true
	}
	return dst, false
}

// appendShifted appends date and time of us plus offset seconds and returns the year. The
// sum need not fit in 64 bits.
func appendShifted(dst []byte, us int64, offset int) (out []byte, year int) {
	days := floorDiv(us, usPerDay)
	tod := us - days*usPerDay + int64(offset)*usPerSecond
	if tod < 0 {
		days, tod = days-1, tod+usPerDay
	} else if tod >= usPerDay {
		days, tod = days+1, tod-usPerDay
	}
	year, month, day := civilFromDays(int(days))
	dst = appendYMD(dst, year, month, day)
	return AppendTime(append(dst, ' '), tod), year
}
