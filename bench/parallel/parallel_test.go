package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql"
)

// TestKinds reads each kind with another parser.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		var b bytes.Buffer
		if err := k.write(&b, 20); err != nil {
			t.Fatal(err)
		}
		size := b.Len()
		records, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(records) != 21 {
			t.Errorf("%s: %d records, %v", k.name, len(records), err)
		}
		if want := strings.Count(k.ddl, ",") + 1; len(records[0]) != want {
			t.Errorf("%s: %d fields, want %d", k.name, len(records[0]), want)
		}
		if k.name == "long" && size < 19_000_000 {
			t.Errorf("20 long rows have %d bytes", size)
		}
	}
}

// TestWaysLoadTheSame loads a few rows every way.
func TestWaysLoadTheSame(t *testing.T) {
	dir := t.TempDir()
	k := kinds[2]
	k.rows = 5000
	path := filepath.Join(dir, "in.csv")
	if _, err := k.writeFile(path, k.rows); err != nil {
		t.Fatal(err)
	}
	for w := range ways {
		for _, workers := range []int{1, 2} {
			if _, err := once(t.Context(), dir, &k, path, w, workers); err != nil {
				t.Errorf("%v, %d workers: %v", w, workers, err)
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

// untilConverted gives a stream and, before its last bytes, waits until a row of it was
// converted.
type untilConverted struct {
	head, tail io.Reader
	converted  func() bool
	late       bool
}

func (u *untilConverted) Read(b []byte) (int, error) {
	n, err := u.head.Read(b)
	if err != io.EOF {
		return n, err
	}
	for end := time.Now().Add(time.Minute); !u.converted(); runtime.Gosched() {
		if time.Now().After(end) {
			u.late = true
			return 0, io.ErrUnexpectedEOF
		}
	}
	return u.tail.Read(b)
}

// TestConvertsBeforeTheEnd: of a stream whose end does not come before rows are
// converted, rows are converted.
func TestConvertsBeforeTheEnd(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		ctx := context.Background()
		store, err := columnar.Open(ctx, t.TempDir(), columnar.Options{Durability: columnar.None})
		if err != nil {
			t.Fatal(err)
		}
		var progress *copy.Progress
		var text bytes.Buffer
		if err := writeNarrow(&text, 3_000_000); err != nil {
			t.Fatal(err)
		}
		all := text.Bytes()
		src := &untilConverted{
			head: bytes.NewReader(all[:len(all)-1000]), tail: bytes.NewReader(all[len(all)-1000:]),
			converted: func() bool { return progress.TuplesProcessed.Load() > 0 },
		}
		session := sql.NewSession(store, sql.SessionOptions{MaxWorkers: workers, Stdin: src, OnProgress: func(p *copy.Progress) { progress = p }})
		if _, err := session.Exec(ctx, kinds[0].ddl); err != nil {
			t.Fatal(err)
		}
		res, err := session.Exec(ctx, "COPY t FROM STDIN (FORMAT csv, HEADER)")
		if src.late {
			t.Errorf("%d workers: no row is converted before the last byte of %d", workers, len(all))
		} else if err != nil || res.Rows != 3_000_000 {
			t.Errorf("%d workers: %v, %v", workers, res, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestParse(t *testing.T) {
	c, err := parse([]string{"-kinds", "long", "-long", "-scale", "0.5"}, io.Discard)
	if err != nil || c.kinds[0].rows != longRows/2 || len(c.workers) != 4 {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, args := range []string{"-kinds x", "-workers 0", "-rounds 0", "-scale -1", "more"} {
		if got := run(strings.Fields(args), io.Discard, io.Discard); got != 2 {
			t.Errorf("%q ends with %d, want 2", args, got)
		}
	}
}

func TestTable(t *testing.T) {
	r := &row{kind: "narrow", workers: 2, bytes: 7e7}
	for w := range ways {
		r.wallNS[w] = []int64{int64(w+1) * 1e9}
	}
	r.firstByte[pipe] = []int64{16e6}
	var b strings.Builder
	if err := writeTable(&b, "parallel-x.txt", []*row{r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| narrow | 70 | 2 | 1.00 | 2.00 | 3.00 | 2.00 |", "| 16.0 |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestObserved: the bytes are those that were given before the first row was seen.
func TestObserved(t *testing.T) {
	converted := false
	o := &observed{r: strings.NewReader("abcdefgh"), converted: func() bool { return converted }}
	b := make([]byte, 3)
	for range 2 {
		if _, err := o.Read(b); err != nil {
			t.Fatal(err)
		}
	}
	if o.first.Load() != 0 {
		t.Errorf("a row after %d bytes, though none is converted", o.first.Load())
	}
	converted = true
	if _, err := io.ReadAll(o); err != nil {
		t.Fatal(err)
	}
	if o.first.Load() != 6 {
		t.Errorf("the first row after %d bytes, want 6", o.first.Load())
	}
}
