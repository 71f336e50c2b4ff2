package pgpeer_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seed returns the seed of a randomized test: INGOT_SEED if that is set. The test logs
// it, with how to repeat the run.
func seed(tb testing.TB) uint64 {
	tb.Helper()
	n := uint64(1)
	if s := os.Getenv("INGOT_SEED"); s != "" {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			tb.Fatalf("INGOT_SEED: %v", err)
		}
		n = v
	}
	tb.Logf("repeat with: INGOT_SEED=%d go test -run '^%s$' ./internal/pgpeer", n, tb.Name())
	return n
}

// column is a column of the round trip: its name, its type and where its values come
// from. A value is text that both systems take.
type column struct {
	name, typ string
	random    func(r *rand.Rand) string
}

// columns has every type that both systems have.
var columns = []column{
	{"b", "bool", pick("true", "false", "t", "f", "yes", "off", "1", "0")},
	{"i2", "int2", integer(16)},
	{"i4", "int4", integer(32)},
	{"i8", "int8", integer(64)},
	{"f4", "float4", float4},
	{"f8", "float8", float8},
	{"n5_2", "numeric(5,2)", decimal(5, 2)},
	{"n9", "numeric(9,0)", decimal(9, 0)},
	{"n18_6", "numeric(18,6)", decimal(18, 6)},
	{"n38_10", "numeric(38,10)", decimal(38, 10)},
	{"n", "numeric", numeric},
	{"t", "text", text(200)},
	{"v", "varchar(20)", text(20)},
	{"x", "bytea", bytea},
	{"d", "date", date},
	{"tm", "time", clock},
	{"ts", "timestamp", func(r *rand.Rand) string { return timestamp(r, "") }},
	{"tz", "timestamptz", func(r *rand.Rand) string { return timestamp(r, "+00") }},
	{"u", "uuid", uuid},
	{"j", "json", json},
}

// arrays has some types of arrays.
var arrays = []column{
	{"ai4", "int4[]", array(integer(32))},
	{"at", "text[]", array(text(20))},
	{"an", "numeric(18,6)[]", array(decimal(18, 6))},
	{"af8", "float8[]", array(float8)},
	{"ab", "bool[]", array(pick("t", "f"))},
	{"ats", "timestamp[]", array(func(r *rand.Rand) string { return timestamp(r, "") })},
}

func pick(of ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return of[r.IntN(len(of))] }
}

// integer returns numbers of any length up to the type's, both ends included.
func integer(bits uint) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		v := int64(r.Uint64()) >> (64 - bits)
		switch r.IntN(10) {
		case 0:
			v = math.MinInt64 >> (64 - bits)
		case 1:
			v = math.MaxInt64 >> (64 - bits)
		case 2, 3, 4:
			v >>= r.UintN(bits)
		}
		return strconv.FormatInt(v, 10)
	}
}

func float8(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return pick("NaN", "Infinity", "-Infinity", "0", "-0", "4.9406564584124654e-324", "1.7976931348623157e+308", "1e15", "1e16",
			"123456789012345678", "0.0001", "0.00001", "2.2250738585072014e-308")(r)
	case 1, 2:
		return strconv.FormatFloat(float64(r.IntN(2_000_000)-1_000_000)/100, 'f', -1, 64)
	}
	f := math.Float64frombits(r.Uint64())
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'e', -1, 64)
}

func float4(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return pick("NaN", "Infinity", "-Infinity", "0", "-0", "1e-45", "3.4028235e+38", "1e6", "16777216", "1.17549435e-38", "0.1")(r)
	case 1, 2:
		return strconv.FormatFloat(float64(r.IntN(20_000)-10_000)/100, 'f', -1, 32)
	}
	f := math.Float32frombits(r.Uint32())
	if f != f || math.IsInf(float64(f), 0) {
		return "NaN"
	}
	return strconv.FormatFloat(float64(f), 'e', -1, 32)
}

func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + r.IntN(10))
	}
	return string(b)
}

// decimal returns values that fit numeric(p,s), some with more digits than it keeps.
func decimal(p, s int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		if r.IntN(20) == 0 {
			return "NaN"
		}
		v := digits(r, r.IntN(p-s+1))
		if r.IntN(20) == 0 {
			v = strings.Repeat("9", p-s)
		}
		switch f := digits(r, r.IntN(s+1)); {
		case f != "":
			v += "." + f
		case v == "":
			v = "0"
		case s > 0 && len(v) < p-s && r.IntN(4) == 0:
			v += "." + digits(r, s+3) // rounded
		}
		return pick("", "-")(r) + v
	}
}

func numeric(r *rand.Rand) string {
	switch r.IntN(12) {
	case 0:
		return pick("NaN", "Infinity", "-Infinity", "0", "0.00", "1e-20", "1e20", "-1.500", "10000", "0.0001", "100000000.00000000")(r)
	case 1:
		return pick("", "-")(r) + digits(r, 1+r.IntN(300)) + "." + digits(r, r.IntN(300))
	case 2:
		return fmt.Sprintf("%s%s.%se%d", pick("", "-")(r), digits(r, 1+r.IntN(5)), digits(r, r.IntN(5)), r.IntN(200)-100)
	}
	v := pick("", "-")(r) + digits(r, 1+r.IntN(20))
	if r.IntN(2) == 0 {
		v += "." + digits(r, r.IntN(12))
	}
	return v
}

// pieces are what quoting and escaping must cope with.
var pieces = []string{
	"a", "b", "xyz", "0", " ", "  ", ",", ";", "|", "\t", `"`, `""`, "'", `\`, `\\`, "\n", "\r", "\r\n", `\.`, `\N`, `\n`, "NULL", "NA", "null",
	"ä", "ß", "€", "😀", "\u00a0", "\u2028", "\x01", "\x7f", "\b", "\f", "\v", "/", "{", "}", "t", "1.5", "-", "#", "%",
}

// text returns text of at most limit characters, often short, often nasty.
func text(limit int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		switch r.IntN(12) {
		case 0:
			return ""
		case 1:
			return pick(`\.`, `\N`, "NULL", "NA", `"`, "\n", "\r\n", " ", ",", `\`, "''", "null", "\t")(r)
		case 2, 3, 4:
			return strings.Repeat("lorem ipsum dolor ", 1+limit/18)[:r.IntN(limit)]
		}
		var b strings.Builder
		n := 0
		for range r.IntN(12) {
			p := pieces[r.IntN(len(pieces))]
			if n += len([]rune(p)); n > limit {
				break
			}
			b.WriteString(p)
		}
		return b.String()
	}
}

func bytea(r *rand.Rand) string {
	b := make([]byte, r.IntN(40))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	switch r.IntN(10) {
	case 0:
		return pick("", `\x`, `a\\b`, `\000\377`, "plain text", `\x00 ff`)(r)
	}
	return `\x` + hex.EncodeToString(b)
}

// day returns a day between 4713 BC and the given year.
func day(r *rand.Rand, year int) time.Time {
	from, to := time.Date(-4712, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86400, time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).Unix()/86400
	if r.IntN(3) > 0 {
		from, to = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86400, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86400
	}
	return time.Unix((from+r.Int64N(to-from+1))*86400, 0).UTC()
}

// isoDate returns a day as yyyy-mm-dd and the era.
func isoDate(t time.Time) (ymd, era string) {
	y := t.Year()
	if y <= 0 {
		y, era = 1-y, " BC"
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, t.Month(), t.Day()), era
}

func date(r *rand.Rand) string {
	if r.IntN(15) == 0 {
		return pick("infinity", "-infinity", "4714-11-24 BC", "5874897-12-31", "0001-12-31 BC", "0001-01-01", "1970-01-01", "2000-02-29", "20240229")(r)
	}
	ymd, era := isoDate(day(r, 5874897))
	return ymd + era
}

func hms(r *rand.Rand) string {
	return fmt.Sprintf("%02d:%02d:%02d", r.IntN(24), r.IntN(60), r.IntN(60))
}

func clock(r *rand.Rand) string {
	if r.IntN(15) == 0 {
		return pick("00:00:00", "24:00:00", "23:59:59.999999", "12:00", "01:02:03.4567891")(r)
	}
	s := hms(r)
	if r.IntN(2) == 0 {
		s += "." + digits(r, 1+r.IntN(6))
	}
	return s
}

func timestamp(r *rand.Rand, zone string) string {
	if r.IntN(15) == 0 {
		return pick("infinity", "-infinity", "1970-01-01 00:00:00", "2000-01-01 00:00:00", "4713-01-01 00:00:00 BC", "294246-12-31 23:59:59.999999",
			"1969-12-31 23:59:59.999999", "1999-12-31 23:59:59.999999")(r)
	}
	ymd, era := isoDate(day(r, 294246))
	if zone != "" && r.IntN(2) == 0 {
		zone = pick("+05:30", "-08", "+13", "Z", " Europe/Berlin", "+01:02:03")(r)
	}
	return ymd + " " + hms(r) + pick("", ".5", ".123456", ".000001")(r) + zone + era
}

func uuid(r *rand.Rand) string {
	h := fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())
	if r.IntN(4) == 0 {
		return strings.ToUpper(h)
	}
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func json(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return pick("null", " 1 ", `"a\"b\\\n"`, "[]", "{}", "1e5", "-0.0", `"\u00e4"`, "true")(r)
	case 1:
		return fmt.Sprintf("[%d, %s,\n%q]", r.IntN(100), json(r), digits(r, r.IntN(5)))
	}
	return fmt.Sprintf(`{"k%d": %s, "k" :%d}`, r.IntN(9), pick("null", `"a,b"`, "[1,2]", `{"x":"\\"}`)(r), r.IntN(1000))
}

// array returns arrays of elements in the text form, with quotes around each.
func array(element func(*rand.Rand) string) func(*rand.Rand) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	return func(r *rand.Rand) string {
		list := make([]string, r.IntN(5))
		for i := range list {
			if r.IntN(6) == 0 {
				list[i] = "NULL"
			} else {
				list[i] = `"` + escape.Replace(element(r)) + `"`
			}
		}
		return "{" + strings.Join(list, ",") + "}"
	}
}

// randomCSV returns n rows of cols as CSV, behind the number of the row. Every eighth
// value is NULL.
func randomCSV(r *rand.Rand, cols []column, n int) []byte {
	var b strings.Builder
	for row := range n {
		b.WriteString(strconv.Itoa(row))
		for _, c := range cols {
			b.WriteByte(',')
			if r.IntN(8) == 0 {
				continue
			}
			b.WriteByte('"')
			b.WriteString(strings.ReplaceAll(c.random(r), `"`, `""`))
			b.WriteByte('"')
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// createTable returns the statement that makes a table of cols behind a row number.
func createTable(name string, cols []column) string {
	list := []string{"id int4"}
	for _, c := range cols {
		list = append(list, c.name+" "+c.typ)
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", name, strings.Join(list, ", "))
}
