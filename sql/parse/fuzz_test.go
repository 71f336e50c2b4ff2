package parse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ingotdb/ingot/sql/ast"
)

// FuzzParse parses anything: no panic, errors have a place inside the text, and what
// parses prints as something that parses to the same tree.
func FuzzParse(f *testing.F) {
	for _, c := range statements {
		f.Add(c[0])
	}
	for _, c := range expressions {
		f.Add("SELECT " + c[0])
	}
	for _, c := range syntaxErrors {
		f.Add(c.src)
	}
	for _, c := range otherErrors {
		f.Add(c[0])
	}
	f.Fuzz(func(t *testing.T, src string) {
		list, err := Statements(src)
		if err != nil {
			var e *ast.Error
			if !errors.As(err, &e) || e.Position < 1 || e.Position > len(src)+1 || len(e.Err.SQLState) != 5 {
				t.Fatalf("%q: bad error %v", src, err)
			}
			return
		}
		for _, s := range list {
			if s.Pos() < 0 || s.Pos() >= len(src) {
				t.Fatalf("%q: a statement is at %d", src, s.Pos())
			}
			checkRoundTrip(t, src, s)
		}
	})
}

// FuzzScanner cuts anything: the same statements whatever the size of the reads, the
// same as the parser's where the script parses.
func FuzzScanner(f *testing.F) {
	for _, c := range scripts {
		f.Add([]byte(c.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		whole, err1 := readScript(bytes.NewReader(src), 1<<16)
		bytewise, err2 := readScript(iotest.OneByteReader(bytes.NewReader(src)), 1)
		if (err1 == nil) != (err2 == nil) || strings.Join(whole, "\x01") != strings.Join(bytewise, "\x01") {
			t.Fatalf("%q: %q (%v) at once, %q (%v) by bytes", src, whole, err1, bytewise, err2)
		}
		list, err := Statements(string(src))
		if err != nil {
			return
		}
		s := NewScanner(bytes.NewReader(src))
		for i := 0; ; i++ {
			frag, err := s.Next()
			if errors.Is(err, io.EOF) && i == len(list) {
				return
			}
			if err != nil || i >= len(list) {
				t.Fatalf("%q: %d statements parsed, fragment %d is %v (%v)", src, len(list), i, frag, err)
			}
			one, err := Statement(frag.Text)
			if err != nil || !sameTree(one, list[i]) || frag.Start != int64(list[i].Pos()) {
				t.Fatalf("%q: fragment %d is %+v (%v), the parser's statement is %s at %d", src, i, frag, err, list[i], list[i].Pos())
			}
		}
	})
}
