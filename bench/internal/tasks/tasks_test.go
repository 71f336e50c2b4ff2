package tasks

import (
	"slices"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/bench/gen/inputs"
)

func TestOf(t *testing.T) {
	got, err := Of("mixed", []string{"like", "csv"})
	if err != nil || len(got) != 2 || got[0].Query == "" || got[1].Name != "csv" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range [][2]string{{"ints10", "like"}, {"mixed", "nothing"}, {"nothing", "csv"}} {
		if got, err := Of(bad[0], []string{bad[1]}); err == nil {
			t.Errorf("%v is %v", bad, got)
		}
	}
}

// TestInputs: every task is of an input that there is, and its query is of that input's table.
func TestInputs(t *testing.T) {
	for _, k := range All {
		if !slices.Contains(inputs.Names(), k.Input) {
			t.Errorf("%v: no such input", k)
		}
		if k.Query != "" && !strings.Contains(k.Query, " FROM "+k.Input) {
			t.Errorf("%s is not about %s", k.Query, k.Input)
		}
	}
}

func TestAnswer(t *testing.T) {
	if got := Answer([][]string{{"3", "5"}}); got != "3 5" {
		t.Errorf("got %q", got)
	}
	a, b := Answer([][]string{{"a", "bc"}, {"d"}}), Answer([][]string{{"ab", "c"}, {"d"}})
	if a == b || !strings.HasPrefix(a, "2 rows, ") {
		t.Errorf("got %q and %q", a, b)
	}
}
