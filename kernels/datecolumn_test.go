package kernels

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDateColumnCalendar gives every day of the years 0000 to 9999, with day 0 and days
// past the month's end, and compares with package time.
func TestDateColumnCalendar(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		dst, null, slow := make([]int32, 14*34), make([]uint64, 8), make([]uint64, 8)
		for year := range 10000 {
			if year%100 > 4 && year%100 < 96 && year != 1970 {
				continue
			}
			var text strings.Builder
			for month := range 14 {
				for day := range 34 {
					fmt.Fprintf(&text, "%04d-%02d-%02d\n", year, month, day)
				}
			}
			b := []byte(text.String())
			seps := []uint32{^uint32(0)}
			for i := 10; i < len(b); i += 11 {
				seps = append(seps, uint32(i))
			}
			ParseDateColumn(dst, null, slow, b, seps, 1, 0, 0)
			for i, got := range dst {
				month, day := i/34, i%34
				at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
				exists := year > 0 && at.Year() == year && at.Month() == time.Month(month) && at.Day() == day
				want := int32(0)
				if exists {
					want = int32(at.Unix() / 86400)
					if at.Unix()%86400 < 0 {
						t.Fatal("a day does not start at midnight")
					}
				}
				if got != want || (slow[i/64]>>(i%64)&1 == 0) != exists || null[i/64] != 0 {
					t.Fatalf("%04d-%02d-%02d: %d slow %d, want %d, exists %v", year, month, day, got, slow[i/64]>>(i%64)&1, want, exists)
				}
			}
		}
	})
}

// TestDateColumnBytes puts every byte to every place of dates, timestamps and uuids.
func TestDateColumnBytes(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for name, text := range map[string]string{
			"date":                   "2019-10-11",
			"timestamp":              "2019-10-11 12:13:14.151617",
			"timestamptz/bare=false": "2019-10-11 12:13:14.15+02:30",
			"timestamptz/bare=true":  "2019-10-11 12:13:14-0030",
			"uuid":                   "a0eebc99-9c0b-4ef8-bb6d-6BB9BD380A11",
			"float64":                "-123.456e-7",
			"decimal64(18,2)":        "-1234567.891",
			"decimal128(38,19)":      "-12345678901234567890.12345678901",
		} {
			k := kernelNamed(t, name)
			fields := make([]string, 256)
			for i := range text {
				for c := range fields {
					b := []byte(text)
					b[i] = byte(c)
					fields[c] = string(b)
				}
				k.checkFields(t, fmt.Sprintf("byte %d", i), fields)
			}
			for n := range len(text) + 1 {
				k.checkFields(t, fmt.Sprintf("cut at %d", n), []string{text[:n], text[n:], text[:n] + "0" + text[n:], text[:n] + "." + text[n:]})
			}
		}
	})
}

// TestTimestampColumnTime compares with package time on the whole range of fields.
func TestTimestampColumnTime(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		var texts []string
		var want []int64
		for _, day := range []string{"0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "2000-02-29", "9999-12-31"} {
			for i := range 24 * 60 {
				text := fmt.Sprintf("%s %02d:%02d:%02d.%06d", day, i/60, i%60, i*7%60, i*694_967%1_000_000)[:20+i%7]
				text = strings.TrimSuffix(text, ".")
				at, err := time.Parse("2006-01-02 15:04:05.999999", text)
				if err != nil {
					t.Fatal(err)
				}
				texts, want = append(texts, text), append(want, at.UnixMicro())
			}
		}
		b := []byte(strings.Join(texts, "\n") + "\n")
		seps := separators([]byte(strings.ReplaceAll(string(b), ",", ";")))
		dst, words := make([]int64, len(texts)), (len(texts)+63)/64
		null, slow := make([]uint64, words), make([]uint64, words)
		ParseTimestampColumn(dst, null, slow, b, seps, 1, 0, 0)
		for i := range dst {
			if dst[i] != want[i] || slow[i/64]>>(i%64)&1 != 0 {
				t.Fatalf("%s: %d slow %d, want %d", texts[i], dst[i], slow[i/64]>>(i%64)&1, want[i])
			}
		}
	})
}
