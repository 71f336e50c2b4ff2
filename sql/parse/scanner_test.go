package parse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// scripts has scripts with the statements in them, the data of COPY FROM STDIN among
// them as "<data>".
var scripts = []struct {
	src  string
	want []string
}{
	{"", nil},
	{" ; ;\n-- nothing\n/* ; */;", nil},
	{"SELECT 1", []string{"SELECT 1"}},
	{"SELECT 1;SELECT 2 ;\n", []string{"SELECT 1", "SELECT 2 "}},
	{"-- one\nSELECT 1; -- two; three\nSELECT 2", []string{"SELECT 1", "SELECT 2"}},
	{"SELECT ';', 'it'';s', \";\"\";\"; x", []string{"SELECT ';', 'it'';s', \";\"\";\"", "x"}},
	{"SELECT 'a\\'; SELECT E'a\\';', e'\\\\'; x", []string{"SELECT 'a\\'", "SELECT E'a\\';', e'\\\\'", "x"}},
	{"SELECT E'a'\n'\\';'; x", []string{"SELECT E'a'\n'\\';'", "x"}},
	{"SELECT E'a' '\\'; x", []string{"SELECT E'a' '\\'", "x"}},
	{"SELECT E'a' -- c\n '\\';'; x", []string{"SELECT E'a' -- c\n '\\';'", "x"}},
	{"SELECT E'a'''';\\';'; x", []string{"SELECT E'a'''';\\';'", "x"}},
	{"SELECT 1e'\\'; x", []string{"SELECT 1e'\\'", "x"}},
	{"SELECT $$;$$, $a$;$b$;$a$, a$b$;c", []string{"SELECT $$;$$, $a$;$b$;$a$, a$b$", "c"}},
	{"SELECT $1;$2", []string{"SELECT $1", "$2"}},
	{"SELECT $;x", []string{"SELECT $", "x"}},
	{"/* a /* ; */ ; */ SELECT 1 /* ; */; x", []string{"SELECT 1 /* ; */", "x"}},
	{"SELECT a - b / c;x", []string{"SELECT a - b / c", "x"}},
	{"SELECT 'open; x", []string{"SELECT 'open; x"}},
	{"/* open; x", []string{"/* open; x"}},
	{"COPY t FROM STDIN;\n1\t2\n;\n\\.\nSELECT 1;", []string{"COPY t FROM STDIN", "<1\t2\n;\n>", "SELECT 1"}},
	{"COPY t FROM STDIN ; -- rows\r\n1\r\n\\.\r\nx", []string{"COPY t FROM STDIN ", "<1\r\n>", "x"}},
	{"COPY t FROM STDIN;\n\\.\nx", []string{"COPY t FROM STDIN", "<>", "x"}},
	{"COPY t FROM STDIN;\n\\.x\n\\..\n \\.\n\\", []string{"COPY t FROM STDIN", "<\\.x\n\\..\n \\.\n\\>"}},
	{"COPY t FROM STDIN;\na\n\\.", []string{"COPY t FROM STDIN", "<a\n>"}},
	{"COPY t FROM STDIN;\na", []string{"COPY t FROM STDIN", "<a>"}},
	{"COPY t FROM STDIN;", []string{"COPY t FROM STDIN", "<>"}},
}

// readScript returns what the Scanner yields, with data read through a buffer of size bytes.
func readScript(r io.Reader, size int) ([]string, error) {
	var got []string
	s := NewScanner(r)
	for {
		f, err := s.Next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, f.Text)
		if !strings.HasPrefix(f.Text, "COPY") {
			continue
		}
		data, err := io.ReadAll(limitedBuffer{s.Data(), size})
		if err != nil {
			return got, err
		}
		got = append(got, "<"+string(data)+">")
	}
}

// limitedBuffer reads at most size bytes at once.
type limitedBuffer struct {
	r    io.Reader
	size int
}

func (l limitedBuffer) Read(p []byte) (int, error) { return l.r.Read(p[:min(l.size, len(p))]) }

func TestScanner(t *testing.T) {
	readers := map[string]func(io.Reader) io.Reader{
		"whole":   func(r io.Reader) io.Reader { return r },
		"bytes":   iotest.OneByteReader,
		"halves":  iotest.HalfReader,
		"dataerr": iotest.DataErrReader,
	}
	for _, c := range scripts {
		for name, reader := range readers {
			for _, size := range []int{1, 2, 1 << 16} {
				got, err := readScript(reader(strings.NewReader(c.src)), size)
				if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
					t.Errorf("%q, read %s, buffer of %d:\n got %q, %v\nwant %q", c.src, name, size, got, err, c.want)
				}
			}
		}
	}
}

func TestScannerPlaces(t *testing.T) {
	s := NewScanner(strings.NewReader("-- x\n\n SELECT 1;\nCOPY t FROM STDIN;\na\nb\n\\.\n  SELECT 2 "))
	for _, want := range []Fragment{
		{Text: "SELECT 1", Start: 7, End: 16, Line: 3, Terminated: true},
		{Text: "COPY t FROM STDIN", Start: 17, End: 35, Line: 4, Terminated: true},
		{Text: "SELECT 2 ", Start: 45, End: 54, Line: 8},
	} {
		got, err := s.Next()
		if err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
		if strings.HasPrefix(got.Text, "COPY") {
			one := make([]byte, 1)
			if n, err := s.Data().Read(one); n != 1 || err != nil {
				t.Fatalf("read %d, %v", n, err)
			} // the rest is skipped
		}
	}
}

// TestScannerReadsNoFurther runs a script through a pipe that writes a statement only
// after the one before it was taken.
func TestScannerReadsNoFurther(t *testing.T) {
	r, w := io.Pipe()
	taken := make(chan struct{})
	go func() {
		for _, part := range []string{"SELECT 1;", "\nCOPY t FROM STDIN;\n", "a\n", "b\n\\.\n", "SELECT 2;"} {
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
			<-taken
		}
		w.Close()
	}()
	s := NewScanner(r)
	next := func(want string) {
		t.Helper()
		f, err := s.Next()
		if err != nil || f.Text != want {
			t.Fatalf("got %q, %v, want %q", f.Text, err, want)
		}
		taken <- struct{}{}
	}
	next("SELECT 1")
	next("COPY t FROM STDIN")
	data := s.Data()
	buf := make([]byte, 100)
	for _, want := range []string{"a\n", "b\n"} {
		n, err := data.Read(buf)
		if string(buf[:n]) != want || err != nil {
			t.Fatalf("got %q, %v, want %q", buf[:n], err, want)
		}
		taken <- struct{}{}
	}
	if n, err := data.Read(buf); n != 0 || !errors.Is(err, io.EOF) {
		t.Fatalf("got %d, %v at the end of the data", n, err)
	}
	next("SELECT 2")
	if _, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("got %v at the end", err)
	}
}

func TestScannerErrors(t *testing.T) {
	broken := errors.New("broken")
	s := NewScanner(io.MultiReader(strings.NewReader("SELECT 1; SELECT"), iotest.ErrReader(broken)))
	if f, err := s.Next(); err != nil || f.Text != "SELECT 1" {
		t.Errorf("before the error: %q, %v", f.Text, err)
	}
	if _, err := s.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
	s = NewScanner(strings.NewReader("COPY t FROM STDIN; SELECT 1;\n1\n"))
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Data().Read(make([]byte, 1)); pgerr.Code(err) != pgerr.SyntaxError {
		t.Errorf("text behind COPY FROM STDIN: %v", err)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " -- x": true, "SELECT 1": false, "SELECT 1;": true, "SELECT 1; -- x\n /* y */ ": true,
		"SELECT ';": false, "SELECT 1; /* ;": false, "SELECT 1; SELECT": false, "SELECT $$;": false,
		"SELECT \";\" ;": true,
	} {
		if got := Complete(text); got != want {
			t.Errorf("Complete(%q) is %v", text, got)
		}
	}
}
