package copy

import (
	"io"
	"math"

	"github.com/ingotdb/ingot/columnar"
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
	if grown := l.grown.Add(w.grown()); grown <= l.slack {
		l.note(w, k, f.row, f.rows, at)
		err = out.Finish(at)
	}
	w.clock.enter(StageConvert)
	if l.mapped {
		w.takeBack(out)
	}
	return err
}

// grown returns how many more bytes the variable-length values of the fragment take than their
// records did.
func (w *worker) grown() int64 {
	if !w.rows.sh.variable {
		return 0
	}
	n := -w.bytes
	for i := range w.rows.sh.fields {
		n += int64(len(w.rows.Column(i).Data))
	}
	return max(0, n)
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
		n, err := r.next(left, *at)
		if err != nil {
			return false, err
		}
		if n == 0 {
			l.failed.record(row, func() error { return s.explain(r.offset(), row, nil) })
			return false, nil
		}
		w.clock.enter(StageConvert)
		if l.grows() {
			w.rows.out.Grow(*at + n)
		}
		taken, failed := w.rows.take(r.dec, n, *at)
		if w.rows.sieve != nil {
			if err := l.tell(w, s, row, taken); err != nil {
				return false, err
			}
		}
		if failed {
			row += int64(taken)
			l.failed.record(row, func() error { return s.explain(r.offsetOf(taken), row, w.rows.checkError(*at+taken)) })
			return false, nil
		}
		r.took(taken)
		*at += w.rows.stored
		row += int64(taken)
		left -= taken
		size := min(r.offset(), r.limit) - from // a record end that the file lacks counts for nothing
		w.bytes += size
		w.clock.bytes[StageConvert] += size
		l.advance(size, int64(w.rows.stored))
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
	if p.row != in.firstRow {
		w.clock.enter(StageSplit)
	}
	start, err := l.startOf(w, in, src, p.row)
	if err != nil {
		return err
	}
	w.reader.reset(&in.layout, src, in.mem, start, limit, limit == in.end)
	return nil
}

// startOf returns where the record of a row of in starts; src may be nil if it is in memory.
func (l *loader) startOf(w *worker, in *input, src io.ReaderAt, row int64) (int64, error) {
	if row == in.firstRow {
		return in.start, nil
	}
	s := l.splitWithEnd(row - 1)
	k := row - l.splits[s].rows
	if in.layout.Walk != nil {
		return l.afterSteps(w, in, src, &l.splits[s], k)
	}
	off := in.start + int64(s-in.firstSplit)*l.block
	return l.afterEnd(w, in, src, off, l.splits[s].state, k)
}

// afterEnd returns the offset behind the k-th record end from off on, where the state is s.
func (l *loader) afterEnd(w *worker, in *input, src io.ReaderAt, off int64, s State, k int64) (int64, error) {
	scan := in.layout.Scan
	if src == nil {
		if pos := scan.After(in.mem[off:in.end], off-in.start, s, k); pos >= 0 {
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
		t := scan.Count(b, off-in.start)
		if t.Ends[s] >= k {
			return off + int64(scan.After(b, off-in.start, s, k)), nil
		}
		k -= t.Ends[s]
		s = t.Next[s]
		off += int64(len(b))
	}
}

// explain returns why row, which starts at offset in in, fails; check is what a CHECK
// said about it.
func (l *loader) explain(src io.ReaderAt, in *input, row, offset int64, check error) error {
	if src == nil {
		src = in.source()
	}
	lines, err := l.linesBefore(src, in, offset)
	if err != nil {
		return readError(err, in.name)
	}
	return l.reason(&suspect{in: in, src: src, off: offset, end: in.end, row: row, check: check,
		record: Record{File: in.name, Line: in.lineAt(lines, row), Offset: offset}})
}
