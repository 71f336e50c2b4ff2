package num

import (
	"bufio"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// rows calls each with the fields of every line of a file of what PostgreSQL 15 printed.
func rows(t *testing.T, name string, each func(f []string)) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); n++ {
		each(strings.Split(s.Text(), "|"))
	}
	if n == 0 {
		t.Fatalf("%s is empty", name)
	}
}

func mustParse(t *testing.T, s string) Num {
	t.Helper()
	x, ok := Parse([]byte(s))
	if !ok {
		t.Fatalf("Parse(%q) fails", s)
	}
	return x
}

// TestArithmetic compares with what PostgreSQL printed for x+y, x-y, x*y, x/y, mod(x,y)
// and the order of x and y.
func TestArithmetic(t *testing.T) {
	rows(t, "arith.txt", func(f []string) {
		x, y := mustParse(t, f[0]), mustParse(t, f[1])
		q, ok := Div(x, y)
		quotient := q.String()
		if !ok {
			quotient = "zero"
		}
		m, ok := Mod(x, y)
		rest := m.String()
		if !ok {
			rest = "zero"
		}
		if f[0] == "NaN" && y.Sign() == 0 {
			quotient, rest = "zero", "zero" // how the question was put
		}
		got := []string{Add(x, y).String(), Sub(x, y).String(), Mul(x, y).String(), quotient, rest, strconv.Itoa(Cmp(x, y))}
		for i, want := range f[2:] {
			if got[i] != want {
				t.Errorf("%s %c %s = %s, want %s", f[0], "+-*/%?"[i], f[1], got[i], want)
			}
		}
	})
}

func TestRounding(t *testing.T) {
	rows(t, "round.txt", func(f []string) {
		x := mustParse(t, f[0])
		n, err := strconv.ParseInt(f[1], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{x.Round(int32(n)).String(), x.Trunc(int32(n)).String(), x.Floor().String(), x.Ceil().String(),
			x.Neg().String(), x.Abs().String(), Float(x.Float64(), 64).String()}
		for i, want := range f[2:] {
			if got[i] != want {
				t.Errorf("%s, %s: operation %d gives %s, want %s", f[0], f[1], i, got[i], want)
			}
		}
	})
}

// TestModel compares with math/big on random coefficients around the edges of int64.
func TestModel(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	edge := []int64{0, 1, -1, 10, math.MaxInt64, math.MinInt64, math.MaxInt32, 1e18, -1e18, 999999999}
	pick := func() (Num, *big.Rat) {
		c, scale := edge[rng.IntN(len(edge))], rng.IntN(12)
		if rng.IntN(2) == 0 {
			c = int64(rng.Uint64()) >> rng.IntN(64)
		}
		x := Num{c: c, scale: int32(scale)}
		if rng.IntN(4) == 0 {
			x = Mul(x, Num{c: 1 << 62})
		}
		r, ok := new(big.Rat).SetString(x.String())
		if !ok {
			t.Fatalf("seed %d: %v prints as %q", seed, x, x.String())
		}
		return x, r
	}
	for i := range 20000 {
		x, rx := pick()
		y, ry := pick()
		check := func(op string, got Num, want *big.Rat) {
			if r, ok := new(big.Rat).SetString(got.String()); !ok || r.Cmp(want) != 0 {
				t.Fatalf("seed %d, step %d: %s %s %s = %s, want %s", seed, i, x, op, y, got, want.FloatString(30))
			}
		}
		check("+", Add(x, y), new(big.Rat).Add(rx, ry))
		check("-", Sub(x, y), new(big.Rat).Sub(rx, ry))
		check("*", Mul(x, y), new(big.Rat).Mul(rx, ry))
		if got, want := Cmp(x, y), rx.Cmp(ry); got != want {
			t.Fatalf("seed %d, step %d: Cmp(%s, %s) = %d, want %d", seed, i, x, y, got, want)
		}
		if again := mustParse(t, x.String()); Cmp(x, again) != 0 || x.scale != again.scale {
			t.Fatalf("seed %d, step %d: %s reads back as %s", seed, i, x, again)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		text             string
		precision, scale int
		want             string // "" does not fit
	}{
		{"1.005", 5, 2, "1.01"}, {"-1.005", 5, 2, "-1.01"}, {"999.99", 5, 2, "999.99"}, {"999.995", 5, 2, ""},
		{"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"},
		{"-12345678901234567890.5", 38, 10, "-12345678901234567890.5000000000"}, {"NaN", 5, 2, ""}, {"Infinity", 5, 2, ""},
	} {
		hi, lo, ok := mustParse(t, c.text).Decimal(c.precision, c.scale)
		got := ""
		if ok {
			got = Scaled(hi, lo, c.scale).String()
		}
		if got != c.want {
			t.Errorf("%s as numeric(%d,%d) is %q, want %q", c.text, c.precision, c.scale, got, c.want)
		}
	}
}

func TestInt64(t *testing.T) {
	for text, want := range map[string]int64{"2.5": 3, "-2.5": -3, "2.4": 2, "9223372036854775807.4": math.MaxInt64} {
		if got, ok := mustParse(t, text).Int64(); !ok || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"9223372036854775807.5", "NaN", "Infinity"} {
		if got, ok := mustParse(t, text).Int64(); ok {
			t.Errorf("%s is %d", text, got)
		}
	}
}
