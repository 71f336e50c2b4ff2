package expr

import (
	"math"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/num"
)

// timeFunctions are the functions on dates and times.
var timeFunctions = map[string][]signature{
	"now":                   nows,
	"transaction_timestamp": nows,
	"statement_timestamp":   nows,
	"extract":               parts(numericType),
	"date_part":             parts(float8Type),
	"date_trunc": {
		{args: types(textType, timestampTZType), result: timestampTZType, fn: func(s *Scope) function { return truncate(s.Loc()) }},
		{args: types(textType, timestampType), result: timestampType, fn: func(*Scope) function { return truncate(nil) }},
		{args: types(textType, timestampTZType, textType), result: timestampTZType, fn: plain(func(out result, a args) error {
			loc, err := zoneArg(a.bytes(2), 0)
			if err != nil {
				return err
			}
			return truncate(loc)(out, a)
		})},
	},
	"timezone": {
		{args: types(textType, timestampTZType), result: timestampType, fn: plain(func(out result, a args) error {
			loc, err := zoneArg(a.bytes(0), a.int(1))
			if err == nil {
				out.setInt(toLocal(a.int(1), loc))
			}
			return err
		})},
		{args: types(textType, timestampType), result: timestampTZType, fn: plain(func(out result, a args) error {
			loc, err := zoneArg(a.bytes(0), a.int(1))
			if err != nil {
				return err
			}
			us, err := toInstant(a.int(1), loc)
			out.setInt(us)
			return err
		})},
	},
	"make_date": {{args: types(int4Type, int4Type, int4Type), result: dateType, fn: plain(makeDate)}},
	"to_timestamp": {{args: types(float8Type), result: timestampTZType, fn: plain(func(out result, a args) error {
		return instantOf(out, a.float(0))
	})}},
}

// instantOf returns the instant a number of seconds after the beginning of 1970.
func instantOf(out result, seconds float64) error {
	switch us := math.RoundToEven(seconds * 1e6); {
	case math.IsNaN(seconds):
		return pgerr.New(pgerr.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case math.IsInf(seconds, 1):
		out.setInt(allInstants)
	case math.IsInf(seconds, -1):
		out.setInt(noInstant)
	case us < firstInstant || us >= 1<<63:
		return pgerr.New(pgerr.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", pgtext.AppendFloat8(nil, seconds))
	default:
		out.setInt(int64(us))
	}
	return nil
}

// firstInstant is the first that there is: 4714-11-24 BC.
const firstInstant = float64(minDay * dayUS)

var nows = []signature{{result: timestampTZType, fn: func(s *Scope) function {
	now := s.Now
	return func(out result, _ args) error { out.setInt(now); return nil }
}}}

// zoneArg returns the zone that AT TIME ZONE names: as Zone, or by an abbreviation,
// which stands for an offset that may depend on the time.
func zoneArg(name []byte, at int64) (*time.Location, error) {
	loc, ok := Zone(string(name))
	if !ok {
		loc, ok = abbreviated(string(name), at)
	}
	if !ok {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
	}
	return loc, nil
}

func makeDate(out result, a args) error {
	y, m, d := a.int(0), a.int(1), a.int(2)
	if y < 0 {
		y++ // there is no year 0
	}
	t := time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC)
	if a.int(0) == 0 || m < 1 || m > 12 || t.Day() != int(d) || y < -4713 || y > 5874897 {
		return pgerr.New(pgerr.DatetimeFieldOverflow, "date field value out of range: %d-%02d-%02d", a.int(0), m, d)
	}
	out.setInt(floorDiv(t.Unix(), 86400))
	return nil
}

// parts returns the forms of extract and date_part.
func parts(t columnar.Type) []signature {
	form := func(arg columnar.Type) signature {
		return signature{args: types(textType, arg), result: t, fn: func(s *Scope) function {
			p := part{of: arg, loc: s.Loc()}
			return func(out result, a args) error {
				n, ok, err := p.get(strings.ToLower(string(a.bytes(0))), a.int(1))
				switch {
				case err != nil:
					return err
				case !ok:
					out.null()
				case t == float8Type:
					out.setFloat(n.Float64())
				default:
					out.setNum(n)
				}
				return nil
			}
		}}
	}
	return []signature{form(timestampTZType), form(timestampType), form(dateType), form(timeType)}
}

// part reads the fields of a date, a time or a timestamp.
type part struct {
	of  columnar.Type
	loc *time.Location
}

// get returns a field of v; ok is false where an infinity has none.
func (p part) get(field string, v int64) (n num.Num, ok bool, err error) {
	us, inf := v, v == noInstant || v == allInstants
	switch p.of.Kind {
	case columnar.Date:
		if inf = v == noDay || v == allDays; !inf {
			us, err = dayToInstant(v)
		}
	case columnar.TimestampTZ:
		us = toLocal(v, p.loc)
	case columnar.Time:
		inf = false
	}
	if err != nil {
		return n, false, err
	}
	if inf {
		return p.infinite(field, v)
	}
	day := floorDiv(us, dayUS)
	n, ok = clockPart(field, us-day*dayUS)
	switch {
	case ok && p.of.Kind == columnar.Date:
		ok = false
	case !ok && p.of.Kind != columnar.Time:
		n, ok = p.dayPart(field, day, v)
	case !ok && field == "epoch":
		n, ok = num.Scaled(v>>63, uint64(v), 6), true
	}
	if !ok {
		return n, false, p.unknown(field)
	}
	return n, true, nil
}

func (p part) unknown(field string) error {
	name := typeName(p.of)
	if known[field] {
		return pgerr.New(pgerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", field, name)
	}
	return pgerr.New(pgerr.InvalidParameterValue, "unit \"%s\" not recognized for type %s", field, name)
}

// known are all fields.
var known = func() map[string]bool {
	m := make(map[string]bool)
	for _, f := range strings.Fields(`microseconds milliseconds second minute hour day week month quarter
		year decade century millennium dow isodow doy isoyear epoch julian timezone timezone_hour timezone_minute`) {
		m[f] = true
	}
	return m
}()

// infinite returns a field of an infinity: those that only grow are infinite.
func (p part) infinite(field string, v int64) (num.Num, bool, error) {
	switch field {
	case "year", "decade", "century", "millennium", "isoyear", "epoch", "julian":
		if v < 0 {
			return num.NegInf, true, nil
		}
		return num.Inf, true, nil
	}
	if !known[field] {
		return num.Num{}, false, p.unknown(field)
	}
	return num.Num{}, false, nil
}

// clockPart returns a field of a time of day.
func clockPart(field string, us int64) (num.Num, bool) {
	minute := us % (60 * secondUS)
	switch field {
	case "microseconds":
		return num.Int(minute), true
	case "milliseconds":
		return num.Scaled(0, uint64(minute), 3), true
	case "second":
		return num.Scaled(0, uint64(minute), 6), true
	case "minute":
		return num.Int(us / (60 * secondUS) % 60), true
	case "hour":
		return num.Int(us / (3600 * secondUS)), true
	}
	return num.Num{}, false
}

// dayPart returns a field of a day, or of the instant v.
func (p part) dayPart(field string, day, v int64) (num.Num, bool) {
	t := time.Unix(day*86400, 0).UTC()
	y := int64(t.Year())
	switch field {
	case "day":
		return num.Int(int64(t.Day())), true
	case "month":
		return num.Int(int64(t.Month())), true
	case "quarter":
		return num.Int((int64(t.Month()) + 2) / 3), true
	case "year":
		return num.Int(shown(y)), true
	case "decade":
		return num.Int(floorDiv(y, 10)), true
	case "century":
		return num.Int(era(y, 100)), true
	case "millennium":
		return num.Int(era(y, 1000)), true
	case "dow":
		return num.Int(int64(t.Weekday())), true
	case "isodow":
		return num.Int((int64(t.Weekday())+6)%7 + 1), true
	case "doy":
		return num.Int(int64(t.YearDay())), true
	case "week":
		_, w := t.ISOWeek()
		return num.Int(int64(w)), true
	case "isoyear":
		iy, _ := t.ISOWeek()
		return num.Int(shown(int64(iy))), true
	case "julian":
		julian := num.Int(day - minDay)
		if p.of.Kind == columnar.Date {
			return julian, true
		}
		us := v
		if p.of.Kind == columnar.TimestampTZ {
			us = toLocal(v, p.loc)
		}
		part, _ := num.Div(num.Int(us-day*dayUS), num.Int(dayUS))
		return num.Add(julian, part), true
	case "epoch":
		if p.of.Kind == columnar.Date {
			return num.Int(day * 86400), true
		}
		return num.Scaled(v>>63, uint64(v), 6), true
	}
	return p.zonePart(field, v)
}

// zonePart returns a field of the session's zone at the instant v.
func (p part) zonePart(field string, v int64) (num.Num, bool) {
	if p.of.Kind != columnar.TimestampTZ {
		return num.Num{}, false
	}
	offset := (toLocal(v, p.loc) - v) / secondUS
	switch field {
	case "timezone":
		return num.Int(offset), true
	case "timezone_hour":
		return num.Int(offset / 3600), true
	case "timezone_minute":
		return num.Int(offset / 60 % 60), true
	}
	return num.Num{}, false
}

// shown returns the year as it is shown: year 0 is 1 BC, -1.
func shown(y int64) int64 {
	if y <= 0 {
		return y - 1
	}
	return y
}

// era returns the century or millennium of a year: the first one starts with year 1, the
// one before it is -1.
func era(y, n int64) int64 {
	if y > 0 {
		return (y + n - 1) / n
	}
	return -((n - 1 - (y - 1)) / n)
}

// truncate cuts a timestamp down to a field; loc is the zone of a timestamptz, nil for a
// timestamp.
func truncate(loc *time.Location) function {
	return func(out result, a args) error {
		field, us := strings.ToLower(string(a.bytes(0))), a.int(1)
		if us == noInstant || us == allInstants {
			out.setInt(us)
			return nil
		}
		if loc != nil {
			us = toLocal(us, loc)
		}
		us, ok := cut(field, us)
		if !ok {
			t := timestampType
			if loc != nil {
				t = timestampTZType
			}
			return part{of: t}.unknown(field)
		}
		var err error
		if loc != nil {
			us, err = toInstant(us, loc)
		}
		out.setInt(us)
		return err
	}
}

// cut returns the beginning of the field that the wall time us is in.
func cut(field string, us int64) (int64, bool) {
	units := map[string]int64{"microseconds": 1, "milliseconds": 1000, "second": secondUS,
		"minute": 60 * secondUS, "hour": 3600 * secondUS, "day": dayUS}
	if u, ok := units[field]; ok {
		return floorDiv(us, u) * u, true
	}
	t := time.Unix(floorDiv(us, dayUS)*86400, 0).UTC()
	y, m := t.Year(), t.Month()
	switch field {
	case "week":
		t = t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
		return t.Unix() * secondUS, true
	case "month":
	case "quarter":
		m -= (m - 1) % 3
	case "year":
		m = 1
	case "decade":
		y, m = int(floorDiv(int64(y), 10)*10), 1
	case "century":
		y, m = int(floorDiv(int64(y)-1, 100)*100)+1, 1
	case "millennium":
		y, m = int(floorDiv(int64(y)-1, 1000)*1000)+1, 1
	default:
		return 0, false
	}
	return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Unix() * secondUS, true
}

// timeArithmetic returns an operator of which an operand is a date or a time. rt is the
// type of the right one, or what a literal there must be.
func (s *Scope) timeArithmetic(e *ast.Binary, l, r Node, rt columnar.Type) (Node, error) {
	lt := l.Type()
	swap := e.Op == "+" && (isInt(lt) || lt.Kind == columnar.Time)
	if swap {
		l, r, lt, rt = r, l, rt, lt
	}
	lpos, rpos := e.L.Pos(), e.R.Pos()
	if swap {
		lpos, rpos = rpos, lpos
	}
	sign := int64(1)
	if e.Op == "-" {
		sign = -1
	}
	var fn function
	want, gives := int4Type, dateType
	switch date := lt.Kind == columnar.Date; {
	case date && isInt(rt) && rt.Kind != columnar.Int8 && (e.Op == "+" || e.Op == "-"):
		fn = func(out result, a args) error { return addDays(out, a.int(0), sign*a.int(1)) }
	case date && rt.Kind == columnar.Date && e.Op == "-":
		want, gives = dateType, int4Type
		fn = daysBetween
	case date && rt.Kind == columnar.Time && e.Op == "+":
		want, gives = timeType, timestampType
		fn = func(out result, a args) error {
			us, err := dayToInstant(a.int(0))
			if us != noInstant && us != allInstants {
				us += a.int(1)
			}
			out.setInt(us)
			return err
		}
	case timeRank(lt) > 0 && timeRank(rt) > 0 && e.Op == "-", lt.Kind == columnar.Time && rt.Kind == columnar.Time && e.Op == "-":
		return nil, s.fail(e.Pos(), pgerr.New(pgerr.FeatureNotSupported, "intervals are not supported").
			WithHint("Subtract extract(epoch FROM ...) of one from that of the other: the difference in seconds."))
	default:
		return nil, s.noOperator(e.Pos(), e.Op, l.Type(), r.Type())
	}
	l, err := s.coerce(l, lt, lpos)
	if err != nil {
		return nil, err
	}
	if r, err = s.coerce(r, want, rpos); err != nil {
		return nil, err
	}
	return newStrict(gives, fn, l, r), nil
}

func addDays(out result, day, n int64) error {
	if day == noDay || day == allDays {
		out.setInt(day)
		return nil
	}
	if day += n; day < minDay || day > maxDay {
		return outOfRange(dateType)
	}
	out.setInt(day)
	return nil
}

// The first and the last day of a date: 4714-11-24 BC and 5874897-12-31.
const (
	minDay = int64(-2440588)
	maxDay = int64(2145031948)
)

func daysBetween(out result, a args) error {
	x, y := a.int(0), a.int(1)
	if x == noDay || x == allDays || y == noDay || y == allDays {
		return pgerr.New(pgerr.DatetimeFieldOverflow, "cannot subtract infinite dates")
	}
	return setInt(out, x-y, int4Type)
}
