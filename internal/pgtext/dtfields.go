package pgtext

import (
	"math"
	"strconv"
	"unsafe"
)

// validTime reports whether the time of day is at most 24:00:00, each part within its
// own range.
func (d *decoder) validTime() bool {
	return d.hour <= 24 && d.min <= 59 && d.sec <= 60 && d.timeOfDay() <= usPerDay
}

func (d *decoder) applyMeridiem() Status {
	switch {
	case d.meridiem == meridiemNone:
	case d.hour > 12:
		return FieldRange
	case d.meridiem == meridiemAM && d.hour == 12:
		d.hour = 0
	case d.meridiem == meridiemPM && d.hour != 12:
		d.hour += 12
	}
	return OK
}

// validDate makes the year astronomical, resolves a day of year, and checks that the day
// exists. A month or day that can never be is FieldRangeOrder, as the fields may have
// been meant in another order.
func (d *decoder) validDate() Status {
	if d.seen&partYear != 0 && !d.julian {
		switch {
		case d.bc:
			if d.year <= 0 {
				return FieldRange
			}
			d.year = 1 - d.year
		case d.twoDigit:
			if d.year < 70 {
				d.year += 2000
			} else if d.year < 100 {
				d.year += 1900
			}
		case d.year <= 0:
			return FieldRange
		}
	}
	if d.seen&partYearDay != 0 {
		if !validYear(d.year, 1) {
			d.month, d.day = 1, 1 // out of range whatever the day
		} else {
			d.year, d.month, d.day = civilFromDays(daysFromCivil(d.year, 1, 1) + d.yearDay - 1)
		}
	}
	if d.seen&partMonth != 0 && uint(d.month-1) >= 12 {
		return FieldRangeOrder
	}
	if d.seen&partDay != 0 && uint(d.day-1) >= 31 {
		return FieldRangeOrder
	}
	if d.seen&partDate == partDate && d.day > monthDays(d.year, d.month) {
		return FieldRange
	}
	return OK
}

// validYear reports whether a month is in the range of Julian days, give or take days.
func validYear(year, month int) bool {
	return (year > -4713 || year == -4713 && month >= 11) &&
		(year < 5874898 || year == 5874898 && month < 6)
}

// days returns the date as days since 1970-01-01; ok is false out of range.
func (f *fields) days() (days int, ok bool) {
	if !validYear(f.year, f.month) {
		return 0, false
	}
	days = daysFromCivil(f.year, f.month, f.day)
	return days, days >= MinDate && days <= MaxDate
}

func (f *fields) timeOfDay() int64 {
	return int64((f.hour*60+f.min)*60+f.sec)*usPerSecond + int64(f.micros)
}

// localMicros returns the timestamp without regard to a zone, not checked against
// MinTimestamp, or the infinity that the text is.
func (f *fields) localMicros() (int64, Status) {
	switch f.word {
	case wordEpoch:
		return 0, OK
	case wordInfinity:
		return TimestampInfinity, OK
	case wordNegInfinity:
		return TimestampNegInfinity, OK
	}
	if !validYear(f.year, f.month) {
		return 0, Range
	}
	const lastDay = (math.MaxInt64 - 1) / usPerDay
	days := daysFromCivil(f.year, f.month, f.day)
	tod := f.timeOfDay()
	if days > lastDay || int64(days)*usPerDay > math.MaxInt64-1-tod {
		return 0, Range
	}
	return int64(days)*usPerDay + tod, OK
}

func (f *fields) timestamp() (int64, Status) {
	us, st := f.localMicros()
	if st == OK && us < MinTimestamp && f.word == wordNone {
		return 0, Range
	}
	return us, st
}

// leadingInt returns the number that text starts with and its length; it stops at
// math.MaxInt64.
func leadingInt(text []byte) (v int64, n int) {
	for n < len(text) && isDigit(text[n]) {
		if v > (math.MaxInt64-9)/10 {
			v = math.MaxInt64
		} else {
			v = v*10 + int64(text[n]-'0')
		}
		n++
	}
	return v, n
}

func pair(text []byte) int { return int(text[0]-'0')*10 + int(text[1]-'0') }

func indexByte(text []byte, c byte) int {
	for i := range text {
		if text[i] == c {
			return i
		}
	}
	return -1
}

// fraction reads a point and digits, nothing else, as a number below 1. Digits may be
// missing.
func fraction(text []byte) (f float64, ok bool) {
	v, n := leadingInt(text[1:])
	switch {
	case n != len(text)-1:
		return 0, false
	case n <= 15:
		return float64(v) / exactPow10[n], true
	}
	f, err := strconv.ParseFloat(unsafe.String(&text[0], len(text)), 64)
	return f, err == nil
}

func (d *decoder) fractionMicros(text []byte) Status {
	f, ok := fraction(text)
	if !ok {
		return Syntax
	}
	d.micros = int(math.RoundToEven(f * usPerSecond))
	return OK
}
