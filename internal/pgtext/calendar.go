package pgtext

import "math"

// The proleptic Gregorian calendar. Years are astronomical: year 0 is 1 BC.

const (
	usPerSecond = 1000000
	usPerDay    = 86400 * usPerSecond

	julianEpoch = 2440588 // the Julian day of 1970-01-01

	// Days are counted from the 1 March of a year so early that no date of 32 bits and
	// no timestamp of 64 bits is before it. It is a multiple of 400 years before year 0,
	// so the leap rule is unchanged; 719468 days of year 0 and later are before 1970.
	eraYears = 15000 * 400
	eraDays  = 15000*146097 + 719468
)

// The ranges of Date, Timestamp and TimestampTZ, the infinities left out. A value that
// came by another way than these must be checked against them.
const (
	MinDate      = -julianEpoch       // 4714-11-24 BC
	MaxDate      = 2145042905         // 5874897-12-31
	MinTimestamp = MinDate * usPerDay // 4714-11-24 00:00:00 BC
	MaxTimestamp = math.MaxInt64 - 1  // 294247-01-10 04:00:54.775806
)

func isLeap(year int) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// daysBefore[m] is the number of days before month m, counted from 1 March.
var daysBefore = [13]int32{0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275}

var monthLength = [13]uint8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// monthDays returns the length of a month, 1 to 12.
func monthDays(year, month int) int {
	if month == 2 && isLeap(year) {
		return 29
	}
	return int(monthLength[month])
}

// daysFromCivil returns days since 1970-01-01. month is 1 to 12, day is any number of
// days; year is above -eraYears.
func daysFromCivil(year, month, day int) int {
	y := uint(year + eraYears)
	if month < 3 {
		y--
	}
	century := y / 100
	return int(y*365+y/4-century+century/4) + int(daysBefore[month]) + day - 1 - eraDays
}

// civilFromDays is the inverse of daysFromCivil, for any date of 32 bits.
//
// The year starts on 1 March; a 400-year cycle has 146097 days, a century within it
// 36524 and a quarter, a year within that 365 and a quarter; months are 153 days for
// every five.
func civilFromDays(days int) (year, month, day int) {
	n := uint(days + eraDays)
	century := (4*n + 3) / 146097
	inCentury := n - century*146097/4
	y := (4*inCentury + 3) / 1461
	inYear := inCentury - y*1461/4
	m := (5*inYear + 2) / 153
	day = int(inYear-(153*m+2)/5) + 1
	year = int(century*100+y) - eraYears
	month = int(m) + 3
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// MicrosOfNanos rounds nanoseconds to the nearest microsecond, halves to the even one.
func MicrosOfNanos(n int64) int64 {
	q, r := n/1000, n%1000
	if r < 0 {
		q, r = q-1, r+1000
	}
	if r > 500 || r == 500 && q&1 == 1 {
		q++
	}
	return q
}
