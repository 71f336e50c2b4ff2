package copy

import (
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
)

// A binary file is PostgreSQL's: a signature, flags, an extension of the header, tuples, a
// trailer. A tuple is the number of its fields and then for each its length and its bytes.
//
// Where a tuple ends only its lengths say, so the count is a walk from the first tuple on,
// which touches the lengths alone. If all columns have a fixed width the input is first
// taken for tuples that are all equally long, which pieces of it are checked for in
// parallel: a piece that holds nothing but whole tuples of that length begins with one if
// the piece before it does. The walk goes on from the first NULL.
//
// A length is only ever compared with the bytes that are there: nothing is allocated for
// it. A tuple that is cut off, or has the wrong number of fields, counts as a row; it is
// the last, and fails when it is converted, after all before it.

// binarySignature begins every file. Its last bytes show what a transfer as text does.
const binarySignature = "PGCOPY\n\xff\r\n\x00"

// binaryHeadBytes is the signature, the flags and the length of the extension.
const binaryHeadBytes = len(binarySignature) + 8

// maxTupleFields is the most fields that the count of a tuple can say.
const maxTupleFields = 1<<15 - 1

// fixedWidth returns the bytes of a value of type t in the binary format, or -1 if they
// differ from value to value.
func fixedWidth(t columnar.Type) int32 {
	switch {
	case t.Array, t.Variable(), t.Kind == columnar.Decimal:
		return -1
	case t.Kind == columnar.Bool:
		return 1
	}
	return int32(t.Width())
}

// tupleWidths returns the widths of the fields, nil if one is not fixed.
func (sh *shape) tupleWidths() []int32 {
	if len(sh.fields) == 0 {
		return nil
	}
	widths := make([]int32, len(sh.fields))
	for i := range sh.fields {
		if widths[i] = fixedWidth(sh.fields[i].typ); widths[i] < 0 {
			return nil
		}
	}
	return widths
}

// binaryHead finds where the tuples of an input begin, which is b's. It is readHead for
// the binary format.
func (sh *shape) binaryHead(in *input, b []byte, whole bool) (enough bool, err error) {
	fail := func(message string) (bool, error) {
		e := pgerr.New(pgerr.BadCopyFileFormat, "%s", message)
		return true, e.At(sh.schema.Name, in.name, 0, "")
	}
	if !whole && len(b) < binaryHeadBytes {
		return false, nil
	}
	if len(b) < len(binarySignature) || string(b[:len(binarySignature)]) != binarySignature {
		return fail("COPY file signature not recognized")
	}
	b = b[len(binarySignature):]
	if len(b) < 4 {
		return fail("invalid COPY file header (missing flags)")
	}
	switch flags := binary.BigEndian.Uint32(b); {
	case flags&(1<<16) != 0:
		return fail("invalid COPY file header (WITH OIDS)")
	case flags>>16 != 0:
		return fail("unrecognized critical flags in COPY file header")
	}
	if len(b) < 8 || int32(binary.BigEndian.Uint32(b[4:])) < 0 {
		return fail("invalid COPY file header (missing length)")
	}
	extension := int64(binary.BigEndian.Uint32(b[4:]))
	b = b[8:]
	in.start = int64(binaryHeadBytes) + extension
	if in.info != nil {
		whole, b = true, nil
		if in.start <= in.size {
			return true, nil
		}
	}
	if int64(len(b)) < extension {
		if !whole {
			return false, nil
		}
		return fail("invalid COPY file header (wrong length)")
	}
	return true, nil
}

// tupleState is what stands at a place in a binary input.
type tupleState uint8

const (
	tupleWhole   tupleState = iota // a tuple
	tupleCut                       // the beginning of one
	tupleTrailer                   // the trailer
	tupleBad                       // a wrong number of fields, a negative length
)

// tupleAt looks at what b starts with. n is the length of a whole tuple.
func tupleAt(b []byte, fields int) (n int, state tupleState) {
	if len(b) < 2 {
		return 0, tupleCut
	}
	switch count := int16(binary.BigEndian.Uint16(b)); {
	case count == -1:
		return 0, tupleTrailer
	case int(count) != fields:
		return 0, tupleBad
	}
	n = 2
	for range fields {
		if len(b)-n < 4 {
			return 0, tupleCut
		}
		length := int32(binary.BigEndian.Uint32(b[n:]))
		n += 4
		if length >= 0 {
			n += int(length)
		} else if length != -1 {
			return 0, tupleBad
		}
	}
	if n > len(b) {
		return 0, tupleCut
	}
	return n, tupleWhole
}

// tupleWalk goes over the tuples of one input.
type tupleWalk struct {
	in     *input
	src    io.ReaderAt // not used if in is in memory
	fields int
	w      *worker // its count buffer is the window, its clock runs
	base   int64   // of the window in the input
	n      int     // bytes in the window
}

// window returns the bytes of the input from off on: at least need of them, at most
// countBytes, unless the input ends before.
func (t *tupleWalk) window(off int64, need int) ([]byte, error) {
	if t.in.mem != nil {
		return t.in.mem[min(off, t.in.size):t.in.size], nil
	}
	if off >= t.base && off+int64(need) <= t.base+int64(t.n) {
		return t.w.count[off-t.base : t.n], nil
	}
	if len(t.w.count) < countBytes {
		t.w.count = make([]byte, countBytes)
	}
	t.base, t.n = off, int(max(0, min(countBytes, t.in.size-off)))
	t.w.clock.enter(StageRead)
	_, err := io.ReadFull(io.NewSectionReader(t.src, off, int64(t.n)), t.w.count[:t.n])
	t.w.clock.bytes[StageRead] += int64(t.n)
	t.w.clock.enter(StageSplit)
	if err != nil && t.n > 0 {
		return nil, readError(err, t.in.name)
	}
	return t.w.count[:t.n], nil
}

// step returns where what starts at off ends, and what it is: a whole tuple, the trailer,
// or neither.
func (t *tupleWalk) step(off int64) (end int64, state tupleState, err error) {
	b, err := t.window(off, 1)
	if err != nil {
		return 0, tupleBad, err
	}
	n, state := tupleAt(b, t.fields)
	if state == tupleCut && off+int64(len(b)) < t.in.size {
		if b, err = t.window(off, countBytes); err != nil {
			return 0, tupleBad, err
		}
		if n, state = tupleAt(b, t.fields); state == tupleCut && off+int64(len(b)) < t.in.size {
			return t.long(off)
		}
	}
	return off + int64(n), state, nil
}

// long is step for a tuple that is longer than a window: it reads the lengths only.
func (t *tupleWalk) long(off int64) (end int64, state tupleState, err error) {
	off += 2
	for range t.fields {
		b, err := t.window(off, 4)
		if err != nil {
			return 0, tupleBad, err
		}
		if len(b) < 4 {
			return 0, tupleCut, nil
		}
		length := int32(binary.BigEndian.Uint32(b))
		if length < -1 {
			return 0, tupleBad, nil
		}
		if off += 4 + int64(max(length, 0)); off > t.in.size {
			return 0, tupleCut, nil
		}
	}
	return off, tupleWhole, nil
}

// countTuples is count and sum for binary inputs.
func (l *loader) countTuples() error {
	var next atomic.Int64
	for _, in := range l.inputs {
		even, err := l.evenTuples(in)
		if err != nil {
			return err
		}
		in.rows = even
	}
	err := l.run(StageSplit, func(w *worker) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(l.inputs) {
				return nil
			}
			if err := l.walkInput(w, l.inputs[k]); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	l.rows = 0
	for _, in := range l.inputs {
		in.firstRow = l.rows
		for i := range splitsOf(in, l.block) {
			l.splits[in.firstSplit+i].rows += l.rows
		}
		l.rows += in.rows
	}
	return nil
}

// evenTuples returns the number of tuples that in starts with whose fields all have their
// column's width, as far as it is known without a walk: 0 if a width is not fixed.
func (l *loader) evenTuples(in *input) (int64, error) {
	if l.sh.widths == nil {
		return 0, nil
	}
	_, stride := kernels.CheckBinaryStride(nil, l.sh.widths)
	total := (in.size - in.start) / int64(stride)
	step := max(1, min(countTask, l.block)/int64(stride))
	var next, first atomic.Int64
	first.Store(total) // the first tuple that is not even
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
			even, err := l.evenIn(w, in, in.start+row*int64(stride), int(n), stride)
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

// evenIn returns how many of the n tuples at off are even.
func (l *loader) evenIn(w *worker, in *input, off int64, n, stride int) (even int, err error) {
	src, err := w.source(in)
	if err != nil {
		return 0, err
	}
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
		good, _ := kernels.CheckBinaryStride(b, l.sh.widths)
		if even += good; good < k {
			return even, nil
		}
		off += int64(len(b))
	}
	return even, nil
}

// walkInput counts the tuples of in, of which the first in.rows are known to be even, and
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
		_, stride := kernels.CheckBinaryStride(nil, l.sh.widths)
		for off += in.rows * int64(stride); k < len(splits) && splitStart() < off; k++ {
			splits[k].rows = (splitStart() - in.start) / int64(stride)
			splits[k].anchor = in.start + splits[k].rows*int64(stride)
		}
	}
	walk := tupleWalk{in: in, src: src, fields: len(l.sh.fields), w: w}
	next := splitStart()
	for off < in.size {
		if in.rows&0xfff == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		end, state, err := walk.step(off)
		if err != nil {
			return err
		}
		switch {
		case state == tupleWhole:
		case state == tupleTrailer && off+2 == in.size:
			in.end = off
		default:
			end = in.size
		}
		if in.end == off {
			break
		}
		for end > next {
			if k < len(splits) {
				splits[k].rows, splits[k].anchor = in.rows, off
			}
			k++
			next = splitStart()
		}
		in.rows++
		off = end
	}
	for ; k < len(splits); k++ {
		splits[k].rows, splits[k].anchor = in.rows, off
	}
	return nil
}

// afterTuples returns the offset behind the k-th tuple that ends in split s or after it.
func (l *loader) afterTuples(w *worker, in *input, src io.ReaderAt, s *split, k int64) (int64, error) {
	walk := tupleWalk{in: in, src: src, fields: len(l.sh.fields), w: w}
	off := s.anchor
	for range k {
		end, state, err := walk.step(off)
		if err != nil {
			return 0, err
		}
		if state != tupleWhole {
			return 0, errChanged(in.name)
		}
		off = end
	}
	return off, nil
}

// cutTuples is leader.cut for a binary stream.
func (d *leader) cutTuples(p *parcel, whole bool) bool {
	fields := len(d.l.sh.fields)
	b := p.b
	p.rows = 0
	pos, at64 := 0, 0
	state := tupleCut
	for pos < len(b) || !whole {
		var n int
		if n, state = tupleAt(b[pos:], fields); state != tupleWhole {
			break
		}
		pos += n
		if p.rows++; p.rows&63 == 0 {
			at64 = pos
		}
	}
	left := len(b) - pos
	switch {
	case left == 0 && whole:
		p.last = true
	case state == tupleTrailer && left == 2 && whole:
		p.last, p.b = true, b[:pos]
	case state == tupleCut && !whole, state == tupleTrailer && left == 2:
		if p.rows == 0 {
			return false
		}
		if p.rows >= 128 {
			p.rows, pos = p.rows&^63, at64
		}
	default: // a tuple that fails, or bytes behind the trailer
		p.rows++
		pos, p.last, d.done = len(b), true, true
	}
	d.leave(p, pos, p.rows)
	return true
}

// indexTuples is reader.index for the binary format.
//
// Every field's separator is the last byte of its value, or of its length if it has none,
// so that a tuple starts behind the last separator of the one before it, like a line.
func (r *reader) indexTuples() {
	b := r.b
	if need := len(b)/2 + 2; len(r.seps) < need {
		r.seps = make([]uint32, max(need, r.size/2+2))
	}
	r.seps[0] = ^uint32(0)
	r.quoted, r.even, r.ready, r.bad = false, 0, 0, false
	at := 0
	if r.widths != nil {
		if rows, width := kernels.CheckBinaryStride(b, r.widths); rows >= leastEven || rows*width == len(b) {
			r.even, r.width, r.ready = rows, width, rows
			for i := r.stride; i <= rows*r.stride; i += r.stride {
				at += width
				r.seps[i] = uint32(at - 1)
			}
		}
	}
	for at < len(b) {
		end, state := r.indexTuple(at)
		if state != tupleWhole {
			r.bad = state != tupleCut || r.complete
			return
		}
		at = end
		r.ready++
	}
}

// leastEven is how many equally long tuples in front of a block make it worth to convert
// them by themselves.
const leastEven = 64

// indexTuple stores the separators of the tuple at b[at] behind those of the ready ones.
func (r *reader) indexTuple(at int) (end int, state tupleState) {
	b := r.b
	if len(b)-at < 2 {
		return 0, tupleCut
	}
	if int(binary.BigEndian.Uint16(b[at:])) != r.fields {
		return 0, tupleBad
	}
	at += 2
	i := r.ready*r.stride + 1
	if r.fields == 0 {
		r.seps[i] = uint32(at - 1)
		return at, tupleWhole
	}
	if len(r.seps) < i+r.fields {
		return 0, tupleCut // each field takes four bytes, and there are not as many
	}
	seps := r.seps[i : i+r.fields]
	for c := range seps {
		if len(b)-at < 4 {
			return 0, tupleCut
		}
		length := int32(binary.BigEndian.Uint32(b[at:]))
		at += 4
		if length >= 0 {
			at += int(length)
		} else if length != -1 {
			return 0, tupleBad
		}
		seps[c] = uint32(at - 1)
	}
	if at > len(b) {
		return 0, tupleCut
	}
	return at, tupleWhole
}
