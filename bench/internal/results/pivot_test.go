package results

import (
	"strings"
	"testing"
)

func TestPivot(t *testing.T) {
	for name, text := range map[string]string{
		"json":  `{"way":"a","workers":1,"ns":3000000}` + "\n" + `{"way":"b","workers":1,"ns":5000000}` + "\n" + `{"way":"a","workers":2,"ns":8e6}` + "\n" + `{"way":"a","workers":1,"ns":9000000}` + "\n",
		"words": "way=a workers=1 ns=3000000\nway=b workers=1 ns=5000000\nway=a workers=2 ns=8e6\nway=a workers=1 ns=9000000\n",
		"plain": "# way of it\n# way workers ns\n# x y\na 1 3000000\nb 1 5000000\na 2 8e6\na 1 9000000\nalone\n",
	} {
		lines, err := ReadFields(strings.NewReader(text))
		if err != nil || len(lines) != 4 {
			t.Errorf("%s: %v, %v", name, lines, err)
			continue
		}
		got, err := Pivot(lines, []string{"workers"}, []string{"way"}, "ns", "ms", 1)
		if want := "| workers | a | b |\n|---|--:|--:|\n| 1 | 6.000 | 5.000 |\n| 2 | 8.000 |  |\n"; err != nil || got != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
		if got, err := Pivot(lines, []string{"nothing"}, []string{"way"}, "ns", "ms", 1); err == nil {
			t.Errorf("%s: by nothing it is\n%s", name, got)
		}
		if got, err := Pivot(lines, []string{"workers"}, []string{"way"}, "ns", "hours", 1); err == nil {
			t.Errorf("%s: in hours it is\n%s", name, got)
		}
	}
	if got, err := ReadFields(strings.NewReader("{\n")); err == nil {
		t.Errorf("got %v", got)
	}
}
