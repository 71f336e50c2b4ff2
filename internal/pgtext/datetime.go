package pgtext

import (
	"math"
	"time"
)

// The infinities of a date and of a timestamp. No finite value equals one.
const (
	DateInfinity         = math.MaxInt32
	DateNegInfinity      = math.MinInt32
	TimestampInfinity    = math.MaxInt64
	TimestampNegInfinity = math.MinInt64
)

// Date reads a date as days since 1970-01-01, or DateInfinity or DateNegInfinity.
//
// It takes what PostgreSQL takes with DateStyle ISO, MDY: ISO 8601 with any separator of
// - / . or none, month names, day of the year, Julian days, BC, epoch, infinity; a time
// and a zone are checked and ignored. The range is 4714-11-24 BC to 5874897-12-31.
// Status is Syntax, FieldRange, FieldRangeOrder, ZoneRange, ZoneUnknown or Range.
func Date(b []byte) (int32, Status) {
	if len(b) == 10 {
		if d, ok := isoDate(b); ok {
			return int32(d), OK
		}
	}
	return dateSlow(b)
}

// dateSlow is Date without the fast path; it defines the result. The slow paths are
// functions of their own because of their large frames.
func dateSlow(b []byte) (int32, Status) {
	f, st := decodeDateTime(b, nil)
	if st != OK {
		return 0, st
	}
	switch f.word {
	case wordEpoch:
		return 0, OK
	case wordInfinity:
		return DateInfinity, OK
	case wordNegInfinity:
		return DateNegInfinity, OK
	}
	d, ok := f.days()
	if !ok {
		return 0, Range
	}
	return int32(d), OK
}

// Time reads a time without time zone as microseconds since midnight, at most 24:00:00.
//
// Forms are hh:mm[:ss[.fraction]], hhmm, hhmmss, with AM or PM; second 60 carries. A date
// and a zone are taken and ignored where PostgreSQL does. Status is as for Date.
func Time(b []byte) (int64, Status) {
	if len(b) >= 8 {
		if us, n, ok := isoTime(b); ok && n == len(b) {
			return us, OK
		}
	}
	return timeSlow(b)
}

func timeSlow(b []byte) (int64, Status) {
	f, st := decodeTime(b)
	if st != OK {
		return 0, st
	}
	return f.timeOfDay(), OK
}

// Timestamp reads a timestamp without time zone as microseconds since 1970-01-01
// 00:00:00, or TimestampInfinity or TimestampNegInfinity.
//
// It takes a date as Date does and a time behind or before it, joined by blanks or T; a
// zone is checked and ignored. Second 60 and 24:00:00 carry. Status is as for Date.
func Timestamp(b []byte) (int64, Status) {
	if us, n, ok := isoTimestamp(b); ok && n == len(b) {
		return us, OK
	}
	return timestampSlow(b)
}

func timestampSlow(b []byte) (int64, Status) {
	f, st := decodeDateTime(b, nil)
	if st != OK {
		return 0, st
	}
	return f.timestamp()
}

// TimestampTZ reads a timestamp with time zone as microseconds since 1970-01-01 00:00:00
// UTC, or an infinity. A text without a zone is taken to be in loc, which is not nil.
//
// Zones are offsets (+hh, +hhmm, +hh:mm, +hh:mm:ss, up to 15:59:59), Z, PostgreSQL's
// default abbreviations, abbreviations of loc, names of the time zone database in any
// case, and a name followed by an offset in POSIX's sense. A local time that a clock
// change skips or repeats is taken with the offset before a change forward and after a
// change back. Status is as for Date.
func TimestampTZ(b []byte, loc *time.Location) (int64, Status) {
	if us, n, ok := isoTimestamp(b); ok {
		if n == len(b) {
			if loc == time.UTC {
				return us, OK
			}
			return shift(us, localOffset(floorDiv(us, usPerSecond), loc))
		}
		if offset, ok := shortOffset(b[n:]); ok {
			return shift(us, offset)
		}
	}
	return timestampTZSlow(b, loc)
}

func timestampTZSlow(b []byte, loc *time.Location) (int64, Status) {
	f, st := decodeDateTime(b, loc)
	if st != OK {
		return 0, st
	}
	us, st := f.localMicros()
	if st != OK || f.word != wordNone {
		return us, st
	}
	return shift(us, f.zoneOffset(loc))
}

// shift makes a local time UTC: offset is seconds east.
func shift(us int64, offset int) (int64, Status) {
	d := int64(offset) * usPerSecond
	if d < 0 && us > math.MaxInt64+d-1 {
		return 0, Range
	}
	us -= d
	if us < MinTimestamp {
		return 0, Range
	}
	return us, OK
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// isoDate reads YYYY-MM-DD at the start of b, which has at least 10 bytes. ok is false
// for anything else, a year 0 and a day that does not exist.
func isoDate(b []byte) (days int, ok bool) {
	const form = 0x2d30302d30303030 // "0000-00-"
	x := load8(b) ^ form
	d1, d0 := b[8]-'0', b[9]-'0'
	// Digits must be at most 9, the separators exactly 0.
	if (x|(x+0x7f76767f76767676))&highBits != 0 || d1 > 9 || d0 > 9 {
		return 0, false
	}
	pairs := x*10 + x>>8
	year := int(pairs&0xff)*100 + int(pairs>>16&0xff)
	month := int(pairs >> 40 & 0xff)
	day := int(d1)*10 + int(d0)
	if year == 0 || uint(month-1) >= 12 {
		return 0, false
	}
	if uint(day-1) >= 28 && (day == 0 || day > monthDays(year, month)) {
		return 0, false
	}
	return daysFromCivil(year, month, day), true
}

// isoTime reads hh:mm:ss with up to six fraction digits at the start of b, which has at
// least 8 bytes, and returns what it read of b. ok is false for anything else, more
// digits, and what carries (hour 24, second 60).
func isoTime(b []byte) (us int64, n int, ok bool) {
	const form = 0x30303a30303a3030 // "00:00:00"
	x := load8(b) ^ form
	if (x|(x+0x76767f76767f7676))&highBits != 0 {
		return 0, 0, false
	}
	pairs := x*10 + x>>8
	h, m, s := pairs&0xff, pairs>>24&0xff, pairs>>48&0xff
	if h > 23 || m > 59 || s > 59 {
		return 0, 0, false
	}
	us = int64((h*60+m)*60+s) * usPerSecond
	if len(b) == 8 || b[8] != '.' {
		return us, 8, true
	}
	frac := b[9:]
	v, i := uint64(0), 0
	for i < len(frac) && isDigit(frac[i]) {
		v = v*10 + uint64(frac[i]-'0')
		i++
	}
	if i > 6 {
		return 0, 0, false
	}
	return us + int64(v*pow10Narrow[6-i]), 9 + i, true
}

// isoTimestamp reads YYYY-MM-DD, a blank or T, and a time as isoTime does, and returns
// what it read of b.
func isoTimestamp(b []byte) (us int64, n int, ok bool) {
	if len(b) < 19 || b[10] != ' ' && b[10]|0x20 != 't' {
		return 0, 0, false
	}
	days, ok := isoDate(b)
	if !ok {
		return 0, 0, false
	}
	us, n, ok = isoTime(b[11:])
	return int64(days)*usPerDay + us, n + 11, ok
}

// shortOffset reads Z, +hh, +hhmm or +hh:mm, nothing behind it, as seconds east.
func shortOffset(b []byte) (seconds int, ok bool) {
	if len(b) == 1 {
		return 0, b[0]|0x20 == 'z'
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h1, h0 := b[1]-'0', b[2]-'0'
	var m1, m0 byte
	switch {
	case len(b) == 3:
	case len(b) == 5:
		m1, m0 = b[3]-'0', b[4]-'0'
	case len(b) == 6 && b[3] == ':':
		m1, m0 = b[4]-'0', b[5]-'0'
	default:
		return 0, false
	}
	h := int(h1)*10 + int(h0)
	if h1 > 9 || h0 > 9 || m1 > 5 || m0 > 9 || h > maxOffsetHour {
		return 0, false
	}
	seconds = (h*60 + int(m1)*10 + int(m0)) * 60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
