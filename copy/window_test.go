package copy

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// TestWindows loads files that are larger than the memory limit.
func TestWindows(t *testing.T) {
	var text strings.Builder
	var want [][]string
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,\"row\n%d\"\n", i, i)
		want = append(want, []string{fmt.Sprint(i), fmt.Sprintf("row\n%d", i)})
	}
	text.WriteString("5000,last")
	want = append(want, []string{"5000", "last"})
	long := strings.Repeat("x", 10_000)
	fmt.Fprintf(&text, "\n5001,%s", long)
	want = append(want, []string{"5001", long})
	one, empty := writeFile(t, "1.csv", text.String()), writeFile(t, "2.csv", "")
	for _, tc := range []struct {
		paths []string
		limit int64
		block int
	}{
		{[]string{one}, 20_000, 1000}, {[]string{one}, 400, 100}, {[]string{one, empty, one}, 50_000, 999}, {[]string{empty, one, empty}, 30_000, 1 << 20},
	} {
		for _, workers := range []int{1, 3} {
			store := newStore(t)
			env := Env{Files: AnyFile(), MaxWorkers: workers, BlockSize: tc.block, smallBytes: -1, MemoryLimit: tc.limit, Progress: new(Progress)}
			res, err := fromText(t, store, "a int4, b text", "FORMAT csv", FromFiles(tc.paths...), env)
			if err != nil {
				t.Fatal(err)
			}
			rows := want
			if len(tc.paths) == 3 && tc.paths[2] == one {
				rows = append(append([][]string(nil), want...), want...)
			}
			compareRows(t, readTable(t, store), rows)
			if res.Cardinality != Exact || res.Reservations < 4 && tc.block < 1<<20 || env.Progress.BytesProcessed.Load() != env.Progress.BytesTotal.Load() {
				t.Errorf("%+v, %d of %d bytes", res, env.Progress.BytesProcessed.Load(), env.Progress.BytesTotal.Load())
			}
		}
	}
}

// TestWindowErrors checks that windows change neither which error is reported nor its place,
// and that none is left when there is one.
func TestWindowErrors(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,v\n", i)
	}
	for _, tc := range []struct {
		more, options, state string
		line                 int64
	}{
		{"x,y\nz,", "FORMAT csv", pgerr.InvalidTextRepresentation, 3001},
		{"1,\"y", "FORMAT csv", pgerr.BadCopyFileFormat, 3001},
		{"3000,v\n10,v\n", "FORMAT csv", pgerr.UniqueViolation, 3002},
		{"x,v\n3001,v\n3001,v\n", "FORMAT csv, ON_ERROR ignore", pgerr.UniqueViolation, 3003},
		{"3000,v\n", "FORMAT csv, ROWS 7", pgerr.BadCopyFileFormat, 0},
	} {
		store := newStore(t)
		schema := textSchema(t, "a int4 not null, b text")
		schema.Constraints = []columnar.Constraint{{Name: "t_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}
		target := createTable(t, store, schema)
		opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH ("+tc.options+")"))
		if err != nil {
			t.Fatal(err)
		}
		env := Env{Files: AnyFile(), MaxWorkers: 2, BlockSize: 512, smallBytes: -1, MemoryLimit: 8000}
		_, err = From(context.Background(), store, target, FromFiles(writeFile(t, "in.csv", text.String()+tc.more)), opt, env)
		if e := wantState(t, err, tc.state); e.Line != tc.line {
			t.Errorf("%q: %+v", tc.more, e)
		}
		if n := len(readTable(t, store)); n != 0 {
			t.Errorf("%q: %d rows", tc.more, n)
		}
	}
}

// slowReader gives a piece for each Read and looks, at each, at what was converted.
type slowReader struct {
	piece    string
	rest     string // of the piece at hand
	left     int
	progress *Progress
	seen     int64 // rows converted before the last piece was asked for
}

// Read gives the next piece.
func (s *slowReader) Read(p []byte) (int, error) {
	if s.rest == "" {
		if s.left == 0 {
			return 0, io.EOF
		}
		s.left--
		s.rest = s.piece
		s.seen = s.progress.TuplesProcessed.Load()
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// TestSlowStream checks that rows are converted before the stream has ended, though it is
// no longer than a parcel.
func TestSlowStream(t *testing.T) {
	env := Env{MaxWorkers: 1, Progress: new(Progress), patience: 1}
	r := &slowReader{piece: strings.Repeat("12,abc\n", 2000), left: 40, progress: env.Progress}
	store := newStore(t)
	res, err := fromText(t, store, "a int4, b text", "FORMAT csv", FromReader(r, ""), env)
	if err != nil || res.Rows != 80_000 || len(readTable(t, store)) != 80_000 {
		t.Fatal(res.Rows, err)
	}
	if r.seen == 0 {
		t.Error("nothing was converted before the last piece arrived")
	}
}

// drip gives a byte at a time.
type drip struct{ r io.Reader }

// Read reads one byte.
func (d drip) Read(p []byte) (int, error) { return d.r.Read(p[:min(1, len(p))]) }

// TestSlowLongRecord checks that a record, and a header, longer than what a slow stream is
// converted by takes no more memory than its bytes.
func TestSlowLongRecord(t *testing.T) {
	long := strings.Repeat("x", 3*firstParcelBytes)
	store := newStore(t)
	for _, c := range []struct {
		name, in string
		header   Header
	}{
		{"record", "1,a\n2," + long + "\n", Header{}},
		{"header", "a," + long + "\n1,b\n2,c\n", Header{Records: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := createTable(t, store, &columnar.Schema{Name: c.name, Columns: []columnar.Column{
				{Name: "a", Type: columnar.Type{Kind: columnar.Int4}}, {Name: "b", Type: columnar.Type{Kind: columnar.Text}},
			}})
			opt, err := ParseFromOptions(headerOptions[:1])
			if err != nil {
				t.Fatal(err)
			}
			opt.records.(*lineReader).header = c.header
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := From(context.Background(), store, target, FromReader(drip{strings.NewReader(c.in)}, "stdin"), opt, Env{patience: 1})
			runtime.ReadMemStats(&after)
			if err != nil || res.Rows != 2 {
				t.Fatal(res.Rows, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 32*uint64(len(c.in)) {
				t.Errorf("%d bytes were allocated for %d", n, len(c.in))
			}
		})
	}
}
