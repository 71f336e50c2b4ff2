package copy

import (
	"bytes"
	"io"
	"sync/atomic"
)

// Inputs whose records only tell one after the other where they end are counted by a walk from
// the first record on, one input by one goroutine. If the format says that its records may
// all be equally long the input is first taken for that, which pieces of it are checked
// for in parallel: a piece that holds nothing but whole records of that length begins with
// one if the piece before it does. The walk goes on behind the first that is not.
//
// A record that fails in a way that hides its end counts as a row; it is the last, and fails
// when it is converted, after all before it.

// walk counts the inputs that are walked. Rows are those of the input.
func (l *loader) walk() error {
	for _, in := range l.inputs {
		even, err := l.evenRecords(in)
		if err != nil {
			return err
		}
		in.rows = even
	}
	var next atomic.Int64
	return l.run(StageSplit, func(w *worker) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(l.inputs) {
				return nil
			}
			if in := l.inputs[k]; in.layout.Walk != nil {
				if err := l.walkInput(w, in); err != nil {
					return err
				}
			}
		}
	})
}

// stride returns the length that records of in have if they are all equally long, or 0.
func (in *input) stride() int {
	if s, is := in.layout.Walk.(Strider); is {
		return max(0, s.Stride())
	}
	return 0
}

// evenRecords returns the number of records that in starts with which are equally long, as
// far as it is known without a walk.
func (l *loader) evenRecords(in *input) (int64, error) {
	if in.layout.Walk == nil || in.stride() == 0 {
		return 0, nil
	}
	stride := int64(in.stride())
	total := (in.size - in.start) / stride
	step := max(1, min(countTask, l.block)/stride)
	var next, first atomic.Int64
	first.Store(total) // the first record that is not even
	err := l.run(StageSplit, func(w *worker) error {
		for {
			row := (next.Add(1) - 1) * step
			if row >= first.Load() {
				return nil
			}
			if err := l.ctx.Err(); err != nil {
				return err
			}
			n := min(step, total-row)
			even, err := l.evenIn(w, in, in.start+row*stride, int(n), int(stride))
			if err != nil {
				return err
			}
			for known := first.Load(); even < int(n) && row+int64(even) < known; known = first.Load() {
				if first.CompareAndSwap(known, row+int64(even)) {
					break
				}
			}
		}
	})
	return first.Load(), err
}

// evenIn returns how many of the n records at off are even.
func (l *loader) evenIn(w *worker, in *input, off int64, n, stride int) (even int, err error) {
	src, err := w.source(in)
	if err != nil {
		return 0, err
	}
	strider := in.layout.Walk.(Strider)
	for even < n {
		k := min(n-even, max(1, countBytes/stride))
		var b []byte
		if in.mem != nil {
			b = in.mem[off : off+int64(k*stride)]
		} else {
			if len(w.count) < k*stride {
				w.count = make([]byte, max(countBytes, k*stride))
			}
			b = w.count[:k*stride]
			w.clock.enter(StageRead)
			if _, err := io.ReadFull(io.NewSectionReader(src, off, int64(len(b))), b); err != nil {
				return 0, readError(err, in.name)
			}
			w.clock.bytes[StageRead] += int64(len(b))
			w.clock.enter(StageSplit)
		}
		w.clock.bytes[StageSplit] += int64(len(b))
		good := strider.Even(b)
		if even += good; good < k {
			return even, nil
		}
		off += int64(len(b))
	}
	return even, nil
}

// walker goes over the records of one input, as far as a window of it reaches.
type walker struct {
	in   *input
	src  io.ReaderAt // not used if in is in memory
	w    *worker     // its count buffer is the window, its clock runs
	base int64       // of the window in the input
	n    int         // bytes in the window
}

// window returns the bytes of the input from off on: at least need of them, at most
// countBytes, unless the input ends before. last says that it ends there.
func (t *walker) window(off int64, need int) (b []byte, last bool, err error) {
	if t.in.mem != nil {
		return t.in.mem[min(off, t.in.size):t.in.size], true, nil
	}
	if off < t.base || off+int64(need) > t.base+int64(t.n) {
		if len(t.w.count) < countBytes {
			t.w.count = make([]byte, countBytes)
		}
		t.base, t.n = off, int(max(0, min(countBytes, t.in.size-off)))
		t.w.clock.enter(StageRead)
		_, err := io.ReadFull(io.NewSectionReader(t.src, off, int64(t.n)), t.w.count[:t.n])
		t.w.clock.bytes[StageRead] += int64(t.n)
		t.w.clock.enter(StageSplit)
		if err != nil && t.n > 0 {
			return nil, false, readError(err, t.in.name)
		}
	}
	return t.w.count[off-t.base : t.n], t.base+int64(t.n) >= t.in.size, nil
}

// pass passes records from off on that end at until or before it, most of them at most, as
// far as they are in one window. It returns where it stopped and what stands there;
// StepShort only if the input ends within a record. A long record is passed by itself.
func (t *walker) pass(off, until, most int64) (end, rows int64, next Step, err error) {
	walk := t.in.layout.Walk
	b, last, err := t.window(off, 1)
	if err != nil {
		return off, 0, StepBad, err
	}
	n, rows, next := walk.Walk(b, last, int(min(until-off, int64(len(b)))), most)
	if next != StepShort || rows > 0 || last {
		return off + int64(n), rows, next, nil
	}
	if b, last, err = t.window(off, countBytes); err != nil {
		return off, 0, StepBad, err
	}
	n, rows, next = walk.Walk(b, last, int(min(until-off, int64(len(b)))), most)
	if next != StepShort || rows > 0 || last {
		return off + int64(n), rows, next, nil
	}
	end, next, err = walk.Skip(t.src, off, t.in.size)
	if err != nil {
		return off, 0, StepBad, readError(err, t.in.name)
	}
	switch {
	case next == StepEnd:
		return end, 0, next, nil
	case next != StepEnough || end > until:
		return off, 0, next, nil
	}
	return end, 1, StepEnough, nil
}

// one passes the record at off, wherever it ends.
func (t *walker) one(off int64) (end int64, next Step, err error) {
	end, rows, next, err := t.pass(off, t.in.size, 1)
	if rows == 1 {
		next = StepEnough
	}
	return end, next, err
}

// walkInput counts the records of in, of which the first in.rows are known to be even, and
// notes in each split the rows that end before it and where the last of them ends.
func (l *loader) walkInput(w *worker, in *input) error {
	src, err := w.source(in)
	if err != nil {
		return err
	}
	splits := l.splits[in.firstSplit : in.firstSplit+splitsOf(in, l.block)]
	k := 0
	splitStart := func() int64 { return in.start + int64(k)*l.block }
	off := in.start
	if in.rows > 0 {
		stride := int64(in.stride())
		for off += in.rows * stride; k < len(splits) && splitStart() < off; k++ {
			splits[k].rows = (splitStart() - in.start) / stride
			splits[k].anchor = in.start + splits[k].rows*stride
		}
	}
	walk := walker{in: in, src: src, w: w}
	for off < in.size {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		end, rows, step, err := walk.pass(off, min(splitStart(), in.size), 1<<62)
		if err != nil {
			return err
		}
		in.rows += rows
		if off = end; rows > 0 {
			continue
		}
		if step == StepEnd {
			in.end = off
			break
		}
		// A record that reaches into split k, or one that fails.
		if step == StepEnough {
			if end, step, err = walk.one(off); err != nil {
				return err
			}
		}
		if step != StepEnough || end <= off {
			end = in.size
		}
		for ; k < len(splits) && splitStart() < end; k++ {
			splits[k].rows, splits[k].anchor = in.rows, off
		}
		in.rows++
		off = end
	}
	for ; k < len(splits); k++ {
		splits[k].rows, splits[k].anchor = in.rows, off
	}
	if in.lined {
		return l.walkLines(w, in, src, splits)
	}
	return nil
}

// walkLines notes in each split the line breaks before it.
func (l *loader) walkLines(w *worker, in *input, src io.ReaderAt, splits []split) error {
	lines := in.layout.Lines
	walk := walker{in: in, src: src, w: w}
	for k := range splits {
		splits[k].lines = lines
		off := in.start + int64(k)*l.block
		for end := min(off+l.block, in.size); off < end; {
			b, _, err := walk.window(off, 1)
			if err != nil {
				return err
			}
			b = b[:min(int64(len(b)), end-off)]
			lines += int64(bytes.Count(b, []byte{'\n'}))
			off += int64(len(b))
		}
	}
	return nil
}

// afterSteps returns the offset behind the k-th record that ends in split s or after it.
func (l *loader) afterSteps(w *worker, in *input, src io.ReaderAt, s *split, k int64) (int64, error) {
	walk := walker{in: in, src: src, w: w}
	off := s.anchor
	for k > 0 {
		end, rows, _, err := walk.pass(off, in.size, k)
		if err != nil {
			return 0, err
		}
		if rows == 0 {
			return 0, errChanged(in.name)
		}
		k -= rows
		off = end
	}
	return off, nil
}

// cutWalked is leader.cut for a stream whose records are walked.
func (d *leader) cutWalked(p *parcel, whole bool) bool {
	b := p.b
	p.rows = 0
	pos, at64 := 0, 0
	step := StepShort
	for pos < len(b) {
		var n int
		var rows int64
		n, rows, step = d.in.layout.Walk.Walk(b[pos:], whole, len(b)-pos, 64)
		pos += n
		p.rows += rows
		if rows < 64 {
			break
		}
		at64, step = pos, StepShort
	}
	switch {
	case pos == len(b) && whole:
		p.last = true
	case step == StepEnd:
		p.last, p.b, d.done = true, b[:pos], true
	case step == StepShort && !whole:
		if p.rows == 0 {
			return false
		}
		if p.rows >= 128 {
			p.rows, pos = p.rows&^63, at64
		}
	default: // a record that fails
		p.rows++
		pos, p.last, d.done = len(b), true, true
	}
	lines := p.rows
	if d.in.lined {
		lines = d.in.lines(p.b[:pos])
	}
	d.leave(p, pos, lines)
	return true
}
