package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/ingotdb/ingot/columnar"
)

const (
	// createdBy is what the footer says about who wrote the file, in the form that readers
	// take apart.
	createdBy = "ingot version 1.0.0"

	// groupRows is how many rows a row group has if nothing is said.
	groupRows = columnar.MaxFragmentRows

	// groupBytes is about how many bytes of values a row group has at most.
	groupBytes = 128 << 20
)

// archive is a file that is being written. Its packers work in goroutines of their own, one each;
// put and close belong to one goroutine.
type archive struct {
	w       io.Writer
	layouts []layout
	codec   int32
	rows    int // of a row group at most
	infNull bool

	at     int64
	groups []encodedGroup // written, without their bytes
	spare  sync.Pool      // of *[]byte: the memory of groups that were written
}

// newArchive begins a file.
func newArchive(w io.Writer, layouts []layout, codec int32, rows int, infNull bool) (*archive, error) {
	a := &archive{w: w, layouts: layouts, codec: codec, rows: rows, infNull: infNull}
	return a, a.write([]byte(magic))
}

func (a *archive) write(b []byte) error {
	n, err := a.w.Write(b)
	a.at += int64(n)
	return err
}

// put writes row groups.
func (a *archive) put(groups []encodedGroup) error {
	for i := range groups {
		g := &groups[i]
		for k := range g.chunks {
			c := &g.chunks[k]
			if c.dataAt += a.at; c.dictAt >= 0 {
				c.dictAt += a.at
			}
		}
		if err := a.write(g.bytes); err != nil {
			return err
		}
		b := g.bytes[:0]
		a.spare.Put(&b)
		g.bytes = nil
		a.groups = append(a.groups, *g)
	}
	return nil
}

// close writes the footer.
func (a *archive) close() error {
	b := a.footer()
	if int64(len(b)) > 1<<32-1 {
		return fmt.Errorf("parquet: a footer of %d bytes", len(b))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return a.write(append(b, magic...))
}

// footer returns FileMetaData.
func (a *archive) footer() []byte {
	w := &thriftWriter{}
	elements, rows := 1, int64(0)
	for i := range a.layouts {
		elements += a.layouts[i].elementCount()
	}
	for i := range a.groups {
		rows += int64(a.groups[i].rows)
	}
	w.open()
	w.i32(1, 2)
	w.list(2, elements, thriftStruct)
	w.open()
	w.string(4, "schema")
	w.i32(5, int32(len(a.layouts)))
	w.close()
	for i := range a.layouts {
		a.layouts[i].elements(w)
	}
	w.i64(3, rows)
	w.list(4, len(a.groups), thriftStruct)
	for i := range a.groups {
		a.groups[i].metadata(w, i, a)
	}
	w.string(6, createdBy)
	w.list(7, len(a.layouts), thriftStruct)
	for range a.layouts { // bounds are in the order of the type
		w.open()
		w.structure(1, func() {})
		w.close()
	}
	w.close()
	return w.b
}

// metadata writes the RowGroup of the group with that number.
func (g *encodedGroup) metadata(w *thriftWriter, ordinal int, a *archive) {
	w.open()
	w.list(1, len(g.chunks), thriftStruct)
	plain, packed := int64(0), int64(0)
	first := int64(0)
	for i := range g.chunks {
		c := &g.chunks[i]
		c.metadata(w, &a.layouts[i])
		plain += c.uncompressed
		packed += c.compressed
		if i == 0 {
			first = c.start()
		}
	}
	w.i64(2, plain)
	w.i64(3, int64(g.rows))
	w.i64(5, first)
	w.i64(6, packed)
	if ordinal <= 1<<15-1 {
		w.i16(7, int16(ordinal))
	}
	w.close()
}

// start returns where the chunk's first page is.
func (c *encodedChunk) start() int64 {
	if c.dictAt >= 0 {
		return c.dictAt
	}
	return c.dataAt
}

// metadata writes the ColumnChunk of a column.
func (c *encodedChunk) metadata(w *thriftWriter, l *layout) {
	w.open()
	w.i64(2, 0) // where a copy of the metadata is: nowhere
	w.structure(3, func() {
		w.i32(1, l.phys)
		encodings := []int64{encPlain}
		if l.maxDef() > 0 {
			encodings = append(encodings, encRLE)
		}
		if c.dictAt >= 0 {
			encodings = append(encodings, encDictionary)
		}
		w.list(2, len(encodings), thriftI32)
		for _, e := range encodings {
			w.b = binary.AppendVarint(w.b, e)
		}
		l.path(w, 3)
		w.i32(4, c.codec)
		w.i64(5, int64(c.values))
		w.i64(6, c.uncompressed)
		w.i64(7, c.compressed)
		w.i64(9, c.dataAt)
		if c.dictAt >= 0 {
			w.i64(11, c.dictAt)
		}
		w.structure(12, func() {
			w.i64(3, int64(c.nulls))
			s := &c.stats
			if s.max != nil {
				w.bytes(5, s.max)
			}
			if s.min != nil {
				w.bytes(6, s.min)
			}
			if s.max != nil {
				w.bool(7, s.maxExact)
			}
			if s.min != nil {
				w.bool(8, s.minExact)
			}
		})
	})
	w.close()
}

// packer makes row groups. One goroutine owns it.
type packer struct {
	a        *archive
	encoder  encoder
	builders []builder
	rows     int // collected
	done     []encodedGroup
}

// packer returns a packer of rows.
func (a *archive) packer() *packer {
	p := &packer{a: a, encoder: encoder{codec: a.codec}, builders: make([]builder, len(a.layouts))}
	for i := range p.builders {
		p.builders[i] = builder{layout: &a.layouts[i], nullInfinite: a.infNull}
	}
	return p
}

// add adds n rows.
func (p *packer) add(cols []columnar.Vec, n int) error {
	for from := 0; from < n; {
		k := min(n-from, p.a.rows-p.rows)
		size := 0
		for i := range p.builders {
			v := cols[i]
			if from > 0 || k < n {
				v = v.Slice(from, k)
			}
			if err := p.builders[i].add(&v); err != nil {
				return err
			}
			size += p.builders[i].size()
		}
		p.rows += k
		from += k
		if p.rows == p.a.rows || size >= groupBytes {
			if err := p.encode(); err != nil {
				return err
			}
		}
	}
	return nil
}

// encode makes a row group of what was collected.
func (p *packer) encode() error {
	if p.rows == 0 {
		return nil
	}
	g := encodedGroup{rows: p.rows, chunks: make([]encodedChunk, len(p.builders))}
	if b, ok := p.a.spare.Get().(*[]byte); ok {
		g.bytes = *b
	} else {
		size := 0
		for i := range p.builders {
			size += p.builders[i].size()
		}
		g.bytes = make([]byte, 0, size/2)
	}
	for i := range p.builders {
		var err error
		if g.bytes, g.chunks[i], err = p.encoder.column(g.bytes, &p.builders[i]); err != nil {
			return err
		}
		p.builders[i].reset()
	}
	p.rows = 0
	p.done = append(p.done, g)
	return nil
}

// pack returns the row groups that are complete; all says that what was collected is one too.
func (p *packer) pack(all bool) ([]encodedGroup, error) {
	if all {
		if err := p.encode(); err != nil {
			return nil, err
		}
	}
	done := p.done
	p.done = nil
	return done, nil
}
