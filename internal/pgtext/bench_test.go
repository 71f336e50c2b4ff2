package pgtext

import (
	"testing"
	"time"
)

// reads holds the benchmarks and the texts that must be read without allocating.
var reads = []struct {
	name string
	text string
	read func(b []byte) Status
}{
	{"int/1", "7", readInt}, {"int/5", "12345", readInt}, {"int/9", "-123456789", readInt},
	{"int/18", "123456789012345678", readInt}, {"int/blanks", " 42 ", readInt}, {"int/hex", "0x1_ff", readInt},
	{"float8/short", "3.25", readFloat8}, {"float8/15", "73819203344.518", readFloat8},
	{"float8/17", "0.30000000000000004", readFloat8}, {"float8/exp", "1.7976931348623157e308", readFloat8},
	{"float8/hex", "0x1.8p3", readFloat8}, {"float8/nan", "nan", readFloat8},
	{"float4/short", "0.1", readFloat4}, {"float4/exp", "3.4028235e38", readFloat4},
	{"bool/t", "t", readBool}, {"bool/false", "false", readBool},
	{"decimal/price", "1234.56", readDecimal}, {"decimal/round", "-1234.5678", readDecimal},
	{"decimal/exp", "1.2e3", readDecimal}, {"decimal/long", "123456789012345678901234.56", readDecimal},
	{"numeric/price", "1234.56", readNumeric}, {"numeric/exp", "1.5e-3", readNumeric},
	{"date/iso", "2021-03-04", readDate}, {"date/us", "3/4/2021", readDate}, {"date/words", "January 8, 1999", readDate},
	{"time/iso", "04:05:06.789", readTime}, {"time/short", "04:05 PM", readTime},
	{"timestamp/iso", "2021-03-04 05:06:07", readTimestamp},
	{"timestamp/micros", "2021-03-04T05:06:07.123456", readTimestamp},
	{"timestamp/nanos", "2021-03-04 05:06:07.123456789", readTimestamp},
	{"timestamp/minutes", "2021-03-04 05:06", readTimestamp},
	{"timestamptz/z", "2021-03-04T05:06:07Z", readTimestampTZ},
	{"timestamptz/offset", "2021-03-04 05:06:07.5+05:30", readTimestampTZ},
	{"timestamptz/session", "2021-03-04 05:06:07", readTimestampTZ},
	{"timestamptz/abbrev", "2021-03-04 05:06:07 PST", readTimestampTZ},
	{"timestamptz/moving", "2021-03-04 05:06:07 MSK", readTimestampTZ},
	{"timestamptz/name", "2021-03-04 05:06:07 Europe/Berlin", readTimestampTZ},
	{"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", func(b []byte) Status { _, st := UUID(b); return st }},
	{"bytea/hex", `\x00ff10aa`, func(b []byte) Status { _, st := Bytea(scratch[:0], b); return st }},
	{"bytea/escape", `ab\\c\001`, func(b []byte) Status { _, st := Bytea(scratch[:0], b); return st }},
	{"json", `{"a": [1, 2.5e3, "x\u00e9"], "b": null}`, func(b []byte) Status {
		if _, ok := ValidJSON(b); !ok {
			return Syntax
		}
		return OK
	}},
	{"utf8/ascii", "the quick brown fox jumps over it", readUTF8},
	{"utf8/accents", "größere Mengen für später, naïve café", readUTF8},
	{"utf8/kanji", "東京都千代田区霞が関一丁目", readUTF8},
}

func readUTF8(b []byte) Status {
	if !ValidUTF8(b) {
		return InvalidEncoding
	}
	return OK
}

var (
	scratch  = make([]byte, 256)
	sinkInt  int64
	sinkReal float64
	newYork  = mustLocation("America/New_York")
)

func mustLocation(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}

func readInt(b []byte) (st Status)    { sinkInt, st = Int(b, 64); return st }
func readFloat8(b []byte) (st Status) { sinkReal, st = Float8(b); return st }
func readFloat4(b []byte) Status      { v, st := Float4(b); sinkReal = float64(v); return st }
func readBool(b []byte) Status        { _, st := Bool(b); return st }
func readDecimal(b []byte) Status     { v, _, st := ParseDecimal(b, 38, 2); sinkInt = v.Hi; return st }
func readNumeric(b []byte) Status     { _, st := ParseNumericText(scratch[:0], b); return st }
func readDate(b []byte) Status        { v, st := Date(b); sinkInt = int64(v); return st }
func readTime(b []byte) (st Status)   { sinkInt, st = Time(b); return st }
func readTimestamp(b []byte) Status   { v, st := Timestamp(b); sinkInt = v; return st }
func readTimestampTZ(b []byte) Status { v, st := TimestampTZ(b, newYork); sinkInt = v; return st }

func BenchmarkRead(b *testing.B) {
	for _, r := range reads {
		b.Run(r.name, func(b *testing.B) {
			text := []byte(r.text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if r.read(text) != OK {
					b.Fatal("refused")
				}
			}
		})
	}
}

// writes are the formatters, each with a value that exercises it.
var writes = []struct {
	name  string
	write func(dst []byte) []byte
}{
	{"int", func(dst []byte) []byte { return AppendInt(dst, -1234567890) }},
	{"float8/short", func(dst []byte) []byte { return AppendFloat8(dst, 3.25) }},
	{"float8/17", func(dst []byte) []byte { return AppendFloat8(dst, 0.30000000000000004) }},
	{"float8/midpoint", func(dst []byte) []byte { return AppendFloat8(dst, 1e23) }},
	{"decimal", func(dst []byte) []byte { return AppendDecimal(dst, Decimal128{0, 123456}, 2) }},
	{"decimal/wide", func(dst []byte) []byte { return AppendDecimal(dst, Decimal128{-1 << 40, 5}, 10) }},
	{"date", func(dst []byte) []byte { return AppendDate(dst, 18690) }},
	{"time", func(dst []byte) []byte { return AppendTime(dst, 14706789000) }},
	{"timestamp", func(dst []byte) []byte { return AppendTimestamp(dst, 1614834367123456) }},
	{"timestamptz/utc", func(dst []byte) []byte { return AppendTimestampTZ(dst, 1614834367123456, time.UTC) }},
	{"timestamptz/zone", func(dst []byte) []byte { return AppendTimestampTZ(dst, 1614834367123456, newYork) }},
	{"uuid", func(dst []byte) []byte { return AppendUUID(dst, [16]byte{1, 2, 3}) }},
	{"bytea", func(dst []byte) []byte { return AppendBytea(dst, []byte("0123456789abcdef")) }},
	{"numeric key", func(dst []byte) []byte { return NumericKey(dst, []byte("-1234.5600")) }},
}

func BenchmarkWrite(b *testing.B) {
	for _, w := range writes {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				scratch = w.write(scratch[:0])
			}
		})
	}
}

// TestNoAllocations reads and writes each value above; a zone name is found once before.
func TestNoAllocations(t *testing.T) {
	for _, r := range reads {
		text := []byte(r.text)
		if st := r.read(text); st != OK {
			t.Errorf("%s: status %d", r.name, st)
		}
		if n := testing.AllocsPerRun(20, func() { r.read(text) }); n != 0 {
			t.Errorf("reading %s: %v allocations", r.name, n)
		}
	}
	for _, w := range writes {
		if n := testing.AllocsPerRun(20, func() { w.write(scratch[:0]) }); n != 0 {
			t.Errorf("writing %s: %v allocations", w.name, n)
		}
	}
}
