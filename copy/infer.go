package copy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// Inferrer is a RecordReader that can propose columns. A format of containers need not: its
// columns have types.
type Inferrer interface {
	// Infer proposes columns for what the samples hold, the beginnings of the inputs.
	Infer(ctx context.Context, samples []Sample) (*Proposal, error)
}

// Sample is the beginning of an input, decompressed and as UTF-8 if it is text.
type Sample struct {
	Name  string
	Bytes []byte
	Whole bool // it is all of the input
}

// Proposal is what a format makes of samples.
type Proposal struct {
	Columns []columnar.Column
	Rows    int64        // that were looked at
	Header  bool         // the first record names the columns
	Reader  RecordReader // to load with; nil for the one that was asked
	Extra   []Option     // that a statement needs beside its own, to be read so
}

// inferBytes is how much input the types are inferred from: all of it if it is not longer.
const inferBytes = 64 << 20

// inferStreamBytes is how much of a stream, which must be kept in memory, is looked at.
const inferStreamBytes = 8 << 20

// Inference is what Infer made of an input.
type Inference struct {
	Columns []columnar.Column
	Header  bool     // the first record names the columns
	Says    string   // what was chosen and from how much, in one line
	Source  Source   // to load from: the given one, but for what was read of a stream
	Extra   []Option // what a statement must say beside the given options to load so
	Options *FromOptions
}

// Infer chooses columns for an input whose table does not exist yet. How, is the format's:
// see Inferrer.
func Infer(ctx context.Context, src Source, opt *FromOptions, env Env) (*Inference, error) {
	out := &Inference{Source: src}
	g := &sampler{ctx: ctx, opt: opt, env: &env, left: inferBytes}
	var err error
	switch format, is := opt.records.(Inferrer); {
	case opt.container != nil:
		err = guarded(opt.Format, func() error { return g.container(&src, out) })
	case !is:
		return nil, pgerr.New(pgerr.FeatureNotSupported, "cannot infer columns from %s", opt.Format).WithHint("Create the table first.")
	default:
		err = guarded(opt.Format, func() error { return g.records(&src, format, out) })
	}
	if err != nil {
		return nil, asError(err)
	}
	return out, nil
}

// sampler reads the beginnings of inputs.
type sampler struct {
	ctx     context.Context
	opt     *FromOptions
	env     *Env
	left    int64 // bytes still to look at
	samples []Sample
	bytes   int64
	total   int64 // of the files
	cut     bool  // not everything was looked at
}

// records asks a format of records.
func (g *sampler) records(src *Source, format Inferrer, out *Inference) error {
	var s stream // keeps the reason of bytes that are no text
	if src.reader != nil {
		var kept bytes.Buffer
		if err := g.front(&s, io.TeeReader(src.reader, &kept), src.name); err != nil {
			return err
		}
		out.Source = FromReader(io.MultiReader(&kept, src.reader), src.name)
	} else if err := g.files(&s, src.paths); err != nil {
		return err
	}
	p, err := format.Infer(g.ctx, g.samples)
	if err != nil {
		return s.why(err)
	}
	if p == nil || len(p.Columns) == 0 {
		return pgerr.New(pgerr.BadCopyFileFormat, "the input is empty: it has no record to infer columns from").
			WithHint("Create the table first.")
	}
	o := *g.opt
	if p.Reader != nil {
		o.records = p.Reader
	}
	out.Columns, out.Header, out.Extra, out.Options = p.Columns, p.Header, p.Extra, &o
	out.Says = g.says(p)
	return nil
}

// container takes the columns of the first input, which has them.
func (g *sampler) container(src *Source, out *Inference) error {
	in := &Input{Name: src.name}
	if src.reader != nil {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot infer columns from a stream of %s", g.opt.Format).WithHint("Create the table first, or name a file.")
	}
	names, err := g.env.Files.expand(src.paths)
	if err != nil {
		return err
	}
	file, kind, size, err := g.open(names[0])
	if err != nil {
		return err
	}
	defer file.Close()
	if in.Name, in.At, in.Size = names[0], file, size; kind != nil {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot infer columns from compressed %s", g.opt.Format).WithHint("Create the table first, or decompress it.")
	}
	c, err := g.opt.container.Open(g.ctx, in)
	if err != nil {
		return inFile(err, in.Name)
	}
	defer c.Close()
	for _, col := range c.Columns() {
		if col.Type == (columnar.Type{}) {
			return pgerr.New(pgerr.FeatureNotSupported, "column \"%s\" of \"%s\" has the type %s, which is not supported", col.Name, in.Name, col.Says)
		}
		out.Columns = append(out.Columns, columnar.Column{Name: col.Name, Type: col.Type})
	}
	out.Header, out.Options = true, g.opt
	out.Says = fmt.Sprintf("columns (%s) are those of \"%s\"", columnsSay(out.Columns), in.Name)
	return nil
}

// says describes a proposal in one line.
func (g *sampler) says(p *Proposal) string {
	head := "a header"
	if !p.Header {
		head = "no header"
	}
	from := "all of the input"
	if g.cut {
		from = fmt.Sprintf("a sample, the first %d bytes", g.bytes)
		if g.total > 0 {
			from += fmt.Sprintf(" of %d", g.total)
		}
	}
	says := fmt.Sprintf("columns (%s) inferred from %s: %d rows", columnsSay(p.Columns), from, p.Rows)
	if g.opt.format.Named {
		return says
	}
	return says + ", " + head
}

func columnsSay(columns []columnar.Column) string {
	var b strings.Builder
	for i := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", columns[i].Name, columns[i].Type)
	}
	return b.String()
}

func (g *sampler) files(s *stream, patterns []string) error {
	names, err := g.env.Files.expand(patterns)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := g.file(s, name); err != nil {
			return err
		}
	}
	return nil
}

func (g *sampler) file(s *stream, name string) error {
	file, kind, size, err := g.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	g.total += size
	if kind != nil {
		inflated, err := newInflated(&countedReader{r: file, progress: new(Progress)}, kind, name)
		if err != nil {
			return err
		}
		defer inflated.Close()
		return g.front(s, inflated, name)
	}
	if g.opt.Encoding != "" {
		return g.front(s, file, name)
	}
	return g.sample(file, name, min(size, g.left), size)
}

// front takes a sample of what can only be read from front to back.
func (g *sampler) front(s *stream, r io.Reader, name string) error {
	if g.opt.Encoding != "" {
		s.decoder = newDecoder(r, g.opt.Encoding)
		r = s.decoder
	}
	most := min(g.left, inferStreamBytes)
	return g.sample(r, name, most, most+1)
}

// sample takes up to most bytes of an input of the given size.
func (g *sampler) sample(r io.Reader, name string, most, size int64) error {
	if most == 0 && size > 0 {
		g.cut = true
		return nil
	}
	b := make([]byte, most, most+slackBytes)
	n, err := io.ReadFull(r, b)
	whole := int64(n) == size || err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !whole && n < len(b) {
		return fileError(err, "could not read from", name)
	}
	g.cut = g.cut || !whole
	g.left -= int64(n)
	g.bytes += int64(n)
	g.samples = append(g.samples, Sample{Name: name, Bytes: b[:n], Whole: whole})
	return nil
}

// open opens a file to take a sample of.
func (g *sampler) open(name string) (file *os.File, kind *compression, size int64, err error) {
	if info, err := g.env.Files.stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, nil, 0, pgerr.New(pgerr.WrongObjectType, "cannot infer columns from \"%s\": it can be read only once", name).
			WithHint("Create the table first, or give the data as standard input.").In(name)
	}
	file, info, err := g.env.Files.open(g.ctx, name)
	if err != nil {
		return nil, nil, 0, err
	}
	if kind = sniff(file); kind != nil || g.opt.Encoding != "" {
		return file, kind, 0, nil
	}
	return file, nil, info.Size(), nil
}
