package kernels

// ParseDateColumn parses column col of len(dst) records into days since 1970-01-01.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; dst is 0) or a value. A value is exactly YYYY-MM-DD, ten
// bytes, of a day that exists in the proleptic Gregorian calendar in the years 0001 to
// 9999. Anything else is slow, infinity and other forms of a date among it.
//
// It panics on misuse as ParseInt64Column does; no content of b or seps makes it panic or
// read outside b. The result is the same at every Level; dateRef is the definition.
func ParseDateColumn(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		parseDateColumn(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// parseDateColumnGo is ParseDateColumn from record from on, without assembly. seps
// starts at the first separator of the column.
func parseDateColumnGo(dst []int32, from int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	clear(dst[from:])
	parseColumn(from, len(dst), null, slow, b, seps, stride, trim, func(r int, field []byte) bool {
		if len(field) != 10 {
			return false
		}
		days, ok := isoDate((*[10]byte)(field))
		if ok {
			dst[r] = days
		}
		return ok
	})
}

// Day 0 of a year is 1 March here, so that the leap day is its last one.
const (
	epochDays  = 719468  // from 0000-03-01 to 1970-01-01
	leapDay    = 365     // 29 February
	beforeMar  = 1 << 16 // the month belongs to the year before
	noSuchDay  = 1 << 31 // no month has this day
	monthShift = 5       // an index of dayOfYear is month<<monthShift | day
)

// dayOfYear has, for every month up to 12 and day up to 31, the days since 1 March, with
// beforeMar in January and February; or noSuchDay.
var dayOfYear = func() (t [13 << monthShift]uint32) {
	for i := range t {
		t[i] = noSuchDay
	}
	lengths := [12]int{31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29}
	n := uint32(0)
	for i, length := range lengths {
		month := (i+2)%12 + 1
		for day := 1; day <= length; day++ {
			t[month<<monthShift|day] = n
			if month < 3 {
				t[month<<monthShift|day] |= beforeMar
			}
			n++
		}
	}
	return t
}()

// isLeap reports whether year has a 29 February.
func isLeap(year uint32) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// daysOf returns the days since 1970-01-01 of a day of the years 1 to 9999; month is at
// most 12, day at most 31. ok is false if there is no such day.
func daysOf(year, month, day uint32) (days int32, ok bool) {
	of := dayOfYear[month<<monthShift|day]
	if of >= noSuchDay || year == 0 || of == beforeMar|leapDay && !isLeap(year) {
		return 0, false
	}
	year -= of >> 16
	century := year / 100
	return int32(year*365+year/4-century+century/4+of&0xffff) - epochDays, true
}

// isoDate reads YYYY-MM-DD.
func isoDate(f *[10]byte) (days int32, ok bool) {
	const form = 0x2d30302d30303030 // "0000-00-"
	x := load8(f[:]) ^ form
	d1, d0 := uint32(f[8])-'0', uint32(f[9])-'0'
	// A digit is at most 9 and a hyphen exactly 0, or the addition sets the high bit.
	if (x|(x+0x7f76767f76767676))&(swarOnes<<7) != 0 || d1 > 9 || d0 > 9 {
		return 0, false
	}
	pairs := x*10 + x>>8
	year := uint32(pairs&0xff)*100 + uint32(pairs>>16&0xff)
	month, day := uint32(pairs>>40&0xff), d1*10+d0
	if month > 12 || day > 31 {
		return 0, false
	}
	return daysOf(year, month, day)
}
