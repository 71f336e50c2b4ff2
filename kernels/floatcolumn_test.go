package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestPowersOfFive compares the table with math/big: an entry is the power's first 128
// bits, the highest set, and above them by at most one unit where they are not exact.
func TestPowersOfFive(t *testing.T) {
	for q := minPower; q <= maxPower; q++ {
		entry := new(big.Int).Lsh(new(big.Int).SetUint64(powersOfFive[q-minPower][0]), 64)
		entry.Add(entry, new(big.Int).SetUint64(powersOfFive[q-minPower][1]))
		if entry.BitLen() != 128 {
			t.Fatalf("5**%d: %d bits", q, entry.BitLen())
		}
		// The power is entry * 2**shift, shift being what makes the quotient 1 to 2.
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(max(q, -q))), nil))
		if q < 0 {
			power.Inv(power)
		}
		two := big.NewRat(2, 1)
		for x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 127)); power.Cmp(x) < 0; {
			power.Mul(power, two)
		}
		for x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 128)); power.Cmp(x) >= 0; {
			power.Quo(power, two)
		}
		want := new(big.Int).Quo(power.Num(), power.Denom())
		if q < 0 && q >= -27 {
			want.Add(want, big.NewInt(1))
		}
		if entry.Cmp(want) != 0 {
			t.Errorf("5**%d: %x, want %x", q, entry, want)
		}
	}
}

// hardNumbers returns texts where rounding is most easily got wrong: next to and at the
// middle between two neighbours, at the ends of the range and at the limits of the text.
func hardNumbers(r *rand.Rand) []string {
	out := []string{
		"0", "-0", "+0", "0.0", "-0.0e5", ".5", "5.", "-.5", "0e999", "00000000000000000000000000000000", "0.00000000000000000000000000001",
		"9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995", "-9007199254740993", "9007199254740993e0",
		"1e22", "1e23", "8.5e22", "1e-22", "123456789012345678e-22", "9999999999999999999", "18446744073709551615", "9223372036854775807",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.797693134862315807e308", "1.797693134862315808e308", "1.7976931348623159e308", "1e309", "2e308",
		"2.2250738585072014e-308", "2.2250738585072011e-308", "2.225073858507201e-308", "4.9406564584124654e-324", "4.9e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "2.47e-324", "1e-323", "1e-400", "1e400", "1e-999", "1e999",
		"3.4028235e38", "3.4028236e38", "3.40282356779733661e38", "3.40282356779733662e38", "1.1754943508222875e-38", "1.401298464324817e-45",
		"7.006492321624085e-46", "7.006492321624086e-46", "16777216", "16777217", "16777218", "16777219", "33554433", "0.000030517578125",
		"1e", "e1", "1e+", "1e-", "1e1234", "1e0001", "1e001", "1e-05", "1E5", "1e5e5", "1e5.", "1.e5", ".e5", ".", "-", "+", "-.", "+.e1", "1..2", "1.2.3",
		"1_000", "1,5", " 1", "1 ", "0x10", "inf", "-Infinity", "nan", "NaN", "١", "1\x00", "\x001", "12345678901234567890", "0.12345678901234567890",
		"1234567890.123456789", "1234567890.1234567890", "0000000000001234567890.123456789", "000000000001234567890.1234567890",
	}
	for n := 28; n < 36; n++ {
		zeros := strings.Repeat("0", n)
		out = append(out, zeros, "-"+zeros, zeros+".5", zeros[2:]+"12", zeros[1:]+"e5", "."+zeros[1:], "-."+zeros[2:], zeros+"e-5")
	}
	for range 150 {
		// Integers up to 2**64 that lie halfway between doubles, and their neighbours.
		shift := 1 + r.IntN(10)
		m := (r.Uint64N(1<<53)|1<<52)<<shift | 1<<(shift-1)
		for d := -1; d <= 1; d++ {
			out = append(out, strconv.FormatUint(m+uint64(d), 10))
		}
		// The same with an exponent: the middle between two neighbours to 17 to 19 digits.
		f := math.Float64frombits(r.Uint64N(0x7ff << 52))
		x := new(big.Float).SetPrec(200).SetFloat64(f)
		x.Add(x, new(big.Float).SetPrec(200).SetFloat64(math.Nextafter(f, math.Inf(1))))
		x.Quo(x, big.NewFloat(2))
		for digits := 14; digits <= 19; digits++ {
			out = append(out, x.Text('e', digits-1))
		}
		g := math.Float32frombits(r.Uint32N(0xff << 23))
		y := (float64(g) + float64(math.Nextafter32(g, float32(math.Inf(1))))) / 2
		for digits := 7; digits <= 19; digits += 3 {
			out = append(out, strconv.FormatFloat(y, 'e', digits-1, 64))
		}
		out = append(out, strconv.FormatFloat(f, 'g', -1, 64), strconv.FormatFloat(float64(g), 'g', -1, 32),
			fmt.Sprintf("%de%d", r.Uint64N(1e19), r.IntN(720)-370), fmt.Sprintf("%d.%de%d", r.IntN(10), r.Uint64N(1e18), r.IntN(720)-370))
	}
	return out
}

// TestFloatColumnHard compares the rounding with strconv's, which the reference asks.
func TestFloatColumnHard(t *testing.T) {
	fields := hardNumbers(rand.New(rand.NewPCG(91, 92)))
	forEachLevel(t, func(t *testing.T) {
		kernelNamed(t, "float64").checkFields(t, "seed 91,92", fields)
		kernelNamed(t, "float32").checkFields(t, "seed 91,92", fields)
	})
}

// TestRoundDecimal compares the product with strconv for mantissas and exponents of every
// size, subnormal results among them.
func TestRoundDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	for range 40_000 {
		m, exp := r.Uint64()>>r.IntN(64), r.IntN(700)-365
		text := fmt.Sprintf("%de%d", m, exp)
		for bits, to := range map[int]*binaryFormat{64: &binary64, 32: &binary32} {
			f, err := strconv.ParseFloat(text, bits)
			want, wantOK := math.Float64bits(f), err == nil && (f != 0 || m == 0)
			if bits == 32 {
				want = uint64(math.Float32bits(float32(f)))
			}
			got, ok := roundDecimal(m, exp, to)
			if ok != wantOK || ok && got != want {
				t.Fatalf("seed 93,94: %s to %d bits: %#x %v, want %#x %v", text, bits, got, ok, want, wantOK)
			}
		}
	}
}

// TestFloatColumnCases pins what is a value and what is slow, against the reference being
// wrong in the same way.
func TestFloatColumnCases(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		for field, want := range map[string]float64{
			"0": 0, "1.5": 1.5, "-12.25": -12.25, "+3": 3, ".5": 0.5, "5.": 5, "1e3": 1000, "1.5E-3": 0.0015, "0.1": 0.1,
			"0.30000000000000004": 0.30000000000000004, "1.7976931348623157e308": math.MaxFloat64, "5e-324": 5e-324,
			"9007199254740993": 9007199254740992, "0.00000000001234567890123456789": 1.234567890123456789e-11,
		} {
			var got [1]float64
			var null, slow [1]uint64
			ParseFloat64Column(got[:], null[:], slow[:], []byte(field), []uint32{^uint32(0), uint32(len(field))}, 1, 0, 0)
			if got[0] != want || null[0] != 0 || slow[0] != 0 {
				t.Errorf("%q: %v null %d slow %d, want %v", field, got[0], null[0], slow[0], want)
			}
		}
		for _, field := range []string{"inf", "nan", " 1", "1 ", "1e", "1e1000", "1e999", "1e-999", "12345678901234567890", "1_0", "0x1p3", ".", "-", "1.2.3", "1e5e5"} {
			var got [1]float64
			var null, slow [1]uint64
			ParseFloat64Column(got[:], null[:], slow[:], []byte(field), []uint32{^uint32(0), uint32(len(field))}, 1, 0, 0)
			if got[0] != 0 || null[0] != 0 || slow[0] != 1 {
				t.Errorf("%q: %v null %d slow %d, want slow", field, got[0], null[0], slow[0])
			}
		}
	})
}
