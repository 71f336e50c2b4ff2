package ndjson

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/simdjson-go"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

var update = flag.Bool("update", false, "write testdata/jsontestsuite.txt")

var documentColumns = []Column{{Name: "v", Type: columnar.Type{Kind: columnar.JSON}}}

// decodeDocument reads a JSON text as the value of one column, in the one element of an
// array, and returns what is stored, or why it is refused.
func decodeDocument(text []byte) (stored, refused string) {
	in := append(append([]byte(`[{"v":`), text...), "}\n]"...)
	d := NewDecoder(documentColumns, time.UTC)
	d.Begin(true)
	n, bad := d.Index(append(make([]byte, 0, len(in)+2), in...), true)
	if n != 1 || bad {
		record, _, err := ReadElement(io.NewSectionReader(bytes.NewReader(in[d.End(n):]), 0, int64(len(in)-d.End(n))))
		if err != nil {
			return "", err.Error()
		}
		kind := Later
		if d.End(n) == 0 {
			kind = First
		}
		if _, _, e := Explain(record, kind, documentColumns); e != nil {
			return "", e.SQLState + " " + e.Detail
		}
		return "", "why it is refused is not known"
	}
	r := newTestRows(documentColumns, 1)
	if done, ok := d.Decode(r, 1); done != 1 || !ok {
		return "", "not decoded"
	}
	text2, present := r.text(0, 0)
	if !present {
		return "null", ""
	}
	return text2, ""
}

// oracle reports whether simdjson-go takes a JSON text as the value of an object.
func oracle(text []byte) bool {
	_, err := simdjson.Parse(append(append([]byte(`{"v":`), text...), '}'), nil)
	return err == nil
}

// TestSuite reads the files of JSONTestSuite: y_ must be accepted, n_ refused, the others
// are one or the other. testdata/jsontestsuite.txt has the outcome of each.
func TestSuite(t *testing.T) {
	suites := os.Getenv("INGOT_SUITES")
	if suites == "" {
		t.Skip("INGOT_SUITES must name the directory that holds JSONTestSuite")
	}
	var paths []string
	for _, dir := range []string{"test_parsing", "test_transform"} {
		some, err := filepath.Glob(filepath.Join(suites, "JSONTestSuite", dir, "*.json"))
		if err != nil || len(some) < 20 {
			t.Fatalf("%s: %d files, %v", dir, len(some), err)
		}
		paths = append(paths, some...)
	}
	var out strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		for _, l := range kernels.Levels() {
			undo := kernels.SetLevelForTest(l)
			stored, refused := decodeDocument(text)
			undo()
			switch {
			case strings.HasPrefix(name, "y_") && refused != "", strings.HasPrefix(name, "n_") && refused == "":
				t.Errorf("%s: refused: %q", name, refused)
			case refused == "" && stored != string(bytes.Trim(text, " \t\r\n")):
				t.Errorf("%s is stored as %q", name, stored)
			}
			if l == kernels.Generic {
				outcome := "accepted"
				if refused != "" {
					outcome = "refused " + refused
				}
				fmt.Fprintf(&out, "%s: %q\n", name, outcome)
			}
		}
	}
	const golden = "testdata/jsontestsuite.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != out.String() {
		got, lines := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(got), len(lines)) {
			if got[i] != lines[i] {
				t.Fatalf("%s has\n%s\nnow it is\n%s", golden, lines[i], got[i])
			}
		}
		t.Fatalf("%s has %d lines, now they are %d", golden, len(lines), len(got))
	}
}

// exponent is a number that may be none that a double can hold.
var exponent = regexp.MustCompile(`[eE][+-]?[0-9]{3}`)

// excused reports whether simdjson-go is known to differ about a text.
func excused(text []byte, refused string) bool {
	switch {
	case strings.HasPrefix(refused, "22021"): // it does not look at the encoding
	case strings.HasPrefix(refused, "22P05"): // it takes some halves of surrogate pairs
	case strings.Contains(refused, "hexadecimal"): // and some digits that are none
	case refused == "" && exponent.Match(text): // it refuses what is no double
	case depthOf(text) >= 120: // its depth is bounded
	default:
		return false
	}
	return true
}

// TestOracle compares with simdjson-go on the suite's files, where they are, and on random
// documents.
func TestOracle(t *testing.T) {
	if !simdjson.SupportedCPU() {
		t.Skip("simdjson-go needs AVX2 and CLMUL")
	}
	check := func(what string, text []byte) {
		t.Helper()
		_, refused := decodeDocument(text)
		if accepts := oracle(text); accepts != (refused == "") && !excused(text, refused) {
			t.Errorf("%s: %q: refused %q, accepted by simdjson-go: %t", what, text, refused, accepts)
		}
	}
	paths, err := filepath.Glob(filepath.Join(os.Getenv("INGOT_SUITES"), "JSONTestSuite", "test_parsing", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(filepath.Base(path), text)
	}
	const seed = 61
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 1000 {
		text := []byte(randomValue(r, modelColumns[4], 0))
		if r.IntN(4) == 0 && len(text) > 0 {
			text[r.IntN(len(text))] = ` "\{}[]:,0e-tn`[r.IntN(14)]
		}
		if r.IntN(8) == 0 {
			text = slices.Insert(text, r.IntN(len(text)+1), "\x00\x1f\n,"[r.IntN(4)])
		}
		check(fmt.Sprintf("seed %d round %d", seed, round), text)
	}
}
