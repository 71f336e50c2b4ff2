package copy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

const (
	firstParcelBytes = 64 << 10
	leastParcelBytes = 1 << 20
	parcelsBytes     = 12 << 20 // of all parcels together; their values take as much again
	mostParcelBytes  = parcelsBytes / 2

	// patience is how long a parcel waits for its full size before it is converted with what
	// has arrived, firstParcelBytes at least: a slow stream is converted while it comes.
	patience = 250 * time.Millisecond
)

// parcel is complete records of a stream: what the leader hands to a worker. Its rows
// are counted, so its fragments have their exact size from the start.
type parcel struct {
	b        []byte // with slackBytes of capacity behind
	offset   int64  // of b in the stream
	row      int64  // of its first record
	rows     int64
	lines    int64 // line breaks before b
	fragment int   // index of its first fragment
	last     bool
}

// leader cuts a stream into parcels.
type leader struct {
	l     *loader
	r     io.Reader
	in    *input
	clock clock

	size int    // bytes of a parcel
	free []byte // a buffer that nobody uses
	next parcel
	done bool

	patience time.Duration
	since    time.Time // that the next parcel is waited for
	least    int       // bytes below which waiting goes on: the record has not ended in half of them
}

// fromStream converts a stream. The calling goroutine is the leader; as long as the
// stream has not shown more than a worker's worth it converts too.
func (l *loader) fromStream(s *stream, r io.Reader) error {
	in := &input{name: s.name, firstRow: l.rows}
	l.recoded = !s.plain(l.opt)
	l.workers = workersFor(math.MaxInt64, l.opt.Parallelism, l.env)
	d := &leader{l: l, r: r, in: in, size: max(parcelsBytes/(l.workers+1), leastParcelBytes), patience: patience}
	if l.env.patience != 0 {
		d.patience = l.env.patience
	}
	d.since = time.Now()
	if l.env.smallBytes != 0 {
		d.size = int(l.block)
	}
	if l.opt.Rows >= 0 {
		l.result.Cardinality = Exact
	}
	d.clock.start(StageRead, l.labels)
	defer d.clock.stop()
	defer func() { d.clock.addTo(&l.result.Stages) }()
	if err := d.head(); err != nil {
		return err
	}
	var err error
	if l.load == nil {
		if l.load, err = l.newLoad(columnar.LoadPlan{}); err != nil {
			return err
		}
	}
	first, err := d.parcel()
	if err != nil {
		return err
	}
	if first.last || l.workers == 1 {
		l.result.Workers = max(1, l.result.Workers)
		err = l.convertAlone(d, first)
	} else {
		l.result.Workers = l.workers
		err = l.convertAhead(d, first)
	}
	if l.failed.err != nil {
		return l.failed.err
	}
	if err != nil {
		return err
	}
	l.rows, l.parcels = d.next.row, d.next.fragment
	l.bytes += d.next.offset
	return s.drain(r)
}

// convertAlone converts all parcels in the calling goroutine.
func (l *loader) convertAlone(d *leader, p parcel) error {
	w := l.newWorker()
	for {
		d.clock.enter(StageConvert)
		w.clock.start(StageConvert, l.labels)
		err := guarded(l.sh.name, func() error { return mmap.Guard(func() error { return l.convertParcel(w, d.in, &p) }) })
		w.clock.stop()
		d.clock.restart(StageRead)
		if err != nil || p.last || l.failed.row.Load() != math.MaxInt64 {
			return err
		}
		d.free = p.b
		if p, err = d.parcel(); err != nil {
			return err
		}
	}
}

// convertAhead hands the parcels to workers while it reads on. No more parcels exist
// than there are workers, and one.
func (l *loader) convertAhead(d *leader, p parcel) error {
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	work := make(chan parcel)
	free := make(chan []byte, l.workers+1)
	for range l.workers {
		free <- nil
	}
	var wg sync.WaitGroup
	for range l.workers {
		w := l.newWorker()
		wg.Go(func() {
			w.clock.start(StageConvert, l.labels)
			defer w.clock.stop()
			err := guarded(l.sh.name, func() error {
				return mmap.Guard(func() error { return l.convertParcels(w, d.in, work, free) })
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	err := guarded(l.sh.name, func() error { return d.lead(ctx, p, work, free) })
	close(work)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// convertParcels converts parcels until there are no more, and gives their buffers back.
func (l *loader) convertParcels(w *worker, in *input, work <-chan parcel, free chan<- []byte) error {
	for p := range work {
		if err := l.convertParcel(w, in, &p); err != nil {
			return err
		}
		free <- p.b
	}
	return nil
}

// lead sends p and all parcels after it to work.
func (d *leader) lead(ctx context.Context, p parcel, work chan<- parcel, free <-chan []byte) (err error) {
	for {
		d.clock.enter(StageConvert) // waiting for the workers
		select {
		case work <- p:
		case <-ctx.Done():
			return nil
		}
		if p.last || d.l.failed.row.Load() != math.MaxInt64 {
			return nil
		}
		select {
		case d.free = <-free:
		case <-ctx.Done():
			return nil
		}
		if p, err = d.parcel(); err != nil {
			return err
		}
	}
}

// head reads the beginning of the stream up to the first record.
func (d *leader) head() error {
	b := make([]byte, 0, firstParcelBytes)
	for {
		whole, err := d.read(&b)
		if err != nil {
			return err
		}
		if d.hopeless(b) {
			whole, d.done = true, true
		}
		enough, err := d.l.sh.readHead(d.in, b, sizeIf(whole, b))
		if err != nil {
			return err
		}
		if enough {
			break
		}
		if err := d.grow(&b, 1); err != nil {
			return err
		}
	}
	d.least = 0
	d.next = parcel{b: b[d.in.start:], offset: d.in.start, row: d.l.rows, lines: d.in.layout.Lines, fragment: d.l.parcels}
	d.l.advance(d.in.start, 0)
	return nil
}

// read fills b up to slackBytes below its capacity; whole says that the stream has ended.
func (d *leader) read(b *[]byte) (whole bool, err error) {
	d.clock.enter(StageRead)
	room := (*b)[len(*b) : cap(*b)-slackBytes]
	for len(room) > 0 && !d.done {
		if err := d.l.ctx.Err(); err != nil {
			return false, err
		}
		n, err := d.r.Read(room)
		room = room[n:]
		*b = (*b)[:len(*b)+n]
		d.clock.bytes[StageRead] += int64(n)
		switch {
		case d.late(len(*b)) && err == nil:
			return false, nil
		case errors.Is(err, io.EOF):
			d.done = true
		case err != nil && d.l.ctx.Err() != nil:
			return false, d.l.ctx.Err() // which may be why
		case err != nil:
			return false, fileError(err, "could not read from", d.in.name)
		}
	}
	return d.done, nil
}

// late reports whether a parcel of n bytes is no longer worth waiting for.
func (d *leader) late(n int) bool {
	return n >= max(firstParcelBytes-slackBytes, d.least) && time.Since(d.since) > d.patience
}

// parcel reads the next parcel. d.next is the bytes left over, and where they stand.
func (d *leader) parcel() (parcel, error) {
	p := d.next
	if cap(p.b) < cap(d.free) {
		p.b = append(d.free[:0], p.b...)
	}
	d.free = nil
	for {
		whole, err := d.read(&p.b)
		if err != nil {
			return p, err
		}
		size := min(2*cap(p.b), max(d.size, firstParcelBytes)+slackBytes)
		if !whole && cap(p.b) < size && !d.late(len(p.b)) {
			p.b = append(make([]byte, 0, size), p.b...)
			continue
		}
		d.clock.enter(StageSplit)
		d.clock.bytes[StageSplit] += int64(len(p.b))
		if d.cut(&p, whole) {
			d.since, d.least = time.Now(), 0
			return p, nil
		}
		if d.hopeless(p.b) {
			d.done = true
			d.cut(&p, true)
			return p, nil
		}
		if err := d.grow(&p.b, 1+p.lines); err != nil {
			return p, err
		}
	}
}

// grow makes room for more of a record, which begins on the given line and does not end
// in b.
func (d *leader) grow(b *[]byte, line int64) error {
	if len(*b) > maxRecordBytes {
		e := pgerr.New(pgerr.ProgramLimitExceeded, "a record is longer than %d bytes", int64(maxRecordBytes))
		return e.At(d.l.sh.schema.Name, d.in.name, line, "")
	}
	d.least = 2 * len(*b)
	if n := cap(*b); len(*b) >= n-slackBytes {
		*b = append(make([]byte, 0, n+min(n, longRecordBytes)), *b...)
	}
	return nil
}

// longRecordBytes is by how much the buffer of a long record grows at most.
const longRecordBytes = 512 << 20

// hopeless reports whether the record that b begins with fails whatever follows: it has a
// zero byte, which no text has. The end of a long one is not waited for.
func (d *leader) hopeless(b []byte) bool {
	return d.l.sh.format.Text && len(b) > mostParcelBytes && bytes.IndexByte(b, 0) >= 0
}

// cut ends p behind a record and makes the rest d.next. It returns false if p holds no
// complete record yet.
func (d *leader) cut(p *parcel, whole bool) bool {
	scan := d.in.layout.Scan
	if scan == nil {
		return d.cutWalked(p, whole)
	}
	t := d.tally(p.b)
	if t.Mark[0] {
		if end := d.ending(p.b); end >= 0 {
			p.b, whole, d.done = p.b[:end], true, true
			t = d.tally(p.b)
		}
	}
	pos := len(p.b)
	if p.rows = t.Ends[0]; whole {
		p.last = true
		if t.Open[0] {
			p.rows++
		}
	} else {
		if p.rows == 0 {
			return false
		}
		if p.rows >= 128 {
			p.rows &^= 63
		}
		pos = scan.After(p.b, 0, 0, p.rows)
	}
	lines := p.rows
	if d.in.lined {
		lines = d.in.lines(p.b[:pos])
	}
	d.leave(p, pos, lines)
	return true
}

// tally counts b, which may be empty and begins with a record.
func (d *leader) tally(b []byte) Tally {
	if len(b) == 0 {
		return EmptyTally()
	}
	return d.in.layout.Scan.Count(b, 0)
}

// ending returns where in b, which begins with a record, the format says that the data ends,
// or -1.
func (d *leader) ending(b []byte) int {
	ender, is := d.in.layout.Scan.(Ender)
	if !is {
		return -1
	}
	n := int64(len(b))
	end, err := ender.End(bytes.NewReader(b), 0, 0, n, n, 0)
	if err != nil {
		return -1 // of memory there is none
	}
	return int(end)
}

// sizeIf returns the size of an input that is b, if it is whole.
func sizeIf(whole bool, b []byte) int64 {
	if whole {
		return int64(len(b))
	}
	return -1
}

// leave ends p at pos, behind which the next parcel begins; lines is the number of line
// breaks in it, of records if those are lines.
func (d *leader) leave(p *parcel, pos int, lines int64) {
	d.remember(p, lines)
	rest := p.b[pos:]
	d.next = parcel{offset: p.offset + int64(pos), row: p.row + p.rows, lines: p.lines + lines}
	d.next.fragment = p.fragment + int((p.rows+columnar.MaxFragmentRows-1)/columnar.MaxFragmentRows)
	d.next.b = append(make([]byte, 0, len(rest)+firstParcelBytes), rest...)
	p.b = p.b[:pos]
}

// convertParcel converts p into its fragments, unless a record of it, or an earlier one,
// fails.
func (l *loader) convertParcel(w *worker, in *input, p *parcel) error {
	r := &w.reader
	r.reset(&in.layout, nil, p.b, 0, int64(len(p.b)), p.last)
	for k, left := p.fragment, p.rows; left > 0; k++ {
		rows := int(min(left, columnar.MaxFragmentRows))
		w.clock.enter(StageStore)
		out, err := l.load.Fragment(k, l.capacity(rows))
		if err != nil {
			return err
		}
		w.begin(out)
		at := 0
		s := span{in: in, rows: rows, row: p.row + p.rows - left, offset: p.offset,
			explain: func(offset, row int64, check error) error { return l.explainIn(p, in, offset, row, check) },
			before:  func(offset int64) (int64, error) { return p.lines + in.lines(p.b[:offset]), nil }}
		done, err := l.convertSpan(w, &s, &at)
		if !done || err != nil {
			return err
		}
		w.clock.enter(StageStore)
		l.note(w, k, s.row, rows, at)
		if err := out.Finish(at); err != nil {
			return err
		}
		w.clock.enter(StageConvert)
		left -= int64(rows)
	}
	return nil
}

// explainIn returns why row, which starts at p.b[offset], fails.
func (l *loader) explainIn(p *parcel, in *input, offset, row int64, check error) error {
	lines := p.lines + in.lines(p.b[:offset])
	return l.reason(&suspect{in: in, src: bytes.NewReader(p.b), off: offset, end: int64(len(p.b)), row: row, check: check,
		record: Record{File: in.name, Line: in.lineAt(lines, row), Offset: p.offset + offset}})
}
