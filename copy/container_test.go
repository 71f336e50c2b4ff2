package copy

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// boxes is a format of containers for tests: a file is the sizes of its parts, 32 bits each,
// behind a letter that says what it tells of them. Row i of a file has a = i, and b, the
// text of i; every row of z is NULL.
type boxes struct {
	streams bool
	seen    []Predicate
}

func (x *boxes) format() Format {
	return Format{Named: true, Magic: []string{"BOX"}, Suffixes: []string{".box"},
		ReadContainer: func(*Options) (ContainerReader, error) { return x, nil }}
}

// boxFile is a file of the format. kind is E if all is told, P if the parts say their rows,
// U if they do not, and lower case if it lies, panics or fails in its third part. The parts
// of B and b claim to be enormous, before the file is read and while it is.
func boxFile(kind string, parts ...int) string {
	b := []byte("BOX" + kind)
	for _, n := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return string(b)
}

func (x *boxes) Streams() bool { return x.streams }

func (x *boxes) Open(_ context.Context, in *Input) (Container, error) {
	r := in.Stream
	if in.At != nil {
		r = io.NewSectionReader(in.At, 0, in.Size)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte("BOX")) {
		return nil, pgerr.New(pgerr.BadCopyFileFormat, "no box")
	}
	box := &box{of: x, kind: b[3]}
	for b = b[4:]; len(b) >= 4; b = b[4:] {
		box.parts = append(box.parts, int(binary.LittleEndian.Uint32(b)))
	}
	return box, nil
}

type box struct {
	of      *boxes
	kind    byte
	parts   []int
	binding *Binding
	from    []int
}

func (x *box) Columns() []ContainerColumn {
	return []ContainerColumn{
		{Name: "z", Type: columnar.Type{Kind: columnar.Int4}, Says: "int"},
		{Name: "b", Type: columnar.Type{Kind: columnar.Text}, Says: "string"},
		{Name: "odd", Says: "union"},
		{Name: "a", Type: columnar.Type{Kind: columnar.Int4}, Says: "int"},
	}
}

func (x *box) Bind(b *Binding, from []int) error {
	x.binding, x.from, x.of.seen = b, from, b.Where
	return nil
}

func (x *box) Rows() (Cardinality, int64) {
	if x.kind == 'P' || x.kind == 'U' || x.kind == 'b' {
		return Unknown, 0
	}
	n := 0
	for _, p := range x.parts {
		n += p
	}
	return Exact, int64(n)
}

func (x *box) Parts() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		row := 0
		for i, n := range x.parts {
			if !yield(&boxPart{x, i, row, n}, nil) {
				return
			}
			row += n
		}
	}
}

func (x *box) Close() error { return nil }

type boxPart struct {
	*box
	index, row, n int
}

func (p *boxPart) Size() (int64, int64) {
	switch p.kind {
	case 'U':
		return -1, -1
	case 'P':
		return int64(p.n), -1
	case 'B', 'b':
		return 1 << 62, 1 << 62
	}
	return int64(p.n), int64(p.n) * 12
}

func (p *boxPart) Read(_ context.Context, out *Sink) error {
	n := p.n
	if p.index == 2 {
		switch p.kind {
		case 'l':
			n--
		case 'p':
			panic("in a part")
		case 'e':
			return pgerr.New(pgerr.BadCopyFileFormat, "torn")
		}
	}
	for from := 0; from < n; from += 1000 {
		k := min(1000, n-from)
		if p.kind == 'S' && from%3000 == 0 {
			out.Skip(int64(k))
			continue
		}
		b := Batch{Rows: k}
		for i := range p.from {
			b.Cols = append(b.Cols, p.vec(p.from[i], p.row+from, k))
		}
		for i := range k {
			if row := p.row + from + i; p.kind == 'R' && row%701 == 700 {
				err := out.Reject(i, 0, pgerr.New(pgerr.NumericValueOutOfRange, "row %d is too much", row).WithValue("v"))
				if err != nil {
					return err
				}
			}
		}
		if err := out.Batch(b); err != nil {
			return err
		}
	}
	return nil
}

// vec returns k rows of a column from row on; a is NULL where Read rejects it.
func (p *boxPart) vec(col, row, k int) columnar.Vec {
	valid := make([]uint64, (k+63)/64)
	setBits(valid, k)
	if col == 1 {
		offsets, data := []int32{0}, []byte{}
		for i := range k {
			data = fmt.Appendf(data, "%d", row+i)
			offsets = append(offsets, int32(len(data)))
		}
		return columnar.MakeVec(columnar.Type{Kind: columnar.Text}, k, nil, nil, nil, offsets, data, nil)
	}
	fixed := alignedBytes(4 * k)
	for i := range k {
		switch {
		case col == 0 || p.kind == 'R' && (row+i)%701 == 700:
			valid[i>>6] &^= 1 << (i & 63)
		default:
			binary.LittleEndian.PutUint32(fixed[4*i:], uint32(row+i))
		}
	}
	return columnar.MakeVec(columnar.Type{Kind: columnar.Int4}, k, valid, fixed, nil, nil, nil, nil)
}

func TestContainers(t *testing.T) {
	x := &boxes{}
	name := register(t, x.format())
	for _, kind := range []string{"E", "P", "U"} {
		for _, workers := range []int{1, 2, 8} {
			for _, streams := range []bool{false, true} {
				x.streams = streams
				parts, rows := []int{3, 2000, 1, 0, 4000, 500}, 6504
				if workers == 8 && !streams { // longer than a fragment
					parts, rows = append(parts, 140_000), 146_504
				}
				files := []string{boxFile(kind, parts...), boxFile(kind), boxFile("E", 9)}
				for source, src := range map[string]Source{
					"files":  FromFiles(writeFile(t, "1.box", files[0]), writeFile(t, "2.box", files[1]), writeFile(t, "3.box", files[2])),
					"stream": FromReader(strings.NewReader(files[0]), "stdin"),
				} {
					store := newStore(t)
					env := Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1, Progress: new(Progress)}
					res, err := fromText(t, store, "a int4 not null, b text", "FORMAT "+name, src, env)
					want := int64(rows)
					if source == "files" {
						want += 9
					}
					what := fmt.Sprintf("%s, %s, %d workers, streams %v", kind, source, workers, streams)
					if err != nil || res.Rows != want {
						t.Fatalf("%s: %d rows, want %d, %v", what, res.Rows, want, err)
					}
					if kind == "E" && (res.Cardinality != Exact || res.Reservations != 1) {
						t.Errorf("%s: %s, %d reservations", what, res.Cardinality, res.Reservations)
					}
					if source == "files" && env.Progress.BytesProcessed.Load() != env.Progress.BytesTotal.Load() {
						t.Errorf("%s: %d bytes of %d", what, env.Progress.BytesProcessed.Load(), env.Progress.BytesTotal.Load())
					}
					got := readTable(t, store)
					for i, row := range got {
						k := i
						if i >= rows {
							k -= rows
						}
						if s := fmt.Sprint(k); row[0] != s || row[1] != s {
							t.Fatalf("%s: row %d is %q", what, i, row)
						}
					}
				}
			}
		}
	}
}

func TestContainerPlan(t *testing.T) {
	name := register(t, (&boxes{}).format())
	env := Env{Files: AnyFile(), MaxWorkers: 3, smallBytes: 1}
	for kind, want := range map[string]Plan{
		"E": {Cardinality: Exact, Rows: 2012, Bytes: 20, Files: 2, Workers: 3},
		"P": {Cardinality: Unknown, Rows: -1, Bytes: 20, Files: 2, Workers: 3},
	} {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, "a int4"))
		opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
		if err != nil {
			t.Fatal(err)
		}
		src := FromFiles(writeFile(t, "1.box", boxFile(kind, 2000, 3)), writeFile(t, "2.box", boxFile("E", 9)))
		p, err := PlanFrom(context.Background(), target, src, opt, env)
		if p.Reason == "" {
			t.Error("no reason")
		}
		if p.Reason = ""; err != nil || p != want {
			t.Errorf("%s: %+v, want %+v, %v", kind, p, want, err)
		}
	}
}

// TestContainerColumns has columns that are matched by name, that are missing, and that
// cannot be read.
func TestContainerColumns(t *testing.T) {
	name := register(t, (&boxes{}).format())
	store := newStore(t)
	src := FromFiles(writeFile(t, "1.box", boxFile("E", 3)))
	load := func(columns string, list []int) ([][]string, error) {
		target := createTable(t, store, textSchema(t, columns))
		target.Columns = list
		opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = From(context.Background(), store, target, src, opt, Env{Files: AnyFile()})
		rows := readTable(t, store)
		dropTable(t, store)
		return rows, err
	}
	rows, err := load("x int4, b text, a int4", nil)
	if want := [][]string{{null, "0", "0"}, {null, "1", "1"}, {null, "2", "2"}}; err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("%q, %v", rows, err)
	}
	rows, err = load("a int4, b text", []int{1})
	if want := [][]string{{null, "0"}, {null, "1"}, {null, "2"}}; err != nil || !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("%q, %v", rows, err)
	}
	_, err = load("x int4, b text", []int{0, 1})
	wantState(t, err, pgerr.UndefinedColumn)
	_, err = load("x int4, y text", nil)
	wantState(t, err, pgerr.UndefinedColumn)
	opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Infer(context.Background(), src, opt, Env{Files: AnyFile()})
	if e := wantState(t, err, pgerr.FeatureNotSupported); !strings.Contains(e.Message, "\"odd\"") {
		t.Error(e.Message)
	}
	_, err = load("a int4, odd text", nil)
	wantState(t, err, pgerr.FeatureNotSupported)
	_, err = load("a int4, x text not null", nil)
	if e := wantState(t, err, pgerr.NotNullViolation); e.Column != "x" || e.Line != 1 || e.File == "" {
		t.Errorf("%+v", e)
	}
	_, err = load("a int4, z int4 not null", nil)
	if e := wantState(t, err, pgerr.NotNullViolation); e.Column != "z" || e.Line != 1 {
		t.Errorf("%+v", e)
	}
}

// TestContainerErrors has parts that fail, that lie about their rows, and that panic.
// TestContainerClaims loads parts that say to have more rows than anything has. Nothing is
// planned for them.
func TestContainerClaims(t *testing.T) {
	for _, kind := range []string{"B", "b"} {
		store := newStore(t)
		name := register(t, (&boxes{}).format())
		_, err := fromText(t, store, "a int4, b text", "FORMAT "+name, FromFiles(writeFile(t, "in.box", boxFile(kind, 1, 1, 1))), Env{Files: AnyFile()})
		if e := wantState(t, err, pgerr.ProgramLimitExceeded); !strings.HasSuffix(e.File, "in.box") {
			t.Errorf("%s: file %q", kind, e.File)
		}
	}
}

// TestContainerTwins has two columns of one name: none of them is taken by chance, and they
// do no harm where neither is wanted.
func TestContainerTwins(t *testing.T) {
	batch := arrowBatch(t, "a", arrow.PrimitiveTypes.Int32, "[1]", "b", arrow.BinaryTypes.String, `["x"]`, "a", arrow.PrimitiveTypes.Int32, "[2]")
	path := arrowFile(t, "twins.arrow", batch)
	for columns, want := range map[string]string{"a int4, b text": pgerr.AmbiguousColumn, "b text": ""} {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, columns))
		res, err := loadArrow(t, store, target, FromFiles(path), "", Env{Files: AnyFile()})
		switch {
		case want != "":
			wantState(t, err, want)
		case err != nil || res.Rows != 1:
			t.Errorf("%s: %d rows, %v", columns, res.Rows, err)
		}
	}
}

func TestContainerErrors(t *testing.T) {
	x := &boxes{}
	name := register(t, x.format())
	for _, c := range []struct{ kind, state, message string }{
		{"l", pgerr.DataCorrupted, "has 4999 rows, and 5000 were expected"},
		{"p", pgerr.InternalError, "\"" + name + "\" panicked: in a part"},
		{"e", pgerr.BadCopyFileFormat, "torn"},
	} {
		for _, workers := range []int{1, 4} {
			store := newStore(t)
			src := FromFiles(writeFile(t, "1.box", boxFile(c.kind, 5000, 5000, 5000, 5000)))
			_, err := fromText(t, store, "a int4, b text", "FORMAT "+name, src, Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1})
			if e := wantState(t, err, c.state); !strings.Contains(e.Message, c.message) {
				t.Errorf("%s, %d workers: %s", c.kind, workers, e.Message)
			}
			if rows := readTable(t, store); len(rows) > 0 {
				t.Errorf("%s: %d rows were stored", c.kind, len(rows))
			}
		}
	}
	_, err := fromText(t, newStore(t), "a int4", "FORMAT "+name, FromFiles(writeFile(t, "1.box", "no")), Env{Files: AnyFile()})
	if e := wantState(t, err, pgerr.BadCopyFileFormat); e.File == "" {
		t.Errorf("%+v", e)
	}
}

// TestContainerRejects has values that do not fit, under each policy.
func TestContainerRejects(t *testing.T) {
	name := register(t, (&boxes{}).format())
	const rows = 20_000
	bad := 0
	for i := range rows {
		if i%701 == 700 {
			bad++
		}
	}
	for _, workers := range []int{1, 4} {
		env := Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1}
		src := FromFiles(writeFile(t, "1.box", boxFile("R", 300, 7000, rows-7300)))
		_, err := fromText(t, newStore(t), "a int4, b text", "FORMAT "+name, src, env)
		if e := wantState(t, err, pgerr.NumericValueOutOfRange); e.Line != 701 || e.Column != "a" {
			t.Errorf("%+v", e)
		}
		store := newStore(t)
		res, err := fromText(t, store, "a int4, b text", "FORMAT "+name+", ON_ERROR ignore, REJECTS 'r'", src, env)
		if err != nil || res.Skipped != int64(bad) || res.Rows != int64(rows-bad) {
			t.Fatalf("%d skipped, %d rows, %v", res.Skipped, res.Rows, err)
		}
		res, err = fromText(t, newStore(t), "a int4, b text", "FORMAT "+name+", ON_ERROR set_null", src, env)
		if err != nil || res.SetNull != int64(bad) || res.Rows != rows {
			t.Fatalf("%d set to null, %d rows, %v", res.SetNull, res.Rows, err)
		}
		_, err = fromText(t, newStore(t), "a int4, b text", "FORMAT "+name+", ON_ERROR ignore, REJECT_LIMIT 2", src, env)
		if e := wantState(t, err, pgerr.InvalidTextRepresentation); e.Line != 701+2*701 {
			t.Errorf("%+v", e)
		}
	}
}

// TestContainerWhere has a WHERE whose predicates the format is told, columns as they are in
// its binding, and a part that passes over rows.
func TestContainerWhere(t *testing.T) {
	x := &boxes{}
	name := register(t, x.format())
	for _, workers := range []int{1, 4} {
		store := newStore(t)
		target := createTable(t, store, textSchema(t, "x int4, b text, a int4"))
		target.Predicates = []Predicate{{Column: 0, Op: Less}, {Column: 2, Op: GreaterEqual, Value: columnar.Value{I: 1000}}}
		target.Where = func(n int, col func(int) columnar.Vec, keep []uint64) (int, error) {
			v := col(2)
			for i, a := range v.Int32s() {
				if a%2 == 1 {
					keep[i>>6] &^= 1 << (i & 63)
				}
			}
			return n, nil
		}
		opt, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
		if err != nil {
			t.Fatal(err)
		}
		src := FromFiles(writeFile(t, "1.box", boxFile("S", 9000, 9000)))
		res, err := From(context.Background(), store, target, src, opt, Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1})
		if err != nil || res.Rows != 6000 || res.Excluded != 12_000 {
			t.Fatalf("%d rows, %d excluded, %v", res.Rows, res.Excluded, err)
		}
		if len(x.seen) != 1 || x.seen[0].Column != 1 || x.seen[0].Op != GreaterEqual {
			t.Errorf("the format was told %+v", x.seen)
		}
		if rows := readTable(t, store); rows[0][2] != "1000" || rows[len(rows)-1][2] != "17998" {
			t.Errorf("%q to %q", rows[0], rows[len(rows)-1])
		}
	}
}

// chest is the writing side of a container: groups of rows, each with its number.
type chest struct {
	workers int
	out     *Output
	packs   []string
	closed  bool
}

func (c *chest) Create(f *Output) (Archive, error) { c.out = f; return c, nil }
func (c *chest) Workers(limit int) int             { return min(limit, c.workers) }
func (c *chest) Packer() Packer                    { return &chestPacker{} }
func (c *chest) Close() error {
	c.closed = true
	_, err := io.WriteString(c.out.Writer, ".")
	return err
}
func (c *chest) Put(pack any) error {
	c.packs = append(c.packs, pack.(string))
	_, err := io.WriteString(c.out.Writer, pack.(string))
	return err
}

type chestPacker struct{ b []byte }

func (p *chestPacker) Add(b Batch) error {
	for i := range b.Rows {
		p.b = append(b.Cols[0].AppendText(p.b, i, nil), '\n')
	}
	return nil
}

func (p *chestPacker) Pack(bool) (any, error) {
	if len(p.b) == 0 {
		return nil, nil
	}
	defer func() { p.b = nil }()
	return string(p.b), nil
}

func TestContainerWrites(t *testing.T) {
	const rows = 300_000
	c := &chest{}
	name := register(t, Format{WriteContainer: func(*Options) (ContainerWriter, error) { return c, nil }})
	opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for i := range rows {
		fmt.Fprintln(&in, i)
	}
	want := in.String() + "."
	store := newStore(t)
	if _, err := fromText(t, store, "a int4", "FORMAT csv", FromReader(bytes.NewReader(in.Bytes()), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 8} {
		*c = chest{workers: workers}
		var out bytes.Buffer
		if err := copyTable(t, store, ToWriter(&out), opt, Env{MaxWorkers: 8, smallBytes: 1}); err != nil {
			t.Fatal(err)
		}
		if out.String() != want || !c.closed || c.out.Rows != rows || len(c.packs) != 3 {
			t.Errorf("%d workers: %d bytes, want %d; %d packs; %d rows", workers, out.Len(), len(want), len(c.packs), c.out.Rows)
		}
	}
	wantState(t, copyTable(t, store, ToWriter(failingWriter{}), opt, Env{MaxWorkers: 8, smallBytes: 1}), pgerr.IOError)
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
