package asmlint

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModule checks every assembly file of the module.
func TestModule(t *testing.T) {
	root := "../.."
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".s" {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		checked++
		for _, f := range Check(path, src) {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked == 0 {
		t.Error("the module has no assembly")
	}
}

// TestFixtures compares the findings with the "want" comments of the fixtures, which name
// the rules that each line breaks.
func TestFixtures(t *testing.T) {
	fired := map[string]bool{}
	for _, name := range []string{"bad_amd64.s", "bad_arm64.s", "good_amd64.s", "good_arm64.s", "bad.s"} {
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		lines := bufio.NewScanner(bytes.NewReader(src))
		for line := 1; lines.Scan(); line++ {
			if _, rules, ok := strings.Cut(lines.Text(), "// want "); ok {
				for _, rule := range strings.Fields(rules) {
					want = append(want, fmt.Sprintf("%s:%d %s", name, line, rule))
				}
			}
		}
		for _, f := range Check(name, src) {
			got = append(got, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Rule))
			fired[f.Rule] = true
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
	for _, rule := range []string{"size", "nosplit", "comment", "call", "opcode", "register", "vzeroupper", "file"} {
		if !fired[rule] {
			t.Errorf("no fixture breaks the rule %q", rule)
		}
	}
}

func TestFindingString(t *testing.T) {
	f := Finding{"x_amd64.s", 7, "call", "CALL ·other(SB)"}
	if got, want := f.String(), "x_amd64.s:7: call: CALL ·other(SB)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
