package copy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// oddTexts has texts of every type in forms that kernels take and that they leave over.
var oddTexts = map[string][]string{
	"int2":          {"0", "-32768", "32767", "+7", "007", " 8 ", "0x1F", "1_000", "32768", "x", "-", "1.0"},
	"int4":          {"0", "-2147483648", "2147483647", "0b101", "\t9", "2147483648", "9999999999", "1e3"},
	"int8":          {"0", "-9223372036854775808", "9223372036854775807", "000000000000000000000000001", "9223372036854775808", "0o17"},
	"float4":        {"0", "-0", "1.5", "1e10", "3.4028235e38", "NaN", "inf", "-infinity", "1e39", "1e-50", "16777217", ".5", "5.", "."},
	"float8":        {"0", "-0", "0.1", "1e22", "1.7976931348623157e308", "5e-324", "nan", "Infinity", "1e309", "9007199254740993", "123456789012345678901234567890", "1_0", "0x1p3"},
	"numeric(4,1)":  {"0", "999.9", "-999.94", "999.95", "NaN", "1e2", "0.05", "-0.05", "inf", ".1", "1.", "1_0", "-0"},
	"numeric(18,4)": {"0", "12345678901234.5678", "-12345678901234.56785", "99999999999999.99995", "NaN", "1.23456e5"},
	"numeric(38,9)": {"0", "12345678901234567890123456789.123456789", "-99999999999999999999999999999.9999999999", "NaN", "1e-9", "5e-10"},
	"numeric":       {"0", "0.00", "1e3", "1.5e-3", "NaN", "-Infinity", "+7", "00012.50", "123456789012345678901234567890.5", "x"},
	"bool":          {"t", "f", "true", "false", "1", "0", "TRUE", "yes", "no", "on", "off", " t ", "tru", "o", "2"},
	"date":          {"2001-02-03", "0001-01-01", "9999-12-31", "infinity", "-infinity", "2001-02-29", "2000-02-29", "January 8, 1999", "19990108", "2001-1-1", "4713-01-01 BC", "2001-13-01"},
	"time":          {"00:00:00", "23:59:59.999999", "24:00:00", "04:05", "04:05:06.7", "040506", "25:00:00"},
	"timestamp":     {"2001-02-03 04:05:06", "2001-02-03T04:05:06.123456", "1969-12-31 23:59:59.9999999", "2001-02-03", "infinity", "2001-02-03 24:00:00", "2001-02-03 23:59:60", "2001-02-03 04:05:06.5+03", "2001-02-03 25:00:00"},
	"timestamptz":   {"2001-02-03 04:05:06", "2001-02-03 04:05:06Z", "2001-02-03 04:05:06+05:30", "2001-02-03T04:05:06.1-0800", "2001-02-03 04:05:06 UTC", "epoch", "2001-02-03 04:05:06+16:00"},
	"uuid":          {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	"bytea":         {`\x00ff`, `\xDE AD`, `abc\\d`, `a\001b`, "plain", `\x0`, `\q`},
	"text":          {"a", "a longer text than sixteen", "日本語", " blanks ", `\N`, strings.Repeat("y", 40)},
	"varchar(4)":    {"a", "abcd", "abcd   ", "日本語字", "abcde", "日本語字x"},
	"json":          {`{"a":1}`, "[]", "1", `{"a":`, "nul"},
}

// drawText draws a text of a type, mostly a usual one.
func drawText(r *rand.Rand, typ string) string {
	if odd := oddTexts[typ]; r.IntN(4) == 0 {
		return odd[r.IntN(len(odd))]
	}
	day := time.Unix(r.Int64N(8e9)-4e9, 0).UTC()
	switch {
	case strings.HasPrefix(typ, "int"):
		return fmt.Sprint(int64(r.Uint64()) >> (r.IntN(16) + map[string]int{"int2": 48, "int4": 32, "int8": 0}[typ]))
	case strings.HasPrefix(typ, "float"):
		return fmt.Sprintf([]string{"%g", "%.3f", "%e"}[r.IntN(3)], r.NormFloat64()*100)
	case strings.HasPrefix(typ, "numeric"):
		return fmt.Sprintf("%.*f", r.IntN(6), r.NormFloat64()*300)
	case typ == "bool":
		return []string{"t", "f"}[r.IntN(2)]
	case typ == "date":
		return day.Format("2006-01-02")
	case typ == "time":
		return day.Format("15:04:05")
	case typ == "timestamp":
		return day.Format("2006-01-02 15:04:05") + []string{"", ".5", ".123456"}[r.IntN(3)]
	case typ == "timestamptz":
		return day.Format("2006-01-02 15:04:05") + []string{"", "+00", "-07:30", "Z"}[r.IntN(4)]
	}
	odd := oddTexts[typ]
	return odd[r.IntN(len(odd))]
}

// TestTypes compares the columns that kernels make with values parsed one by one, and
// the error of a bad value with what that value alone gets.
func TestTypes(t *testing.T) {
	store := newStore(t)
	zone := time.FixedZone("", -4*3600)
	for typ := range oddTexts {
		t.Run(typ, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			kind := parseType(t, typ)
			for round := range 20 {
				location := []*time.Location{time.UTC, zone}[round%2]
				p := parser{location: location}
				var in strings.Builder
				var want [][]string
				var bad []string
				for range r.IntN(300) {
					text := drawText(r, typ)
					buf := columnar.ColumnBuf{Type: kind, Fixed: make([]byte, kind.Width()), Bits: make([]uint64, 1), Offsets: make([]int32, 2)}
					if p.store(&buf, 0, []byte(text)) != ok {
						bad = append(bad, text)
						continue
					}
					v := columnar.MakeVec(kind, 1, nil, buf.Fixed, buf.Bits, buf.Offsets, buf.Data, buf.NaN)
					row := []string{string(v.AppendText(nil, 0, time.UTC)), "x"}
					if r.IntN(10) == 0 {
						text, row[0] = "", null
					} else if r.IntN(8) == 0 || strings.ContainsAny(text, "\",") {
						text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
					}
					fmt.Fprintf(&in, "%s,x\n", text)
					want = append(want, row)
				}
				load := func(text string) error {
					target := createTable(t, store, textSchema(t, "a "+typ+", b text"))
					target.Location = location
					opt, err := ParseFromOptions(headerOptions[:1])
					if err != nil {
						t.Fatal(err)
					}
					_, err = From(context.Background(), store, target, FromReader(strings.NewReader(text), ""), opt, Env{readBytes: 64 << r.IntN(8)})
					return err
				}
				if err := load(in.String()); err != nil {
					t.Fatalf("%v in %q", err, in.String())
				}
				got := readTable(t, store)
				dropTable(t, store)
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("%q, want %q from %q", got, want, in.String())
				}
				for _, text := range bad[:min(3, len(bad))] {
					e := valueError(kind, []byte(text), location)
					quoted := `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
					got := wantState(t, load(in.String()+quoted+",x\n"), e.SQLState)
					dropTable(t, store)
					if got.Message != e.Message || got.Column != "a" || got.Value != text || got.Line != int64(len(want)+1) {
						t.Errorf("%+v, want %s at line %d", *got, e.Message, len(want)+1)
					}
				}
			}
		})
	}
}
