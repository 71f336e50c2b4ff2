package kernels

import (
	"os"
	"slices"
	"testing"
)

// requireEnv names a level that must be available where the tests run, so that a
// machine without it fails them in place of testing less.
const requireEnv = "INGOT_REQUIRE_SIMD"

// forEachLevel runs f as a subtest or sub-benchmark once per level of this machine.
func forEachLevel[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, f func(t T)) {
	t.Helper()
	for _, l := range Levels() {
		t.Run("level="+l.String(), func(t T) {
			defer SetLevelForTest(l)()
			f(t)
		})
	}
}

func TestRequiredLevel(t *testing.T) {
	name := os.Getenv(requireEnv)
	if name == "" {
		return
	}
	for _, l := range Levels() {
		if l.String() == name {
			return
		}
	}
	t.Fatalf("%s=%s, but this machine runs only %v", requireEnv, name, Levels())
}

func TestLimitLevel(t *testing.T) {
	for _, c := range []struct {
		name string
		best Level
		want Level
		bad  bool
	}{
		{"", AVX2, AVX2, false},
		{"", NEON, NEON, false},
		{"", Generic, Generic, false},
		{"generic", AVX2, Generic, false},
		{"generic", NEON, Generic, false},
		{"avx2", AVX2, AVX2, false},
		{"avx512", AVX2, AVX2, false},
		{"avx2", Generic, Generic, false},
		{"avx512", NEON, Generic, false},
		{"neon", NEON, NEON, false},
		{"neon", AVX2, Generic, false},
		{"AVX2", AVX2, AVX2, true},
		{"sse9", NEON, NEON, true},
	} {
		got, err := limitLevel(c.name, c.best)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("limitLevel(%q, %v) = %v, %v; want %v, error %t", c.name, c.best, got, err, c.want, c.bad)
		}
	}
}

func TestSetLevelForTest(t *testing.T) {
	before := Active()
	for _, l := range Levels() {
		undo := SetLevelForTest(l)
		if Active() != l {
			t.Errorf("Active() = %v after SetLevelForTest(%v)", Active(), l)
		}
		undo()
		if Active() != before {
			t.Errorf("Active() = %v after undo, want %v", Active(), before)
		}
	}
	if !slices.Contains(Levels(), Detected()) || Levels()[0] != Generic {
		t.Errorf("Levels() = %v, Detected() = %v", Levels(), Detected())
	}
	for _, l := range []Level{AVX2, NEON} {
		if slices.Contains(Levels(), l) {
			continue
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("SetLevelForTest(%v) did not panic", l)
				}
			}()
			SetLevelForTest(l)
		}()
	}
}
