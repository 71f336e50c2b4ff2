package copy

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/copy/internal/arrowipc"
)

// arrowWriter is the options of a COPY TO.
type arrowWriter struct {
	stream  *bool // nil: the name of the file decides
	codec   arrowipc.Codec
	rows    int64 // of a batch at most
	lenient bool
}

// Create begins a stream or a file.
func (w *arrowWriter) Create(f *Output) (Archive, error) {
	stream := f.Name == "" || strings.HasSuffix(strings.ToLower(f.Name), ".arrows")
	if w.stream != nil {
		stream = *w.stream
	}
	fields := make([]arrow.Field, len(f.Columns))
	for i, c := range f.Columns {
		fields[i] = arrowField(c.Name, c.Type, c.NotNull)
	}
	out, err := arrowipc.NewWriter(f.Writer, fields, !stream)
	if err != nil {
		return nil, err
	}
	return &arrowArchive{w: w, columns: f.Columns, out: out}, nil
}

// arrowArchive is what is being written.
type arrowArchive struct {
	w       *arrowWriter
	columns []Column
	out     *arrowipc.Writer
}

func (a *arrowArchive) Workers(limit int) int { return limit }

func (a *arrowArchive) Packer() Packer {
	p := &arrowPacker{w: a.w}
	for _, c := range a.columns {
		p.columns = append(p.columns, newArrowPending(c.Name, c.Type, a.w.lenient))
	}
	return p
}

func (a *arrowArchive) Put(pack any) error {
	for _, p := range pack.([]*arrowipc.Pack) {
		if err := a.out.Put(p); err != nil {
			return err
		}
	}
	return nil
}

func (a *arrowArchive) Close() error { return a.out.Close() }

// arrowPacker makes batches of rows.
type arrowPacker struct {
	w       *arrowWriter
	columns []*arrowPending
	rows    int // that wait
	packs   []*arrowipc.Pack
}

// Add adds rows to those that wait, and makes a batch of them whenever there are enough.
func (p *arrowPacker) Add(b Batch) error {
	for from := 0; from < b.Rows; {
		n := min(b.Rows-from, int(p.w.rows)-p.rows)
		for i, c := range p.columns {
			n = c.room(&b.Cols[i], from, n)
		}
		if n == 0 {
			if err := p.seal(); err != nil {
				return err
			}
			continue
		}
		for i, c := range p.columns {
			v := b.Cols[i].Slice(from, n)
			if err := c.add(&v); err != nil {
				return err
			}
		}
		p.rows += n
		from += n
	}
	return nil
}

// seal makes a batch of the rows that wait.
func (p *arrowPacker) seal() error {
	arrays := make([]arrowipc.Array, len(p.columns))
	for i, c := range p.columns {
		arrays[i] = c.array()
	}
	pack, err := arrowipc.Encode(arrays, p.rows, p.w.codec)
	if err != nil {
		return err
	}
	p.packs, p.rows = append(p.packs, pack), 0
	return nil
}

func (p *arrowPacker) Pack(bool) (any, error) {
	if p.rows > 0 {
		if err := p.seal(); err != nil {
			return nil, err
		}
	}
	if len(p.packs) == 0 {
		return nil, nil
	}
	out := p.packs
	p.packs = nil
	return out, nil
}
