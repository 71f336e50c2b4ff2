package pgtext

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// source returns a generator; its seed is in every failure message through t.Name.
func source(t *testing.T) *rand.Rand {
	const seed = 20260101
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// mutate replaces, drops or doubles a byte now and then.
func mutate(r *rand.Rand, text []byte, alphabet string) []byte {
	out := bytes.Clone(text)
	for len(out) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(out))
		switch r.IntN(3) {
		case 0:
			out[i] = alphabet[r.IntN(len(alphabet))]
		case 1:
			out = append(out[:i], out[i+1:]...)
		default:
			out = append(out[:i+1], out[i:]...)
		}
	}
	return out
}

func TestIntFastIsSlow(t *testing.T) {
	r := source(t)
	for range 50000 {
		text := mutate(r, strconv.AppendInt(nil, r.Int64()>>r.IntN(64)-r.Int64N(2), 10), "0123456789-+ _x.")
		for _, bits := range []int{16, 32, 64} {
			v, st := Int(text, bits)
			w, want := intSlow(text, bits)
			if v != w || st != want {
				t.Fatalf("Int(%q, %d) = %d, %d; slow %d, %d", text, bits, v, st, w, want)
			}
		}
	}
}

func TestIntIsStrconv(t *testing.T) {
	r := source(t)
	for range 20000 {
		text := strconv.FormatInt(r.Int64()>>r.IntN(64), 10)
		if r.IntN(4) == 0 {
			text += strconv.Itoa(r.IntN(1000))
		}
		for _, bits := range []int{16, 32, 64} {
			v, st := Int([]byte(text), bits)
			w, err := strconv.ParseInt(text, 10, bits)
			if (st == OK) != (err == nil) || st == OK && v != w {
				t.Fatalf("Int(%q, %d) = %d, %d; strconv %d, %v", text, bits, v, st, w, err)
			}
			if st != OK && st != Range {
				t.Fatalf("Int(%q, %d): status %d", text, bits, st)
			}
		}
	}
}

func TestFloatIsStrconv(t *testing.T) {
	r := source(t)
	for range 50000 {
		digits := 1 + r.IntN(25)
		text := strconv.FormatUint(r.Uint64(), 10) + "00000000"
		text = text[:min(digits, len(text))]
		if r.IntN(2) == 0 {
			i := r.IntN(len(text) + 1)
			text = text[:i] + "." + text[i:]
		}
		if r.IntN(2) == 0 {
			text += "e" + strconv.Itoa(r.IntN(700)-350)
		}
		f, st := Float8([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		zero := want == 0 && strings.ContainsAny(strings.SplitN(text, "e", 2)[0], "123456789")
		if (st == OK) != (err == nil && !zero) || st == OK && f != want {
			t.Fatalf("Float8(%q) = %v, %d; strconv %v, %v", text, f, st, want, err)
		}
		f4, st := Float4([]byte(text))
		want, err = strconv.ParseFloat(text, 32)
		zero = want == 0 && strings.ContainsAny(strings.SplitN(text, "e", 2)[0], "123456789")
		if (st == OK) != (err == nil && !zero) || st == OK && f4 != float32(want) {
			t.Fatalf("Float4(%q) = %v, %d; strconv %v, %v", text, f4, st, want, err)
		}
	}
}

func TestHexFloatIsStrconv(t *testing.T) {
	r := source(t)
	for range 20000 {
		digits := fmt.Sprintf("%x%x", r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64))
		i := r.IntN(len(digits) + 1)
		text := fmt.Sprintf("0x%s.%sp%d", digits[:i], digits[i:], r.IntN(2300)-1200)
		f, st := Float8([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		zero := want == 0 && strings.Trim(digits, "0") != ""
		if (st == OK) != (err == nil && !zero) || st == OK && f != want {
			t.Fatalf("Float8(%q) = %v, %d; strconv %v, %v", text, f, st, want, err)
		}
	}
}

// isMidpoint reports whether text is exactly half-way between f and a neighbour.
func isMidpoint(text string, f float64) bool {
	exact, _ := new(big.Rat).SetString(text)
	for _, toward := range []float64{math.Inf(-1), math.Inf(1)} {
		n := math.Nextafter(f, toward)
		if math.IsInf(n, 0) {
			continue
		}
		mid := new(big.Rat).Add(new(big.Rat).SetFloat64(f), new(big.Rat).SetFloat64(n))
		if mid.Quo(mid, big.NewRat(2, 1)).Cmp(exact) == 0 {
			return true
		}
	}
	return false
}

func TestFloatFormat(t *testing.T) {
	r := source(t)
	midpoints := 0
	for i := range 40000 {
		f := math.Float64frombits(r.Uint64())
		if i%2 == 0 { // where midpoints are short
			f = float64(r.IntN(1000000)) * math.Pow(10, float64(r.IntN(24)))
		}
		if f != f || math.IsInf(f, 0) {
			continue
		}
		text := AppendFloat8(nil, f)
		if back, st := Float8(text); st != OK || back != f {
			t.Fatalf("%v prints as %s, which reads as %v, %d", f, text, back, st)
		}
		shortest := strconv.FormatFloat(f, 'e', -1, 64)
		d := splitDigits([]byte(shortest))
		if isMidpoint(shortest, f) {
			midpoints++
			if isMidpoint(string(text), f) {
				t.Fatalf("%v prints as a midpoint, %s", f, text)
			}
		} else if want := d.append(nil, 15); string(bytes.TrimPrefix(text, []byte("-"))) != string(want) {
			t.Fatalf("%v prints as %s, want %s", f, text, want)
		}
		f4 := math.Float32frombits(r.Uint32())
		if f4 != f4 {
			continue
		}
		if back, st := Float4(AppendFloat4(nil, f4)); st != OK || back != f4 {
			t.Fatalf("%v reads back as %v, %d", f4, back, st)
		}
	}
	if midpoints == 0 {
		t.Error("no midpoint among the values")
	}
}

func toBig(d Decimal128) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(d.Hi), 64)
	return v.Add(v, new(big.Int).SetUint64(d.Lo))
}

func pow10Big(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// roundRat rounds v * 10**scale half away from zero.
func roundRat(v *big.Rat, scale int) *big.Int {
	x := new(big.Rat).Abs(v)
	if scale >= 0 {
		x.Mul(x, new(big.Rat).SetInt(pow10Big(scale)))
	} else {
		x.Quo(x, new(big.Rat).SetInt(pow10Big(-scale)))
	}
	x.Add(x, big.NewRat(1, 2))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if v.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

// randomDecimal returns a decimal text of up to 45 digits.
func randomDecimal(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteByte('-')
	}
	n := 1 + r.IntN(1+r.IntN(45))
	point := r.IntN(2 * n)
	for i := range n {
		if i == point {
			b.WriteByte('.')
		}
		if r.IntN(4) == 0 {
			b.WriteByte("059"[r.IntN(3)])
		} else {
			b.WriteByte(byte('0' + r.IntN(10)))
		}
	}
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "e%d", r.IntN(50)-25)
	}
	return b.String()
}

func TestDecimalIsExact(t *testing.T) {
	r := source(t)
	for range 60000 {
		text := randomDecimal(r)
		precision := 1 + r.IntN(maxPrecision)
		scale := r.IntN(precision + 1)
		if r.IntN(8) == 0 {
			scale = r.IntN(60) - 10
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number", text)
		}
		want := roundRat(exact, scale)
		fits := new(big.Int).Abs(want).Cmp(pow10Big(precision)) < 0
		d, special, st := ParseDecimal([]byte(text), precision, scale)
		if special != Finite || st != OK && st != FieldOverflow || (st == OK) != fits || fits && toBig(d).Cmp(want) != 0 {
			t.Fatalf("ParseDecimal(%q, %d, %d) = %v, %d, %d; want %v, fits %v",
				text, precision, scale, toBig(d), special, st, want, fits)
		}
		if !fits {
			continue
		}
		out := AppendDecimal(nil, d, scale)
		back, ok := new(big.Rat).SetString(string(out))
		if !ok || roundRat(back, scale).Cmp(want) != 0 {
			t.Fatalf("%v with scale %d prints as %s", want, scale, out)
		}
		if scale > 0 && len(out)-bytes.IndexByte(out, '.')-1 != scale {
			t.Fatalf("%s has not %d digits behind the point", out, scale)
		}
		again, _, st := ParseDecimal(out, precision, scale)
		if st != OK || again != d {
			t.Fatalf("%s reads back as %v, %d; want %v", out, again, st, d)
		}
	}
}

func TestDecimalFastIsSlow(t *testing.T) {
	r := source(t)
	for range 50000 {
		text := mutate(r, []byte(randomDecimal(r)), "0123456789-+ _.e")
		precision := 1 + r.IntN(maxPrecision)
		scale := r.IntN(precision + 1)
		d, sp, st := ParseDecimal(text, precision, scale)
		e, sq, su := decimalSlow(text, precision, scale)
		if d != e || sp != sq || st != su {
			t.Fatalf("ParseDecimal(%q, %d, %d) = %v, %d, %d; slow %v, %d, %d", text, precision, scale, d, sp, st, e, sq, su)
		}
	}
}

func TestNumericText(t *testing.T) {
	r := source(t)
	type number struct {
		text  []byte
		exact *big.Rat
		key   []byte
	}
	var all []number
	for range 3000 {
		in := randomDecimal(r)
		text, st := ParseNumericText(nil, []byte(in))
		if st != OK {
			t.Fatalf("%q: status %d", in, st)
		}
		exact, _ := new(big.Rat).SetString(in)
		if have, ok := new(big.Rat).SetString(string(text)); !ok || have.Cmp(exact) != 0 {
			t.Fatalf("%q reads as %s", in, text)
		}
		again, st := ParseNumericText(nil, text)
		if st != OK || !bytes.Equal(again, text) {
			t.Fatalf("%s reads back as %s, %d", text, again, st)
		}
		all = append(all, number{text, exact, NumericKey(nil, text)})
		all = append(all, number{append(bytes.Clone(text), "00"[:2*bytes.Count(text, []byte("."))]...), exact, NumericKey(nil, text)})
	}
	for i := range all {
		a, b := all[i], all[r.IntN(len(all))]
		if i%2 == 0 {
			b = all[i+1]
		}
		want := a.exact.Cmp(b.exact)
		if have := CompareNumericText(a.text, b.text); have != want {
			t.Fatalf("comparing %s with %s: %d", a.text, b.text, have)
		}
		if have := bytes.Compare(a.key, b.key); have != want {
			t.Fatalf("keys of %s and %s compare as %d", a.text, b.text, have)
		}
		if k := NumericKey(nil, a.text); !bytes.Equal(k, a.key) {
			t.Fatalf("%s has keys %x and %x", a.text, k, a.key)
		}
	}
}

func TestNumericOrder(t *testing.T) {
	order := []string{"-Infinity", "-1000", "-1", "-0.5", "0", "0.0001", "0.5", "1", "1.00001", "10", "1000", "Infinity", "NaN"}
	for i, a := range order {
		for j, b := range order {
			want := compareInt(i, j)
			if have := CompareNumericText([]byte(a), []byte(b)); have != want {
				t.Errorf("%s and %s compare as %d", a, b, have)
			}
			if have := bytes.Compare(NumericKey(nil, []byte(a)), NumericKey(nil, []byte(b))); have != want {
				t.Errorf("keys of %s and %s compare as %d", a, b, have)
			}
		}
	}
	if !sort.SliceIsSorted(words, func(i, j int) bool { return words[i].text < words[j].text }) {
		t.Error("words are not sorted")
	}
	if !sort.SliceIsSorted(abbrevs, func(i, j int) bool { return abbrevs[i].text < abbrevs[j].text }) {
		t.Error("abbreviations are not sorted")
	}
}

// TestNumericLimits checks the ends of a bare numeric's range, whose texts are too long
// for the table. PostgreSQL 18.7 gave the same.
func TestNumericLimits(t *testing.T) {
	zeros := strings.Repeat("0", 140000)
	for _, c := range []struct {
		in, want string
		st       Status
	}{
		{"1e131071", "1" + zeros[:131071], OK},
		{"1e131072", "", Range},
		{"0.1e131072", "1" + zeros[:131071], OK},
		{"1" + zeros[:131072], "", Range},
		{"1e-16383", "0." + zeros[:16382] + "1", OK},
		{"1e-16384", "", Range},
		{"0." + zeros[:16383] + "1", "", Range},
		{"0e131072", "0", OK},
		{"0e-16384", "", Range},
		{"0x" + strings.Repeat("f", 120000), "", Range},
		{zeros + "7", "7", OK},
	} {
		out, st := ParseNumericText([]byte("x"), []byte(c.in))
		if st != c.st || string(out) != "x"+c.want {
			t.Errorf("%.20s...: status %d, %d bytes; want %d, %d bytes", c.in, st, len(out)-1, c.st, len(c.want))
		}
	}
}
