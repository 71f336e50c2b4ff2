package copy

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// register makes a format known under a name that no other test has.
func register(t testing.TB, f Format) (name string) {
	t.Helper()
	name = fmt.Sprintf("test_%d", len(Formats()))
	if err := Register(name, f); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestRegister(t *testing.T) {
	none := func(*Options) (RecordReader, error) { return nil, nil }
	box := func(*Options) (ContainerReader, error) { return nil, nil }
	known := Formats()
	for _, c := range []struct {
		name  string
		f     Format
		state string
	}{
		{"csv", CSV(), pgerr.DuplicateObject},
		{"text", CSV(), pgerr.DuplicateObject},
		{"binary", CSV(), pgerr.DuplicateObject},
		{"", CSV(), pgerr.InvalidName},
		{"CSV", CSV(), pgerr.InvalidName},
		{"1csv", CSV(), pgerr.InvalidName},
		{"c-s-v", CSV(), pgerr.InvalidName},
		{"nothing", Format{Text: true}, pgerr.InvalidParameterValue},
		{"both", Format{ReadRecords: none, ReadContainer: box}, pgerr.InvalidParameterValue},
	} {
		wantState(t, Register(c.name, c.f), c.state)
	}
	if got := Formats(); !slices.Equal(got, known) {
		t.Errorf("a refused format is known: %q, before %q", got, known)
	}
	name := register(t, CSV())
	wantState(t, Register(name, Text()), pgerr.DuplicateObject)
}

func TestMissingSide(t *testing.T) {
	in, out := CSV(), CSV()
	in.WriteRecords, out.ReadRecords = nil, nil
	_, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+register(t, in)+")"))
	wantState(t, err, pgerr.FeatureNotSupported)
	_, err = ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+register(t, out)+")"))
	wantState(t, err, pgerr.FeatureNotSupported)
}

func TestOptionsAreTheFormats(t *testing.T) {
	type request struct {
		names []string
		from  bool
	}
	var asked []request
	ask := func(o *Options) {
		r := request{from: o.From}
		for _, opt := range o.List {
			r.names = append(r.names, opt.Name)
		}
		asked = append(asked, r)
	}
	f := Format{
		Text:         true,
		ReadRecords:  func(o *Options) (RecordReader, error) { ask(o); return newLineReader(csvKind, &Options{From: true}) },
		WriteRecords: func(o *Options) (RecordWriter, error) { ask(o); return nil, o.List[0].Unrecognized() },
	}
	name := register(t, f)
	if _, err := ParseFromOptions(parseOptions(t, "COPY t WITH (depth 3, FORMAT "+name+", on_error ignore, rows 4, colour 'red')")); err != nil {
		t.Fatal(err)
	}
	_, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+", depth 3)"))
	if e := wantState(t, err, pgerr.SyntaxError); e.Message != "option \"depth\" not recognized" {
		t.Error(e.Message)
	}
	_, err = ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+", depth 3, DEPTH 4)"))
	wantState(t, err, pgerr.SyntaxError)
	if len(asked) != 2 || !slices.Equal(asked[0].names, []string{"depth", "colour"}) || !asked[0].from || asked[1].from {
		t.Errorf("the format was told %+v", asked)
	}
	if _, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT binary, ENCODING 'LATIN1')")); err == nil {
		t.Error("an encoding of what is no text")
	}
}

// TestSameUnderAnotherName holds that a format which is registered from outside is what the
// built-in one is.
func TestSameUnderAnotherName(t *testing.T) {
	var in bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&in, "%d\tname %d\n", i, i%7)
	}
	for format, f := range map[string]Format{"text": Text(), "csv": CSV(), "binary": Binary()} {
		var first []byte
		for _, name := range []string{format, register(t, f)} {
			store := newStore(t)
			if _, err := fromText(t, store, "a int4, b text", "FORMAT text", FromReader(bytes.NewReader(in.Bytes()), ""), Env{}); err != nil {
				t.Fatal(err)
			}
			opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := copyTable(t, store, ToWriter(&out), opt, Env{}); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = out.Bytes()
			}
			if !bytes.Equal(first, out.Bytes()) {
				t.Errorf("%s as %s writes something else", format, name)
			}
			dropTable(t, store)
			res, err := fromText(t, store, "a int4, b text", "FORMAT "+name, FromReader(&out, ""), Env{MaxWorkers: 3})
			if err != nil || res.Rows != 3000 {
				t.Errorf("%s as %s: %d rows, %v", format, name, res.Rows, err)
			}
		}
	}
}

// trap is a format of lines that panics in one of its methods.
type trap struct {
	Records
	Scanner
	Decoder
	Encoder
	at     string
	counts atomic.Int32
}

func (p *trap) here(at string) {
	if p.at == at {
		var none []int
		_ = none[len(at)]
	}
}

func (p *trap) Head(h *Head) (Layout, error) {
	p.here("head")
	l, err := p.Records.Head(h)
	return Layout{Start: l.Start, Scan: &trap{Scanner: l.Scan, at: p.at}}, err
}

func (p *trap) Count(b []byte, off int64) Tally {
	p.here("count")
	if p.counts.Add(1) > 3 {
		p.here("late count")
	}
	return p.Scanner.Count(b, off)
}

func (p *trap) After(b []byte, off int64, s State, k int64) int {
	p.here("after")
	return p.Scanner.After(b, off, s, k)
}

func (p *trap) Explain(r *Record) *Error {
	p.here("explain")
	return p.Scanner.Explain(r)
}

// decoderTrap is the trap of the decoder, whose methods would be ambiguous in trap.
type decoderTrap struct {
	Decoder
	p *trap
}

func (d decoderTrap) Begin(l *Layout) { d.Decoder.Begin(&Layout{Scan: l.Scan.(*trap).Scanner}) }

func (d decoderTrap) Index(b []byte, last bool) (int, bool) {
	d.p.here("index")
	return d.Decoder.Index(b, last)
}

func (d decoderTrap) Decode(r *Rows, n int) (int, bool) {
	d.p.here("decode")
	return d.Decoder.Decode(r, n)
}

type recordsTrap struct{ *trap }

func (r recordsTrap) Decoder() Decoder {
	r.here("decoder")
	return decoderTrap{r.Records.Decoder(), r.trap}
}

type readerTrap struct {
	RecordReader
	at string
}

func (r readerTrap) Bind(b *Binding) (Records, error) {
	p := &trap{at: r.at}
	p.here("bind")
	records, err := r.RecordReader.Bind(b)
	p.Records = records
	return recordsTrap{p}, err
}

type encoderTrap struct{ Encoder }

func (encoderTrap) Append([]byte, Batch) ([]byte, error) { panic("append") }

// TestPanics has a format that panics, in every place that it is called in, by the calling
// goroutine and by others.
func TestPanics(t *testing.T) {
	where := ""
	f := Format{Text: true}
	f.ReadRecords = func(o *Options) (RecordReader, error) {
		(&trap{at: where}).here("options")
		r, err := newLineReader(csvKind, o)
		return readerTrap{r, where}, err
	}
	f.WriteRecords = func(*Options) (RecordWriter, error) {
		return writerFunc(func(*Binding) (*Encoding, error) {
			return &Encoding{Encoder: func() Encoder { return encoderTrap{} }}, nil
		}), nil
	}
	name := register(t, f)
	var in bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&in, "%d,name %d\n", i, i)
	}
	path := writeFile(t, "t.csv", in.String())
	bad := writeFile(t, "bad.csv", in.String()+"x,y\n"+in.String())
	store := newStore(t)
	goroutines := runtime.NumGoroutine()
	panicked := func(err error) {
		t.Helper()
		e := wantState(t, err, pgerr.InternalError)
		if !strings.Contains(e.Message, "\""+name+"\" panicked") || !strings.Contains(e.Detail, "registry_test") && !strings.Contains(e.Detail, "Trap") && !strings.Contains(e.Detail, "trap") {
			t.Errorf("%s: %s %s", where, e.Message, e.Detail)
		}
	}
	where = "options"
	_, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
	panicked(err)
	for _, where = range []string{"bind", "head", "count", "late count", "after", "decoder", "index", "decode", "explain"} {
		for _, workers := range []int{1, 4} {
			for kind, src := range map[string]Source{"file": FromFiles(path), "stream": FromReader(bytes.NewReader(in.Bytes()), "stdin")} {
				if where == "explain" {
					src = FromFiles(bad)
				}
				if where == "after" && (workers == 1 || kind == "stream") {
					continue // nobody seeks, or cuts
				}
				env := Env{MaxWorkers: workers, Files: AnyFile(), smallBytes: 1, BlockSize: 10_000}
				_, err := fromText(t, store, "a int4, b text", "FORMAT "+name, src, env)
				panicked(err)
				dropTable(t, store)
			}
		}
	}
	if n := runtime.NumGoroutine(); n > goroutines+3 {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	where = "nowhere"
	res, err := fromText(t, store, "a int4, b text", "FORMAT "+name, FromFiles(path), Env{MaxWorkers: 4, Files: AnyFile(), smallBytes: 1})
	if err != nil || res.Rows != 20_000 {
		t.Fatalf("the store is of no use after panics: %d rows, %v", res.Rows, err)
	}
	opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
	if err != nil {
		t.Fatal(err)
	}
	where = "append"
	for _, workers := range []int{1, 4} {
		panicked(copyTable(t, store, ToWriter(io.Discard), opt, Env{MaxWorkers: workers, smallBytes: 1}))
	}
}

type writerFunc func(*Binding) (*Encoding, error)

func (f writerFunc) Bind(b *Binding) (*Encoding, error) { return f(b) }

// TestBetween has records that something separates.
func TestBetween(t *testing.T) {
	f := Format{Text: true, WriteRecords: func(*Options) (RecordWriter, error) {
		return writerFunc(func(*Binding) (*Encoding, error) {
			return &Encoding{Head: []byte("["), Tail: []byte("]"), Between: 2, Encoder: func() Encoder { return listEncoder{} }}, nil
		}), nil
	}}
	name := register(t, f)
	opt, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT "+name+")"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{0, 1, 3, 300_000} {
		store := newStore(t)
		var in, want bytes.Buffer
		want.WriteByte('[')
		for i := range rows {
			if i > 0 {
				want.WriteString(", ")
			}
			fmt.Fprintf(&in, "%d\n", i)
			fmt.Fprintf(&want, "%d", i)
		}
		want.WriteByte(']')
		if _, err := fromText(t, store, "a int4", "FORMAT csv", FromReader(&in, ""), Env{}); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			var out bytes.Buffer
			if err := copyTable(t, store, ToWriter(&out), opt, Env{MaxWorkers: workers, smallBytes: 1}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want.Bytes()) {
				t.Errorf("%d rows, %d workers: %.40q", rows, workers, out.Bytes())
			}
		}
	}
}

type listEncoder struct{}

func (listEncoder) Append(dst []byte, b Batch) ([]byte, error) {
	for i := range b.Rows {
		dst = b.Cols[0].AppendText(append(dst, ", "...), i, nil)
	}
	return dst, nil
}
