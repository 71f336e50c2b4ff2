package copy

import (
	"strings"
	"sync"

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
	a := &arrowArchive{w: w, out: out, most: int(w.rows)}
	if f.Rows >= 0 {
		a.most = int(min(w.rows, f.Rows))
	}
	a.sets.New = func() any {
		set := &arrowSet{}
		for _, c := range f.Columns {
			set.columns = append(set.columns, newArrowPending(c.Name, c.Type, w.lenient))
		}
		return set
	}
	return a, nil
}

// arrowArchive is what is being written.
type arrowArchive struct {
	w    *arrowWriter
	out  *arrowipc.Writer
	most int       // rows of a batch that are likely
	sets sync.Pool // of *arrowSet
}

// arrowSet is the memory of one batch, which is used again for another.
type arrowSet struct {
	columns []*arrowPending
	rows    int
	pack    *arrowipc.Pack // what became of it
}

func (a *arrowArchive) Workers(limit int) int { return limit }

func (a *arrowArchive) Packer() Packer { return &arrowPacker{a: a} }

func (a *arrowArchive) Put(pack any) error {
	for _, set := range pack.([]*arrowSet) {
		if err := a.out.Put(set.pack); err != nil {
			return err
		}
		for _, c := range set.columns {
			c.reset()
		}
		set.rows, set.pack = 0, nil
		a.sets.Put(set)
	}
	return nil
}

func (a *arrowArchive) Close() error { return a.out.Close() }

// arrowPacker makes batches of rows.
type arrowPacker struct {
	a    *arrowArchive
	open *arrowSet // rows that wait; nil if none do
	full []*arrowSet
}

// Add adds rows to those that wait, and makes a batch of them whenever there are enough.
func (p *arrowPacker) Add(b Batch) error {
	for from := 0; from < b.Rows; {
		if p.open == nil {
			p.open = p.a.sets.Get().(*arrowSet)
		}
		n := min(b.Rows-from, int(p.a.w.rows)-p.open.rows)
		for i, c := range p.open.columns {
			n = c.room(&b.Cols[i], from, n)
		}
		if n == 0 {
			if err := p.seal(); err != nil {
				return err
			}
			continue
		}
		for i, c := range p.open.columns {
			if p.open.rows > 0 {
				c.grow(p.a.most)
			}
			v := b.Cols[i].Slice(from, n)
			if err := c.add(&v); err != nil {
				return err
			}
		}
		p.open.rows += n
		from += n
	}
	return nil
}

// seal makes a batch of the rows that wait.
func (p *arrowPacker) seal() error {
	arrays := make([]arrowipc.Array, len(p.open.columns))
	for i, c := range p.open.columns {
		arrays[i] = c.array()
	}
	var err error
	if p.open.pack, err = arrowipc.Encode(arrays, p.open.rows, p.a.w.codec); err != nil {
		return err
	}
	p.full, p.open = append(p.full, p.open), nil
	return nil
}

func (p *arrowPacker) Pack(bool) (any, error) {
	if p.open != nil {
		if err := p.seal(); err != nil {
			return nil, err
		}
	}
	if len(p.full) == 0 {
		return nil, nil
	}
	out := p.full
	p.full = nil
	return out, nil
}
