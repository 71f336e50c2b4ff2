package pgtext

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestCalendarIsTime(t *testing.T) {
	r := source(t)
	check := func(days int) {
		y, m, d := civilFromDays(days)
		want := time.Unix(int64(days)*86400, 0).UTC()
		if wy, wm, wd := want.Date(); y != wy || m != int(wm) || d != wd {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", days, y, m, d, wy, wm, wd)
		}
		if back := daysFromCivil(y, m, d); back != days {
			t.Fatalf("%d-%d-%d is day %d, want %d", y, m, d, back, days)
		}
	}
	for days := -800000; days < 800000; days += 1 + r.IntN(5) {
		check(days)
	}
	for range 20000 {
		check(MinDate + r.IntN(MaxDate-MinDate+1))
	}
	for _, days := range []int{MinDate, MaxDate, math.MinInt32, math.MaxInt32} {
		check(days)
	}
}

// TestFormatAnything prints values that no text gives.
func TestFormatAnything(t *testing.T) {
	for _, us := range []int64{math.MinInt64 + 1, MinTimestamp - 1, -1, 25 * 3600 * usPerSecond, math.MaxInt64 - 1} {
		AppendTimestamp(nil, us)
		AppendTimestampTZ(nil, us, newYork)
		AppendTime(nil, us)
	}
	for _, days := range []int32{DateNegInfinity + 1, MinDate - 1, MaxDate + 1, DateInfinity - 1} {
		AppendDate(nil, days)
	}
	if out := string(AppendDate(nil, MinDate-1)); out != "4714-11-23 BC" {
		t.Errorf("the day before the first prints as %s", out)
	}
}

func TestDateRoundTrip(t *testing.T) {
	r := source(t)
	for range 50000 {
		days := int32(MinDate + r.IntN(MaxDate-MinDate+1))
		if r.IntN(2) == 0 {
			days = int32(r.IntN(3652059) - 719162) // years 1 to 9999
		}
		text := AppendDate(nil, days)
		if back, st := Date(text); st != OK || back != days {
			t.Fatalf("%d prints as %s, which reads as %d, %d", days, text, back, st)
		}
	}
	for _, days := range []int32{MinDate, MaxDate, DateInfinity, DateNegInfinity} {
		text := AppendDate(nil, days)
		if back, st := Date(text); st != OK || back != days {
			t.Errorf("%d prints as %s, which reads as %d, %d", days, text, back, st)
		}
	}
}

// randomMicros returns an instant of any size, or one between the years 1800 and 2100.
func randomMicros(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		us := r.Int64N(math.MaxInt64)
		if r.IntN(2) == 0 {
			us = -us % -MinTimestamp
		}
		return us
	}
	us := r.Int64N(300*365*usPerDay) - 170*365*usPerDay
	if r.IntN(2) == 0 {
		us -= us % usPerSecond
	}
	return us
}

func TestTimestampRoundTrip(t *testing.T) {
	r := source(t)
	for range 50000 {
		us := randomMicros(r)
		text := AppendTimestamp(nil, us)
		if back, st := Timestamp(text); st != OK || back != us {
			t.Fatalf("%d prints as %s, which reads as %d, %d", us, text, back, st)
		}
		if us > -62135596800*usPerSecond && us < 253402300800*usPerSecond {
			want := time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05.999999")
			if string(text) != want {
				t.Fatalf("%d prints as %s, want %s", us, text, want)
			}
		}
	}
	for _, us := range []int64{MinTimestamp, math.MaxInt64 - 1, TimestampInfinity, TimestampNegInfinity} {
		text := AppendTimestamp(nil, us)
		if back, st := Timestamp(text); st != OK || back != us {
			t.Errorf("%d prints as %s, which reads as %d, %d", us, text, back, st)
		}
	}
}

func TestTimestampTZRoundTrip(t *testing.T) {
	r := source(t)
	zones := []string{"America/New_York", "Europe/Moscow", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Monrovia", "Pacific/Apia", "Etc/GMT+12"}
	for _, name := range zones {
		loc := mustLocation(name)
		for range 4000 {
			us := randomMicros(r)
			text := AppendTimestampTZ(nil, us, loc)
			if back, st := TimestampTZ(text, loc); st != OK || back != us {
				t.Fatalf("%s: %d prints as %s, which reads as %d, %d", name, us, text, back, st)
			}
			// The local time alone reads as us, or as the other instant that shows it.
			_, offset := time.Unix(floorDiv(us, usPerSecond), 0).In(loc).Zone()
			local, st := shift(us, -offset)
			if st != OK {
				continue
			}
			text = AppendTimestamp(nil, local)
			back, st := TimestampTZ(text, loc)
			if st != OK || back != us && string(AppendTimestampTZ(nil, back, loc)[:len(text)]) != string(text) {
				t.Fatalf("%s in %s reads as %d, %d; want %d", text, name, back, st, us)
			}
		}
	}
}

// TestZoneChanges checks local times that a change skips or repeats, in the session's
// zone. PostgreSQL 18.7 gave the same.
func TestZoneChanges(t *testing.T) {
	for _, c := range []struct{ zone, in, want string }{
		{"America/New_York", "2021-03-14 01:59:59", "2021-03-14 06:59:59+00"},
		{"America/New_York", "2021-03-14 02:00:00", "2021-03-14 07:00:00+00"},
		{"America/New_York", "2021-03-14 02:30:00", "2021-03-14 07:30:00+00"},
		{"America/New_York", "2021-03-14 03:00:00", "2021-03-14 07:00:00+00"},
		{"America/New_York", "2021-11-07 00:59:59", "2021-11-07 04:59:59+00"},
		{"America/New_York", "2021-11-07 01:30:00", "2021-11-07 06:30:00+00"},
		{"America/New_York", "2021-11-07 02:00:00", "2021-11-07 07:00:00+00"},
		{"America/New_York", "2050-06-14 03:30:00 ewt", "2050-06-14 07:30:00+00"},
		{"America/New_York", "1883-02-14 01:30:59 ewt", "1883-02-14 05:30:59+00"},
		{"America/New_York", "1900-11-07 01:30:00 LMT", "1900-11-07 06:26:02+00"},
		{"America/New_York", "1883-08-14 02:30:59 msk", "1883-08-13 23:30:59+00"},
		{"America/New_York", "2020-07-01 12:00 est", "2020-07-01 17:00:00+00"},
		{"Asia/Kolkata", "2020-07-01 12:00 IST", "2020-07-01 06:30:00+00"},
	} {
		us, st := TimestampTZ([]byte(c.in), mustLocation(c.zone))
		if out := string(AppendTimestampTZ(nil, us, time.UTC)); st != OK || out != c.want {
			t.Errorf("%s in %s: %s, %d; want %s", c.in, c.zone, out, st, c.want)
		}
	}
}

func TestTimestampOffsetForm(t *testing.T) {
	loc := func(seconds int) *time.Location { return time.FixedZone("", seconds) }
	for _, c := range []struct {
		us   int64
		loc  *time.Location
		want string
	}{
		{0, time.UTC, "1970-01-01 00:00:00+00"},
		{500000, loc(5*3600 + 1800), "1970-01-01 05:30:00.5+05:30"},
		{0, loc(1172), "1970-01-01 00:19:32+00:19:32"},
		{0, loc(-3600 - 15), "1969-12-31 22:59:45-01:00:15"},
		{MinTimestamp, loc(-18000), "4714-11-23 19:00:00-05 BC"},
		{math.MaxInt64 - 1, loc(18000), "294247-01-10 09:00:54.775806+05"},
	} {
		if out := string(AppendTimestampTZ(nil, c.us, c.loc)); out != c.want {
			t.Errorf("%d: %s, want %s", c.us, out, c.want)
		}
	}
}

// TestTimestampLimits checks where our range ends before PostgreSQL's does.
func TestTimestampLimits(t *testing.T) {
	for _, c := range []struct {
		in string
		st Status
	}{
		{"294247-01-10 04:00:54.775806", OK},
		{"294247-01-10 04:00:54.775807", Range},
		{"294247-01-11", Range},
		{"294276-12-31", Range},
		{"294277-01-01", Range},
		{"4714-11-24 BC", OK},
		{"4714-11-23 BC", Range},
	} {
		if us, st := Timestamp([]byte(c.in)); st != c.st {
			t.Errorf("timestamp %s: %d, %d; want status %d", c.in, us, st, c.st)
		}
		if us, st := TimestampTZ([]byte(c.in+"+00"), time.UTC); st != c.st {
			t.Errorf("timestamptz %s: %d, %d; want status %d", c.in, us, st, c.st)
		}
	}
	for _, c := range []struct {
		in string
		st Status
	}{
		{"4714-11-23 19:00-05 BC", OK},
		{"4714-11-24 04:59+05 BC", Range},
		{"294247-01-10 05:00:54.775807-01", Range},
		{"294247-01-10 03:00:54.775807-01", Range},
		{"294247-01-10 03:00:54.775806-01", OK},
	} {
		if us, st := TimestampTZ([]byte(c.in), time.UTC); st != c.st {
			t.Errorf("timestamptz %s: %d, %d; want status %d", c.in, us, st, c.st)
		}
	}
}

func TestDateTimeFastIsSlow(t *testing.T) {
	r := source(t)
	const alphabet = "0123456789-:. T+Z"
	suffixes := []string{"", "Z", "+05", "-0530", "+05:30", "+16", "-05:00:01"}
	loc := mustLocation("America/New_York")
	for range 100000 {
		date := fmt.Sprintf("%04d-%02d-%02d", r.IntN(10000), r.IntN(14), r.IntN(34))
		tod := fmt.Sprintf("%02d:%02d:%02d", r.IntN(26), r.IntN(62), r.IntN(62))
		if r.IntN(2) == 0 {
			tod += fmt.Sprintf(".%0*d", 1+r.IntN(8), r.IntN(10))
		}
		text := mutate(r, []byte(date), alphabet)
		d, st := Date(text)
		if e, su := dateSlow(text); d != e || st != su {
			t.Fatalf("Date(%q) = %d, %d; slow %d, %d", text, d, st, e, su)
		}
		text = mutate(r, []byte(tod), alphabet)
		us, st := Time(text)
		if e, su := timeSlow(text); us != e || st != su {
			t.Fatalf("Time(%q) = %d, %d; slow %d, %d", text, us, st, e, su)
		}
		text = mutate(r, []byte(date+" T"[r.IntN(2):][:1]+tod), alphabet)
		us, st = Timestamp(text)
		if e, su := timestampSlow(text); us != e || st != su {
			t.Fatalf("Timestamp(%q) = %d, %d; slow %d, %d", text, us, st, e, su)
		}
		text = append(text, suffixes[r.IntN(len(suffixes))]...)
		us, st = TimestampTZ(text, loc)
		if e, su := timestampTZSlow(text, loc); us != e || st != su {
			t.Fatalf("TimestampTZ(%q) = %d, %d; slow %d, %d", text, us, st, e, su)
		}
	}
}

func TestZoneNames(t *testing.T) {
	for _, name := range []string{"Local", "local", "localtime", "", "a", "../etc/passwd", "America"} {
		if loc := loadZone(name); loc != nil {
			t.Errorf("zone %q is %v", name, loc)
		}
	}
	for _, name := range []string{
		"america/port_of_spain", "AMERICA/PORT-AU-PRINCE", "antarctica/dumontdurville", "etc/gmt-14", "est5edt",
		"america/argentina/comodrivadavia", "nz-chat", "w-su", "gb", "africa/dar_es_salaam", "asia/ust-nera",
		"chile/easterisland", "us/east-indiana", "brazil/denoronha", "mexico/bajanorte", "australia/act", "zulu",
	} {
		if loadZone(name) == nil {
			t.Errorf("no zone %q", name)
		}
	}
}

// TestMicrosOfNanos rounds halves to the even microsecond, on both sides of zero.
func TestMicrosOfNanos(t *testing.T) {
	for _, c := range []struct{ nanos, want int64 }{
		{0, 0}, {499, 0}, {500, 0}, {501, 1}, {1000, 1}, {1499, 1}, {1500, 2}, {2500, 2}, {2501, 3},
		{-499, 0}, {-500, 0}, {-501, -1}, {-1500, -2}, {-1501, -2}, {-2500, -2}, {-2501, -3},
		{math.MaxInt64, 9223372036854776}, {math.MinInt64, -9223372036854776},
	} {
		if got := MicrosOfNanos(c.nanos); got != c.want {
			t.Errorf("%d ns are %d us, want %d", c.nanos, got, c.want)
		}
	}
}
