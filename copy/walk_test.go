package copy

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// netstrings is a format for tests, of text whose records are walked: the length of a record,
// a colon, its two fields with a comma between them, and a point: "7:12,abc\n." Behind the
// last may stand "!". An input that begins with "#" is lines instead, which are scanned: the
// two kinds can be in one COPY.
type netstrings struct{ binding *Binding }

func netFormat() Format {
	return Format{Text: true, ReadRecords: func(*Options) (RecordReader, error) { return &netstrings{}, nil }}
}

func (n *netstrings) Bind(b *Binding) (Records, error) { return &netstrings{binding: b}, nil }

func (n *netstrings) Head(h *Head) (Layout, error) {
	switch {
	case len(h.Bytes) == 0 && !h.Whole:
		return Layout{}, ErrShort
	case len(h.Bytes) > 0 && h.Bytes[0] == '#':
		return Layout{Start: 1, Scan: netLines{n}}, nil
	}
	return Layout{Walk: n}, nil
}

// length reads the length of the record that b begins with, and how many bytes tell it.
func length(b []byte) (size, digits int, next Step) {
	i := bytes.IndexByte(b[:min(len(b), 8)], ':')
	if i < 0 {
		if len(b) >= 8 {
			return 0, 0, StepBad
		}
		return 0, 0, StepShort
	}
	size, err := strconv.Atoi(string(b[:i]))
	if err != nil || size < 0 {
		return 0, 0, StepBad
	}
	return size, i + 1, StepEnough
}

func (n *netstrings) Walk(b []byte, last bool, until int, most int64) (at int, rows int64, next Step) {
	for rows < most {
		if len(b) > at && b[at] == '!' {
			switch {
			case len(b) > at+1:
				return at, rows, StepBad
			case last:
				return at, rows, StepEnd
			}
			return at, rows, StepShort
		}
		size, digits, step := length(b[at:])
		if step != StepEnough {
			return at, rows, step
		}
		switch end := at + digits + size + 1; {
		case end > len(b):
			return at, rows, StepShort
		case b[end-1] != '.':
			return at, rows, StepBad
		case end > until:
			return at, rows, StepEnough
		default:
			at = end
			rows++
		}
	}
	return at, rows, StepEnough
}

func (n *netstrings) Skip(src io.ReaderAt, off, end int64) (int64, Step, error) {
	b := make([]byte, min(8, end-off))
	if _, err := src.ReadAt(b, off); err != nil && err != io.EOF {
		return off, StepBad, err
	}
	size, digits, step := length(b)
	if step != StepEnough {
		return off, step, nil
	}
	if off += int64(digits + size + 1); off > end {
		return off, StepShort, nil
	}
	return off, StepEnough, nil
}

func (n *netstrings) Explain(src *io.SectionReader, r *Record) (*Error, error) {
	b, err := io.ReadAll(src)
	if err != nil {
		return nil, err
	}
	at, rows, _ := n.Walk(b, true, len(b), 1)
	if rows == 0 {
		return pgerr.New(pgerr.BadCopyFileFormat, "no record"), nil
	}
	_, digits, _ := length(b)
	return n.explain(b[digits:at-1], r, digits), nil
}

func (n *netstrings) explain(body []byte, r *Record, at int) *Error {
	first, second, two := bytes.Cut(body, []byte(","))
	if !two {
		return pgerr.New(pgerr.BadCopyFileFormat, "one field")
	}
	for i, v := range [][]byte{first, second} {
		if len(v) == 0 {
			continue
		}
		if e := n.binding.ValueError(i, v); e != nil {
			r.Error(e, 0, at)
			if r.Forgiven == nil {
				return e
			}
			r.Forgiven(e)
		}
		at += len(v) + 1
	}
	return nil
}

// netLines are the lines of an input.
type netLines struct{ *netstrings }

func (n netLines) Count(b []byte, _ int64) Tally {
	t := EmptyTally()
	t.Lines = int64(bytes.Count(b, []byte("\n")))
	t.Ends[0], t.Open[0] = t.Lines, b[len(b)-1] != '\n'
	return t
}

func (n netLines) After(b []byte, _ int64, _ State, k int64) int {
	at := 0
	for range k {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at
}

func (n netLines) Explain(r *Record) *Error {
	return n.explain(bytes.TrimSuffix(r.Bytes, []byte("\n")), r, 0)
}

type netDecoder struct {
	walks  bool
	bodies [][]byte
	ends   []int
	done   int
	null   [2][]uint64
}

func (n *netstrings) Decoder() Decoder { return &netDecoder{} }
func (d *netDecoder) Begin(l *Layout)  { d.walks = l.Walk != nil }
func (d *netDecoder) Close()           {}
func (d *netDecoder) End(k int) int    { return d.ends[k-1] }

func (d *netDecoder) Index(b []byte, last bool) (ready int, bad bool) {
	d.bodies, d.ends, d.done = d.bodies[:0], d.ends[:0], 0
	for at := 0; at < len(b); {
		var end, from, to int
		if d.walks {
			n, rows, next := (&netstrings{}).Walk(b[at:], last, len(b)-at, 1)
			if rows == 0 {
				return len(d.ends), next == StepBad || next == StepShort && last
			}
			_, digits, _ := length(b[at:])
			from, to, end = at+digits, at+n-1, at+n
		} else {
			i := bytes.IndexByte(b[at:], '\n')
			if i < 0 && !last {
				return len(d.ends), false
			}
			if i < 0 {
				i = len(b) - at
			}
			from, to, end = at, at+i, min(at+i+1, len(b))
		}
		if bytes.IndexByte(b[from:to], ',') < 0 {
			return len(d.ends), true
		}
		d.bodies, d.ends = append(d.bodies, b[from:to]), append(d.ends, end)
		at = end
	}
	return len(d.ends), false
}

func (d *netDecoder) Decode(r *Rows, n int) (int, bool) {
	want := n
	for col := range d.null {
		null := make([]uint64, (n+63)/64)
		for i := 0; i < n; i++ {
			first, second, _ := bytes.Cut(d.bodies[d.done+i], []byte(","))
			v := [2][]byte{first, second}[col]
			switch {
			case len(v) == 0:
				r.Null(col, i)
			case r.Parse(col, i, v):
				continue
			case !r.Forgive(i, true):
				n = i
				continue
			}
			null[i>>6] |= 1 << (i & 63)
		}
		if n = r.Nulls(col, n, null); n == 0 {
			return 0, false
		}
	}
	d.done += n
	return n, n == want
}

// netText is rows as the format has them, and as the table shows them. Every third record
// has two line breaks.
func netText(rows int, lines bool) (text string, table [][]string) {
	var b strings.Builder
	if lines {
		b.WriteByte('#')
	}
	for i := range rows {
		s := "v" + strconv.Itoa(i)
		if i%3 == 0 && !lines {
			s = "x\n" + s + "\n"
		}
		if i%5000 == 4999 {
			s += strings.Repeat("y", 300_000) // longer than what a walk looks at
		}
		body := fmt.Sprintf("%d,%s", i, s)
		if lines {
			b.WriteString(body + "\n")
		} else {
			fmt.Fprintf(&b, "%d:%s.", len(body), body)
		}
		table = append(table, []string{strconv.Itoa(i), s})
	}
	return b.String(), table
}

func TestWalkedText(t *testing.T) {
	name := register(t, netFormat())
	text, want := netText(20_000, false)
	small, few := netText(60, false)
	scanned, lines := netText(7000, true)
	type source struct {
		src  func() Source
		want [][]string
	}
	file, line, little := writeFile(t, "t", text+"!"), writeFile(t, "l", scanned), writeFile(t, "s", small)
	for what, s := range map[string]source{
		"file":   {func() Source { return FromFiles(file) }, want},
		"small":  {func() Source { return FromFiles(little) }, few},
		"mixed":  {func() Source { return FromFiles(little, line, file) }, slices.Concat(few, lines, want)},
		"lines":  {func() Source { return FromFiles(line) }, lines},
		"stream": {func() Source { return FromReader(iotest.HalfReader(strings.NewReader(text+"!")), "") }, want},
		"few":    {func() Source { return FromReader(iotest.OneByteReader(strings.NewReader(small)), "") }, few},
	} {
		blocks := []int{0, 4099}
		if what == "small" {
			blocks = []int{1, 2, 3, 7, 64}
		}
		for _, workers := range []int{1, 3, 8} {
			for _, block := range blocks {
				store := newStore(t)
				env := Env{Files: AnyFile(), MaxWorkers: workers, BlockSize: block, smallBytes: 1, readBytes: 1 << 10}
				res, err := fromText(t, store, "a int4, b text", "FORMAT "+name, s.src(), env)
				if err != nil || res.Rows != int64(len(s.want)) {
					t.Fatalf("%s, %d workers, blocks of %d: %d rows, %v", what, workers, block, res.Rows, err)
				}
				if got := readTable(t, store); !slices.EqualFunc(got, s.want, slices.Equal) {
					t.Fatalf("%s, %d workers, blocks of %d: other rows", what, workers, block)
				}
			}
		}
	}
}

// TestWalkedErrors holds that errors of records that are walked say the physical line.
func TestWalkedErrors(t *testing.T) {
	name := register(t, netFormat())
	text, _ := netText(4000, false)
	before := int64(strings.Count(text, "\n"))
	for _, c := range []struct {
		record, state, column string
		line, offset          int64
	}{
		{"6:4x,abc.5:1,abc.", pgerr.InvalidTextRepresentation, "a", 1 + before, int64(len(text)) + 2},
		{"3:abc.5:1,abc.", pgerr.BadCopyFileFormat, "", 1 + before, 0},
		{"9:1,abc.", pgerr.BadCopyFileFormat, "", 1 + before, 0},
		{"!5:1,abc.", pgerr.BadCopyFileFormat, "", 1 + before, 0},
		{"8:,abc\n\n\n\n.", pgerr.NotNullViolation, "a", 1 + before + 4, 0},
	} {
		path := writeFile(t, "t", text+c.record)
		for _, workers := range []int{1, 4} {
			for what, src := range map[string]Source{"file": FromFiles(path), "stream": FromReader(strings.NewReader(text+c.record), "stdin")} {
				env := Env{Files: AnyFile(), MaxWorkers: workers, BlockSize: 5000, smallBytes: 1}
				_, err := fromText(t, newStore(t), "a int4 not null, b text", "FORMAT "+name, src, env)
				e := wantState(t, err, c.state)
				if e.Line != c.line || e.Column != c.column || c.offset > 0 && e.ByteOffset != c.offset {
					t.Errorf("%q, %s, %d workers: line %d, want %d; column %q; byte %d", c.record, what, workers, e.Line, c.line, e.Column, e.ByteOffset)
				}
			}
		}
	}
}
