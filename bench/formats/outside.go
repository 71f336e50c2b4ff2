package main

import (
	"io"

	"github.com/ingotdb/ingot/copy"
)

// outside returns the format text as another program would bring it: every value that COPY
// gets is of a type of this package and hands on what it is asked. What remains is what
// the same code costs if it comes in from outside.
func outside() copy.Format {
	text := copy.Text()
	f := copy.Format{Text: true}
	f.ReadRecords = func(o *copy.Options) (copy.RecordReader, error) {
		r, err := text.ReadRecords(o)
		if err != nil {
			return nil, err
		}
		return reader{r}, nil
	}
	f.WriteRecords = func(o *copy.Options) (copy.RecordWriter, error) {
		w, err := text.WriteRecords(o)
		if err != nil {
			return nil, err
		}
		return writer{w}, nil
	}
	return f
}

type reader struct{ in copy.RecordReader }

func (r reader) Bind(b *copy.Binding) (copy.Records, error) {
	in, err := r.in.Bind(b)
	if err != nil {
		return nil, err
	}
	return records{in}, nil
}

type records struct{ in copy.Records }

func (r records) Head(h *copy.Head) (copy.Layout, error) {
	l, err := r.in.Head(h)
	if l.Scan != nil {
		l.Scan = scanner{l.Scan}
	}
	return l, err
}

func (r records) Decoder() copy.Decoder { return &decoder{r.in.Decoder()} }

func (r records) Expansion(rows, bytes int64) int64 {
	if e, ok := r.in.(copy.Expander); ok {
		return e.Expansion(rows, bytes)
	}
	return 0
}

type scanner struct{ in copy.Scanner }

func (s scanner) Count(b []byte, off int64) copy.Tally { return s.in.Count(b, off) }

func (s scanner) After(b []byte, off int64, state copy.State, k int64) int {
	return s.in.After(b, off, state, k)
}

func (s scanner) Explain(r *copy.Record) *copy.Error { return s.in.Explain(r) }

func (s scanner) End(src io.ReaderAt, start, from, to, size int64, state copy.State) (int64, error) {
	if e, ok := s.in.(copy.Ender); ok {
		return e.End(src, start, from, to, size, state)
	}
	return -1, nil
}

type decoder struct{ in copy.Decoder }

func (d *decoder) Begin(l *copy.Layout) {
	inner := *l
	if s, ok := l.Scan.(scanner); ok {
		inner.Scan = s.in
	}
	d.in.Begin(&inner)
}

func (d *decoder) Index(b []byte, last bool) (int, bool) { return d.in.Index(b, last) }

func (d *decoder) End(k int) int { return d.in.End(k) }

func (d *decoder) Decode(r *copy.Rows, n int) (int, bool) { return d.in.Decode(r, n) }

func (d *decoder) Close() { d.in.Close() }

type writer struct{ in copy.RecordWriter }

func (w writer) Bind(b *copy.Binding) (*copy.Encoding, error) {
	enc, err := w.in.Bind(b)
	if err != nil {
		return nil, err
	}
	out := *enc
	out.Encoder = func() copy.Encoder { return &encoder{enc.Encoder()} }
	return &out, nil
}

type encoder struct{ in copy.Encoder }

func (e *encoder) Append(dst []byte, b copy.Batch) ([]byte, error) { return e.in.Append(dst, b) }
