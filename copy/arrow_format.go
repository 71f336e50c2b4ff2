package copy

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy/internal/arrowipc"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Arrow returns the format of Arrow's IPC streams and files.
//
// Which of the two an input is its first bytes say. MATCH position matches its columns with
// those of the COPY in their order, not by their names. An output is a file if it has a
// name, unless that ends with .arrows, and else a stream; STREAM decides it. COMPRESSION is
// none, lz4 or zstd; BATCH_SIZE is the most rows of a batch; NON_FINITE null writes as NULL
// what Arrow does not have: infinite dates and times, and NaN among decimals.
func Arrow() Format {
	return Format{
		Named:          true,
		Suffixes:       []string{".arrow", ".arrows", ".feather", ".ipc"},
		Magic:          []string{arrowipc.Magic, "\xff\xff\xff\xff"},
		ReadContainer:  readArrow,
		WriteContainer: writeArrow,
	}
}

// readArrow takes the options of a COPY FROM. Those of a COPY TO are taken too, so that what
// was written can be read with the options that it was written with: BATCH_SIZE is then the
// most rows that are read at a time, and the others mean nothing, because the data say it.
func readArrow(o *Options) (ContainerReader, error) {
	r := arrowReader{step: arrowRows}
	var writing Options
	for i := range o.List {
		opt := &o.List[i]
		if !strings.EqualFold(opt.Name, "match") {
			writing.List = append(writing.List, *opt)
			continue
		}
		word, err := opt.Text()
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(word) {
		case "name":
		case "position":
			r.positions = true
		default:
			return nil, pgerr.New(pgerr.InvalidParameterValue, "COPY MATCH \"%s\" not recognized", word).WithHint("It is name or position.")
		}
	}
	w, err := writeArrow(&writing)
	if err != nil {
		return nil, err
	}
	r.step = min(r.step, w.(*arrowWriter).rows)
	return r, nil
}

// arrowReader opens inputs.
type arrowReader struct {
	positions bool
	step      int64 // rows at a time
}

func (r arrowReader) ByPosition() bool { return r.positions }

func (arrowReader) Streams() bool { return true }

func (r arrowReader) Open(_ context.Context, in *Input) (Container, error) {
	if in.Stream != nil {
		s, err := arrowipc.OpenStream(in.Stream)
		if err != nil {
			return nil, err
		}
		return &arrowInput{stream: s, columns: s.Columns(), step: r.step}, nil
	}
	file, err := arrowipc.Open(in.At, in.Size)
	if err != nil {
		return nil, err
	}
	return &arrowInput{file: file, columns: file.Columns(), step: r.step}, nil
}

// arrowInput is an open input: a file or a stream.
type arrowInput struct {
	file    *arrowipc.Reader
	stream  *arrowipc.Stream
	columns []arrowipc.Column
	step    int64 // rows at a time at most
	from    []int // columns of the input that are read
	binding *Binding
	blocks  []arrowBlock // of a file
}

// arrowBlock is a batch of a file while its parts are read.
type arrowBlock struct {
	once  sync.Once
	batch *arrowipc.Batch
	err   error
	parts atomic.Int32 // that are still to be read
}

func (a *arrowInput) Columns() []ContainerColumn {
	out := make([]ContainerColumn, len(a.columns))
	for i, c := range a.columns {
		out[i] = ContainerColumn{Name: c.Name, Says: "Arrow's " + c.Kind}
		if c.Type != nil {
			out[i].Type, _ = arrowType(c.Type)
		}
	}
	return out
}

func (a *arrowInput) Bind(b *Binding, from []int) error {
	a.binding, a.from = b, from
	if a.file != nil {
		a.blocks = make([]arrowBlock, len(a.file.Blocks()))
	}
	return nil
}

func (a *arrowInput) Rows() (Cardinality, int64) {
	if a.file == nil {
		return Unknown, -1
	}
	return Exact, a.file.Rows()
}

func (a *arrowInput) Close() error { return nil }

// arrowParts is how many parts make a fragment: enough that a small input has some for every
// goroutine.
const arrowParts = 16

func (a *arrowInput) Parts() iter.Seq2[Part, error] {
	if a.stream != nil {
		return a.streamParts
	}
	return a.fileParts
}

// streamParts yields each batch of a stream as it comes, a large one in pieces.
func (a *arrowInput) streamParts(yield func(Part, error) bool) {
	fragment := int64(fragmentRows(a.binding.Schema))
	for {
		b, err := a.stream.Next(a.from)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for from := int64(0); from < b.Rows(); from += fragment {
			n := min(fragment, b.Rows()-from)
			p := &arrowPart{in: a, rows: n, bytes: -1, batch: b.Fork(), ranges: []arrowRange{{from: from, rows: n}}}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// fileParts yields ranges of the batches of a file, cut where fragments begin and between:
// pieces of large batches, several small ones together. A compressed batch is only cut if it
// is more than a fragment, because how many bytes of strings a piece has is unknown.
func (a *arrowInput) fileParts(yield func(Part, error) bool) {
	fragment := int64(fragmentRows(a.binding.Schema))
	size := max(64, fragment/arrowParts&^63)
	row := int64(0) // of the input
	end := size     // of the part, if nothing forbids it
	part := &arrowPart{in: a}
	for i, k := range a.file.Blocks() {
		a.blocks[i].parts.Add(1) // until all parts of the block are there
		for from := int64(0); from < k.Rows; {
			n := k.Rows - from
			if k.Divisible || k.Rows > fragment {
				n = min(n, end-row)
			}
			bytes, err := a.varBytes(i, from, n)
			if err != nil {
				yield(nil, err)
				return
			}
			part.add(arrowRange{block: i, from: from, rows: n}, bytes)
			a.blocks[i].parts.Add(1)
			from += n
			if row += n; row < end {
				continue
			}
			if !yield(part, nil) {
				return
			}
			part = &arrowPart{in: a}
			begin := row / fragment * fragment
			if end = row + size; row-begin < fragment && end+size > begin+fragment {
				end = begin + fragment
			}
		}
		a.blocks[i].done()
	}
	if part.rows > 0 {
		yield(part, nil)
	}
}

// varBytes returns how many bytes the values of variable length of a range have at most, -1
// if that is unknown.
func (a *arrowInput) varBytes(block int, from, n int64) (int64, error) {
	var same []int
	for i, k := range a.from {
		t := a.binding.Columns[i].Type
		if !t.Variable() {
			continue
		}
		if !keepsBytes(t, a.columns[k].Type) {
			return -1, nil
		}
		same = append(same, k)
	}
	return a.file.ValueBytes(block, same, from, n)
}

// keepsBytes reports whether values of an Arrow type become values of t that have no bytes
// more.
func keepsBytes(t columnar.Type, of arrow.DataType) bool {
	if t.Array {
		return false
	}
	switch of.ID() {
	case arrow.STRING, arrow.LARGE_STRING:
		return t.Kind == columnar.Text || t.Kind == columnar.Varchar || t.Kind == columnar.JSON
	case arrow.BINARY, arrow.LARGE_BINARY:
		return t.Kind == columnar.Bytea
	}
	return false
}

// arrowRange is rows of a block.
type arrowRange struct {
	block      int
	from, rows int64
}

// arrowPart is rows that one goroutine reads.
type arrowPart struct {
	in     *arrowInput
	rows   int64
	bytes  int64 // of variable length; -1: unknown
	ranges []arrowRange
	batch  *arrowipc.Batch // of a stream
}

// add adds a range, whose values of variable length have at most so many bytes.
func (p *arrowPart) add(r arrowRange, bytes int64) {
	p.ranges = append(p.ranges, r)
	if p.rows += r.rows; bytes < 0 || p.bytes < 0 {
		p.bytes = -1
	} else {
		p.bytes += bytes
	}
}

func (p *arrowPart) Size() (rows, varBytes int64) { return p.rows, p.bytes }

// arrowStepBytes is about how much is read at a time: what stays in the processor's cache
// until it is stored.
const arrowStepBytes = 512 << 10

func (p *arrowPart) Read(ctx context.Context, out *Sink) error {
	s := newArrowSink(p.in.binding.Columns, p.in.binding.Location, out, true)
	if p.batch != nil {
		return p.readRange(ctx, s, p.batch, p.ranges[0], p.in.step)
	}
	for _, r := range p.ranges {
		b, err := p.in.open(r.block)
		if err != nil {
			return err
		}
		perRow := p.in.file.Bytes(r.block)/p.in.file.Blocks()[r.block].Rows + 1
		step := min(p.in.step, max(1024, arrowStepBytes/perRow&^63))
		if err := p.readRange(ctx, s, b.Fork(), r, step); err != nil {
			return err
		}
		p.in.blocks[r.block].done()
	}
	return nil
}

// readRange reads and stores the rows of r, step at a time, and closes b.
func (p *arrowPart) readRange(ctx context.Context, s *arrowSink, b *arrowipc.Batch, r arrowRange, step int64) error {
	defer b.Close()
	clock, before := &s.out.g.w.clock, b.Taken()
	defer func() { clock.bytes[StageRead] += b.Taken() - before }()
	for at := r.from; at < r.from+r.rows; at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, r.from+r.rows-at)
		clock.enter(StageRead)
		arrays, err := b.Read(at, n)
		if err != nil {
			return err
		}
		clock.enter(StageConvert)
		if err := s.store(arrays, int(n)); err != nil {
			return err
		}
	}
	return nil
}

// done says that a part was read. Behind the last the memory of the batch is free.
func (k *arrowBlock) done() {
	if k.parts.Add(-1) == 0 {
		k.batch = nil
	}
}

// open returns a batch of the file, of which every part reads a fork.
func (a *arrowInput) open(block int) (*arrowipc.Batch, error) {
	k := &a.blocks[block]
	k.once.Do(func() { k.batch, k.err = a.file.Batch(block, a.from) })
	return k.batch, k.err
}

// writeArrow takes the options of a COPY TO.
func writeArrow(o *Options) (ContainerWriter, error) {
	w := &arrowWriter{codec: arrowipc.Uncompressed, rows: columnar.MaxFragmentRows}
	for i := range o.List {
		opt := &o.List[i]
		var err error
		var word string
		switch strings.ToLower(opt.Name) {
		case "stream":
			w.stream = new(bool)
			*w.stream, err = opt.Bool()
		case "compression":
			if word, err = opt.Text(); err == nil {
				w.codec, err = arrowCodec(word)
			}
		case "batch_size":
			w.rows, err = opt.Int(1, columnar.MaxFragmentRows)
		case "non_finite":
			if word, err = opt.Text(); err != nil {
				break
			}
			switch strings.ToLower(word) {
			case "null":
				w.lenient = true
			case "error":
			default:
				err = pgerr.New(pgerr.InvalidParameterValue, "COPY NON_FINITE \"%s\" not recognized", word).WithHint("It is error or null.")
			}
		default:
			err = opt.Unrecognized()
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// arrowCodec returns the codec that COMPRESSION names.
func arrowCodec(word string) (arrowipc.Codec, error) {
	switch strings.ToLower(word) {
	case "none", "uncompressed":
		return arrowipc.Uncompressed, nil
	case "lz4":
		return arrowipc.LZ4, nil
	case "zstd":
		return arrowipc.Zstd, nil
	}
	return 0, pgerr.New(pgerr.InvalidParameterValue, "COPY COMPRESSION \"%s\" not recognized for the arrow format", word).
		WithHint("It is none, lz4 or zstd.")
}
