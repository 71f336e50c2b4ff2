package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// intColumn is one integer column kernel with its reference.
type intColumn struct {
	name  string
	check func(t *testing.T, what string, b []byte, seps []uint32, n, stride, col int, trim uint32)
}

var intColumns = []intColumn{
	{"int64", func(t *testing.T, what string, b []byte, seps []uint32, n, stride, col int, trim uint32) {
		t.Helper()
		checkIntColumnOutput(t, what, ParseInt64Column, maxDigits64, b, seps, n, stride, col, trim)
	}},
	{"int32", func(t *testing.T, what string, b []byte, seps []uint32, n, stride, col int, trim uint32) {
		t.Helper()
		checkIntColumnOutput(t, what, ParseInt32Column, maxDigits32, b, seps, n, stride, col, trim)
	}},
	{"int16", func(t *testing.T, what string, b []byte, seps []uint32, n, stride, col int, trim uint32) {
		t.Helper()
		checkIntColumnOutput(t, what, ParseInt16Column, maxDigits16, b, seps, n, stride, col, trim)
	}},
}

// checkIntColumnOutput compares kernel with the reference for n records. The words and
// values around the outputs must stay as they were.
func checkIntColumnOutput[T int16 | int32 | int64](t *testing.T, what string,
	kernel func([]T, []uint64, []uint64, []byte, []uint32, int, int, uint32), digits int,
	b []byte, seps []uint32, n, stride, col int, trim uint32) {
	t.Helper()
	words := (n + 63) / 64
	want, wantNull, wantSlow := make([]T, n), make([]uint64, words), make([]uint64, words)
	if n > 0 {
		parseIntColumnRef(want, wantNull, wantSlow, b, seps[col:], stride, trim, digits)
	}

	got, null, slow := make([]T, n+1), make([]uint64, words+1), make([]uint64, words+1)
	for i := range got {
		got[i] = 0x5a
	}
	for i := range null {
		null[i], slow[i] = 0x5a5a, 0xa5a5
	}
	kernel(got[:n], null, slow, b, seps, stride, col, trim)
	if got[n] != 0x5a || null[words] != 0x5a5a || slow[words] != 0xa5a5 {
		t.Fatalf("%s: wrote past the %d records: value %#x, null %#x, slow %#x", what, n, got[n], null[words], slow[words])
	}
	for r := range want {
		start, end := seps[r*stride+col]+1, seps[r*stride+col+1]-trim
		if got[r] != want[r] || null[r/64]>>(r%64)&1 != wantNull[r/64]>>(r%64)&1 || slow[r/64]>>(r%64)&1 != wantSlow[r/64]>>(r%64)&1 {
			t.Fatalf("%s: record %d of %d, field [%d:%d] of %d bytes: %d null %d slow %d; want %d null %d slow %d\nb = %.200q", what, r, n, start, end, len(b),
				got[r], null[r/64]>>(r%64)&1, slow[r/64]>>(r%64)&1, want[r], wantNull[r/64]>>(r%64)&1, wantSlow[r/64]>>(r%64)&1, b)
		}
	}
	if !slices.Equal(null[:words], wantNull) || !slices.Equal(slow[:words], wantSlow) {
		t.Fatalf("%s: bits past %d records: null %#x slow %#x", what, n, null[words-1], slow[words-1])
	}
}

// separators returns the entries that IndexStructure gives for b, after a first one that
// stands before b.
func separators(b []byte) []uint32 {
	dst := make([]uint32, len(b)+1)
	dst[0] = ^uint32(0)
	s := indexStructureRef(dst[1:], make([]uint64, (len(b)+63)/64), b, ',', '"', '\n', '\r', false)
	return dst[:1+s.Seps]
}

// randomField returns one field: mostly integers of every length, signs and boundaries,
// now and then something that no kernel takes.
func randomField(r *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = '0' + byte(r.IntN(10))
		}
		return string(b)
	}
	edges := []string{
		"", "-", "+", "0", "-0", "+0", "00", "-00001", "32767", "32768", "-32768", "-32769", "2147483647",
		"2147483648", "-2147483648", "-2147483649", "4294967296", "9999999999", "99999999999",
		"999999999999999999", "-999999999999999999", "1000000000000000000", "9223372036854775807",
		"1.5", " 1", "1 ", "1_000", "--1", "+-1", "1-", "0x1", "/", ":", "1:", "/1", "\x00", "\xb1", "é",
		"12345678:0123456789", "123456789012345678x", "x23456789012345678", "1/34567890123456", "-x",
	}
	switch r.IntN(8) {
	case 0:
		return edges[r.IntN(len(edges))]
	case 1:
		return ""
	case 2:
		f := []byte(digits(1 + r.IntN(19)))
		f[r.IntN(len(f))] = byte(r.Uint32() | 0x80)
		return string(f)
	case 3:
		return strings.Repeat(digits(1), r.IntN(60))
	case 4:
		return []string{"-", "+"}[r.IntN(2)] + digits(1+r.IntN(20))
	default:
		return digits(1 + r.IntN(20))
	}
}

// TestParseIntColumnCases pins what is a value, null and slow at each width.
func TestParseIntColumnCases(t *testing.T) {
	const null, slow = "null", "slow"
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct{ field, want64, want32, want16 string }{
			{"", null, null, null},
			{"0", "0", "0", "0"},
			{"-0", "0", "0", "0"},
			{"+7", "7", "7", "7"},
			{"00042", "42", "42", "42"},
			{"000042", "42", "42", slow},
			{"32767", "32767", "32767", "32767"},
			{"32768", "32768", "32768", slow},
			{"-32768", "-32768", "-32768", "-32768"},
			{"-32769", "-32769", "-32769", slow},
			{"2147483647", "2147483647", "2147483647", slow},
			{"2147483648", "2147483648", slow, slow},
			{"-2147483648", "-2147483648", "-2147483648", slow},
			{"4294967297", "4294967297", slow, slow},
			{"00000000001", "1", slow, slow},
			{"1234567890123456", "1234567890123456", slow, slow},
			{"12345678901234567", "12345678901234567", slow, slow},
			{"-123456789012345678", "-123456789012345678", slow, slow},
			{"1234567890123456789", slow, slow, slow},
			{"-", slow, slow, slow},
			{"+", slow, slow, slow},
			{"--1", slow, slow, slow},
			{" 1", slow, slow, slow},
			{"1 ", slow, slow, slow},
			{"1_0", slow, slow, slow},
			{"1/2", slow, slow, slow},
			{"1:2", slow, slow, slow},
			{"a", slow, slow, slow},
			{".5", slow, slow, slow},
			{"*5", slow, slow, slow},
			{"/5", slow, slow, slow},
			{":2345678901234567", slow, slow, slow},
			{"/2345678901234567", slow, slow, slow},
			{":23456789012345678", slow, slow, slow},
			{"1:3456789012345678", slow, slow, slow},
			{"12:456789012345678", slow, slow, slow},
			{"12345678901234567:", slow, slow, slow},
		} {
			// The field alone, and behind enough bytes to be read by its end.
			for _, before := range []string{"", strings.Repeat("9", 70) + ","} {
				b := []byte(before + c.field + "\n")
				seps := separators(b)
				stride := len(seps) - 1
				outcome := func(v int64, n, s uint64) string {
					switch {
					case n == 1 && s == 0 && v == 0:
						return null
					case n == 0 && s == 1 && v == 0:
						return slow
					}
					return fmt.Sprint(v)
				}
				var n, s [1]uint64
				var v64 [1]int64
				var v32 [1]int32
				var v16 [1]int16
				ParseInt64Column(v64[:], n[:], s[:], b, seps, stride, stride-1, 0)
				got64 := outcome(v64[0], n[0], s[0])
				ParseInt32Column(v32[:], n[:], s[:], b, seps, stride, stride-1, 0)
				got32 := outcome(int64(v32[0]), n[0], s[0])
				ParseInt16Column(v16[:], n[:], s[:], b, seps, stride, stride-1, 0)
				got16 := outcome(int64(v16[0]), n[0], s[0])
				if got64 != c.want64 || got32 != c.want32 || got16 != c.want16 {
					t.Errorf("%q after %d bytes: int64 %s, int32 %s, int16 %s; want %s, %s, %s",
						c.field, len(before), got64, got32, got16, c.want64, c.want32, c.want16)
				}
			}
		}
	})
}

// TestParseIntColumn parses blocks of 0 to 130 records and of some thousands, of 1 to 4
// columns, against an unreadable page on either side.
func TestParseIntColumn(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for n := range 140 {
			records := n
			if n > 130 {
				records = 2047 + n%3
			}
			stride, trim := 1+r.IntN(4), uint32(r.IntN(2))
			var text strings.Builder
			for range records {
				for c := range stride {
					text.WriteString(randomField(r))
					if c < stride-1 {
						text.WriteByte(',')
					}
				}
				text.WriteString("\r\n"[1-trim:])
			}
			end, start := guard.New(text.Len()), guard.NewAtStart(text.Len())
			copy(end.Bytes(), text.String())
			copy(start.Bytes(), text.String())
			seps := separators(end.Bytes())
			for c := range stride {
				for _, k := range intColumns {
					last := uint32(0)
					if c == stride-1 {
						last = trim
					}
					k.check(t, fmt.Sprintf("%s seed 21,22 n=%d at end", k.name, n), end.Bytes(), seps, records, stride, c, last)
					k.check(t, fmt.Sprintf("%s seed 21,22 n=%d at start", k.name, n), start.Bytes(), seps, records, stride, c, last)
				}
			}
			closeAll(t, end, start)
		}
	})
}

// TestParseIntColumnBounds gives every start and end in blocks of 0 to 70 bytes, wrapped
// and reversed ranges and ends outside the block among them. A block that is part of a
// larger one ends at its length, not at its capacity.
func TestParseIntColumnBounds(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		digits := strings.Repeat("-1234567", 10)
		for _, n := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 70} {
			end, start := guard.New(n), guard.NewAtStart(n)
			copy(end.Bytes(), digits)
			copy(start.Bytes(), digits)
			part := []byte(digits)[:n]
			var seps []uint32
			for before := range uint32(n + 12) {
				for after := range uint32(n + 12) {
					seps = append(seps, before-6, after-6)
				}
			}
			records := len(seps) / 2
			seps = append(seps, 0)
			for trim := range uint32(2) {
				for _, k := range intColumns {
					what := fmt.Sprintf("%s bounds n=%d trim=%d", k.name, n, trim)
					k.check(t, what, end.Bytes(), seps, records, 2, 0, trim)
					k.check(t, what, start.Bytes(), seps, records, 2, 0, trim)
					k.check(t, what, part, seps, records, 2, 0, trim)
				}
			}
			closeAll(t, end, start)
		}
	})
}

func TestParseIntColumnMisuse(t *testing.T) {
	dst, words, seps, b := make([]int64, 65), make([]uint64, 2), make([]uint32, 131), make([]byte, 9)
	ParseInt64Column(dst, words, words, b, seps, 2, 1, 0)
	ParseInt64Column(nil, nil, nil, nil, seps[:1], 2, 1, 0)
	for name, f := range map[string]func(){
		"stride 0":       func() { ParseInt64Column(dst, words, words, b, seps, 0, 0, 0) },
		"col < 0":        func() { ParseInt64Column(dst, words, words, b, seps, 2, -1, 0) },
		"col = stride":   func() { ParseInt64Column(dst, words, words, b, seps, 2, 2, 0) },
		"short null":     func() { ParseInt64Column(dst, words[:1], words, b, seps, 2, 0, 0) },
		"short slow":     func() { ParseInt64Column(dst, words, words[:1], b, seps, 2, 0, 0) },
		"short seps":     func() { ParseInt64Column(dst, words, words, b, seps[:130], 2, 0, 0) },
		"no seps":        func() { ParseInt64Column(nil, nil, nil, b, nil, 2, 0, 0) },
		"stride too big": func() { ParseInt64Column(dst, words, words, b, seps, math.MaxInt, 0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
