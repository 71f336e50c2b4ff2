package copy

import (
	"io"
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// convertFragments takes fragments until none is left or an earlier record has failed.
func (l *loader) convertFragments(w *worker) error {
	for {
		k := int(l.next.Add(1)) - 1
		if k >= len(l.fragments) || l.fragments[k].row > l.failed.row.Load() {
			return nil
		}
		if err := l.convertFragment(w, k); err != nil {
			l.next.Store(math.MaxInt32)
			return err
		}
	}
}

// convertFragment converts fragment k unless a record of it, or an earlier one, fails.
func (l *loader) convertFragment(w *worker, k int) error {
	f := &l.fragments[k]
	w.clock.enter(StageStore)
	out, err := l.load.Fragment(k-l.firstFragment, l.capacity(f.rows))
	if err != nil {
		return err
	}
	w.begin(out)
	if l.mapped {
		w.lend(out)
	}
	at := 0
	for i := range f.from {
		done, err := l.convertPiece(w, &f.from[i], &at)
		if !done || err != nil {
			return err
		}
	}
	w.clock.enter(StageStore)
	if grown := l.grown.Add(w.conv.grown); grown <= l.slack {
		l.note(w, k, f.row, f.rows, at)
		err = out.Finish(at)
	}
	w.conv.grown = 0
	w.clock.enter(StageConvert)
	if l.mapped {
		w.takeBack(out)
	}
	return err
}

// lend gives out buffers for the bytes of its variable-length columns. A fragment of a
// mapped load copies them to their place when it is finished, so they serve for the next.
func (w *worker) lend(out *columnar.FragmentWriter) {
	if w.data == nil {
		w.data = make([][]byte, len(out.Cols))
	}
	for i := range out.Cols {
		out.Cols[i].Data = w.data[i][:0]
	}
}

// takeBack takes the buffers of a finished fragment, which may have grown.
func (w *worker) takeBack(out *columnar.FragmentWriter) {
	for i := range out.Cols {
		w.data[i] = out.Cols[i].Data
	}
}

// convertPiece converts the rows of p to row at of the fragment and on. It returns false
// if it stopped at a failing record.
func (l *loader) convertPiece(w *worker, p *piece, at *int) (bool, error) {
	if err := l.seek(w, p); err != nil {
		return false, err
	}
	r := &w.reader
	p.start = r.offset()
	w.conv.d = &p.in.d
	s := span{in: p.in, rows: p.rows, row: p.row,
		explain: func(offset, row int64, check error) error { return l.explain(r.src, p.in, row, offset, check) },
		before: func(offset int64) (int64, error) {
			src := r.src
			if src == nil {
				src = p.in.source()
			}
			return l.linesBefore(src, p.in, offset)
		}}
	done, err := l.convertSpan(w, &s, at)
	if err != nil {
		return false, readError(err, p.in.name)
	}
	p.end = min(r.offset(), p.in.end)
	return done, nil
}

// span is consecutive records of an input that one worker converts.
type span struct {
	in     *input
	rows   int
	row    int64 // of the COPY, the first
	offset int64 // in the input of what the worker's reader calls 0

	// explain returns why the record of a row, which the reader has at offset, fails.
	explain func(offset, row int64, check error) error
	// before returns the number of line breaks of the input before what the reader has at
	// offset.
	before func(offset int64) (int64, error)
}

// convertSpan converts s to row at of the fragment and on, and moves at behind the last.
// It returns false if it stopped at a failing record.
func (l *loader) convertSpan(w *worker, s *span, at *int) (bool, error) {
	r := &w.reader
	w.lines = -1
	for row, left := s.row, s.rows; left > 0; {
		if err := l.ctx.Err(); err != nil {
			return false, err
		}
		if l.failed.row.Load() < row {
			return false, nil
		}
		from := r.offset()
		n, err := r.next(&w.batch, left, *at)
		if err != nil {
			return false, err
		}
		if n == 0 {
			l.failed.record(row, func() error { return s.explain(r.offset(), row, nil) })
			return false, nil
		}
		w.clock.enter(StageConvert)
		if l.grows() {
			w.conv.w.Grow(*at + n)
		}
		good := w.conv.convert(&w.batch, n)
		if w.conv.sieve != nil {
			if err := l.tell(w, s, row, good); err != nil {
				return false, err
			}
		}
		if good < n {
			row += int64(good)
			l.failed.record(row, func() error {
				return s.explain(w.batch.offset(r.base, good), row, w.conv.checkError(w.batch.at+good))
			})
			return false, nil
		}
		*at += w.conv.stored
		row += int64(n)
		left -= n
		size := min(r.offset(), r.limit) - from // a record end that the file lacks counts for nothing
		w.clock.bytes[StageConvert] += size
		l.advance(size, int64(w.conv.stored))
	}
	return true, nil
}

// seek points the worker's reader at the first row of p.
func (l *loader) seek(w *worker, p *piece) error {
	in := p.in
	var src io.ReaderAt
	if in.mem == nil {
		var err error
		if src, err = w.open(in); err != nil {
			return err
		}
	}
	last := in.whole && p.row+int64(p.rows) == in.firstRow+in.rows
	limit := in.end
	if !last {
		s := l.splitWithEnd(p.row + int64(p.rows) - 1)
		limit = min(in.start+int64(s-in.firstSplit+1)*l.block, in.end)
	}
	if p.row == in.firstRow {
		w.reader.reset(&in.d, src, in.mem, in.start, limit, limit == in.end)
		return nil
	}
	w.clock.enter(StageSplit)
	s := l.splitWithEnd(p.row - 1)
	off := in.start + int64(s-in.firstSplit)*l.block
	var start int64
	var err error
	if k := p.row - l.splits[s].rows; l.sh.binary {
		start, err = l.afterTuples(w, in, src, &l.splits[s], k)
	} else {
		start, err = l.afterEnd(w, in, src, off, l.splits[s].state, k)
	}
	if err != nil {
		return err
	}
	w.reader.reset(&in.d, src, in.mem, start, limit, limit == in.end)
	return nil
}

// afterEnd returns the offset behind the k-th record end from off on, where the state is s.
func (l *loader) afterEnd(w *worker, in *input, src io.ReaderAt, off int64, s quoteState, k int64) (int64, error) {
	if src == nil {
		if pos := in.d.afterEnd(in.mem[off:in.end], s, k); pos >= 0 {
			return off + int64(pos), nil
		}
		return 0, errChanged(in.name)
	}
	for {
		if len(w.count) < countBytes {
			w.count = make([]byte, countBytes)
		}
		b := w.count[:min(blockBytes, in.end-off)]
		if len(b) == 0 {
			return 0, errChanged(in.name)
		}
		if _, err := io.ReadFull(io.NewSectionReader(src, off, int64(len(b))), b); err != nil {
			return 0, readError(err, in.name)
		}
		t := in.d.count(b)
		if t.ends[s] >= k {
			return off + int64(in.d.afterEnd(b, s, k)), nil
		}
		k -= t.ends[s]
		s = t.next[s]
		off += int64(len(b))
	}
}

// explain returns why row, which starts at offset in in, fails; check is what a CHECK
// said about it.
func (l *loader) explain(src io.ReaderAt, in *input, row, offset int64, check error) error {
	if src == nil {
		src = in.source()
	}
	if l.sh.binary {
		return l.explainTuple(src, in, row, offset, check)
	}
	record, err := recordAt(&in.d, src, offset, in.end)
	if err != nil {
		return readError(err, in.name)
	}
	lines, err := l.linesBefore(src, in, offset)
	if err != nil {
		return readError(err, in.name)
	}
	x := explainer{sh: l.sh, d: &in.d, place: place{file: in.name, line: 1 + lines, offset: offset}}
	return x.reason(record, row, check)
}

// reason returns why the record of the given row fails.
func (x *explainer) reason(record []byte, row int64, check error) error {
	if e := x.record(record); e != nil {
		return e
	}
	if check != nil {
		body := x.body(record)
		e := *pgerr.From(check)
		return x.at(&e, record, len(body)).WithValue(shown(body))
	}
	return errInternal("row %d of \"%s\" at byte %d failed and nothing is wrong with it", row, x.place.file, x.place.offset)
}
