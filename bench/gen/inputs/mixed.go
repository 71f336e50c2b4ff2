package inputs

import (
	"strconv"
	"time"
)

var mixedColumns = []column{
	{"id", "bigint"},
	{"category", "text"},
	{"quantity", "integer"},
	{"price", "numeric(12,2)"},
	{"score", "double precision"},
	{"active", "boolean"},
	{"day", "date"},
	{"seen", "timestamp"},
	{"token", "uuid"},
	{"note", "text"},
}

// categories are the values of mixed.category. Two need quotes.
var categories = []string{
	"books", "cameras", "clothing", "cycling", "food", "furniture", `"home, garden"`,
	"instruments", "jewellery", "lighting", "music", "office", "outdoor", "pets", "phones",
	"shoes", "software", "stationery", `"tools, 1/2"" drive"`, "toys", "travel", "watches",
}

// scales spread the magnitudes of mixed.score.
var scales = []float64{1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e15}

// mixedRows: id counts from 1, quantity is often small and sometimes negative, one score in
// eight has another magnitude than the others, and each column but id and category is null
// in 1 to 5 of 100 rows, note in 27.
func mixedRows(s *stream) func(b []byte) []byte {
	id := int64(0)
	days := dayTexts()
	return func(b []byte) []byte {
		id++
		b = strconv.AppendInt(b, id, 10)
		b = append(b, ',')
		b = append(b, categories[s.below(len(categories))]...)
		b = append(b, ',')
		if !s.percent(3) {
			b = strconv.AppendInt(b, int64(s.next()>>(33+s.below(28)))-3, 10)
		}
		b = append(b, ',')
		if !s.percent(2) {
			b = appendCents(b, s.below(20_000_000)-1_000_000)
		}
		b = append(b, ',')
		if !s.percent(5) {
			b = appendScore(b, s)
		}
		b = append(b, ',')
		if !s.percent(2) {
			b = strconv.AppendBool(b, s.percent(70))
		}
		b = append(b, ',')
		if !s.percent(1) {
			b = append(b, days[s.below(len(days))]...)
		}
		b = append(b, ',')
		if !s.percent(4) {
			b = append(b, days[s.below(len(days))]...)
			b = append(b, ' ')
			b = appendClock(b, s.below(86_400))
			b = append(b, '.')
			b = appendDigits(b, s.below(1_000_000), 6)
		}
		b = append(b, ',')
		if !s.percent(1) {
			b = appendUUID(b, s)
		}
		b = append(b, ',')
		if !s.percent(27) {
			b = appendNote(b, s)
		}
		return append(b, '\n')
	}
}

// dayTexts returns the days of 1960 to 2029 as dates are written.
func dayTexts() []string {
	var texts []string
	day := time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC)
	for day.Year() < 2030 {
		texts = append(texts, day.Format(time.DateOnly))
		day = day.AddDate(0, 0, 1)
	}
	return texts
}

// appendDigits appends n as width decimal digits with leading zeros.
func appendDigits(b []byte, n, width int) []byte {
	for range width {
		b = append(b, '0')
	}
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}

// appendClock appends the time of day that is second seconds after midnight.
func appendClock(b []byte, second int) []byte {
	b = appendDigits(b, second/3600, 2)
	b = append(b, ':')
	b = appendDigits(b, second/60%60, 2)
	b = append(b, ':')
	return appendDigits(b, second%60, 2)
}

// appendCents appends n hundredths with two decimals.
func appendCents(b []byte, n int) []byte {
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	b = strconv.AppendInt(b, int64(n/100), 10)
	b = append(b, '.')
	return appendDigits(b, n%100, 2)
}

// appendScore appends a double in its shortest form: three in eight have two decimals, half have
// all the digits that a double can have, and the rest other magnitudes.
func appendScore(b []byte, s *stream) []byte {
	var f float64
	switch kind := s.below(8); {
	case kind < 3:
		f = float64(s.below(2_000_000)-500_000) / 100
	case kind < 7:
		f = float64(s.next()>>11) / (1 << 53)
	default:
		f = float64(s.below(1_000_000)) * scales[s.below(len(scales))]
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendUUID appends a random UUID in lower case.
func appendUUID(b []byte, s *stream) []byte {
	const digits = "0123456789abcdef"
	var n uint64
	for i := range 32 {
		if i%16 == 0 {
			n = s.next()
		}
		d := n & 15
		n >>= 4
		switch i {
		case 8, 20:
			b = append(b, '-')
		case 12:
			b = append(b, '-')
			d = 4
		case 16:
			b = append(b, '-')
			d = d&3 | 8
		}
		b = append(b, digits[d])
	}
	return b
}
