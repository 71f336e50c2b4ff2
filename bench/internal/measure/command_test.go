package measure

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestForms(t *testing.T) {
	var numbers []int
	var n int
	forms := map[string]Form{
		"": func(_ context.Context, args []string, _, stderr io.Writer) error {
			flags := flag.NewFlagSet("test", flag.ContinueOnError)
			list := flags.String("list", "3,0", "")
			flags.IntVar(&n, "n", 1, "")
			numbers = nil
			return Parse(flags, args, stderr, Numbers("list", list, 0, &numbers), Positive("n", &n))
		},
		"fail": func(context.Context, []string, io.Writer, io.Writer) error { return errors.New("it broke") },
	}
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"", 0, ""}, {"-list 7 -n 2", 0, ""}, {"-list 7,-1", 2, `-list has "-1"`}, {"-list 7,", 2, `-list has ""`}, {"-n 0", 2, "-n is 0"},
		{"-n 1 more", 2, `"more"`}, {"-x", 2, "not defined"}, {"-h", 2, "-list"}, {"fail", 1, "test: it broke\n"}, {"fly", 2, `no command is called "fly"`},
	} {
		var errs bytes.Buffer
		if got := Main("test", strings.Fields(c.args), io.Discard, &errs, forms); got != c.status || !strings.Contains(errs.String(), c.says) || c.says == "" && errs.Len() > 0 {
			t.Errorf("%q: status %d, want %d: %s", c.args, got, c.status, &errs)
		}
		if c.args == "" && !slices.Equal(numbers, []int{3, 0}) {
			t.Errorf("numbers are %v", numbers)
		}
	}
	if Usage(nil) != nil {
		t.Error("no error is an error of usage")
	}
}
