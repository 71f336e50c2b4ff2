package copy

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
)

// Batch is consecutive rows of a COPY TO.
type Batch struct {
	Rows int
	Cols []columnar.Vec
}

// Content is what a COPY TO writes: named columns and their rows.
type Content struct {
	names   []string
	types   []columnar.Type
	rows    iter.Seq2[Batch, error]
	count   int64 // of rows; -1 if it is unknown
	table   *columnar.Table
	columns []int
}

// TableContent is the live rows of t in row order; columns are schema positions, nil for
// all. The caller keeps the snapshot or transaction that t is from until the COPY is over.
func TableContent(t *columnar.Table, columns []int) (Content, error) {
	columns, err := columnPositions(t.Schema(), columns)
	if err != nil {
		return Content{}, err
	}
	c := Content{table: t, columns: columns, count: int64(t.Rows())}
	for _, pos := range columns {
		col := &t.Schema().Columns[pos]
		c.names = append(c.names, col.Name)
		c.types = append(c.types, col.Type)
	}
	return c, nil
}

// QueryContent is the rows of an iterator, such as the result of a SELECT. A batch and
// what it refers to need only be valid until the next step.
func QueryContent(names []string, types []columnar.Type, rows iter.Seq2[Batch, error]) Content {
	return Content{names: names, types: types, rows: rows, count: -1}
}

// batches returns the rows of c, in order.
func (c *Content) batches(ctx context.Context) iter.Seq2[Batch, error] {
	if c.table == nil {
		return c.rows
	}
	return func(yield func(Batch, error) bool) {
		for b, err := range c.table.ScanGathered(ctx, columnar.ScanOptions{Columns: c.columns}) {
			if err != nil {
				yield(Batch{}, err)
				return
			}
			if !yield(Batch{Rows: b.Rows, Cols: b.Cols}, nil) {
				return
			}
		}
	}
}

// Destination is where a COPY TO writes.
type Destination struct {
	path   string
	writer io.Writer
}

// ToFile returns the destination of a file. A regular file is written under another name
// beside it and renamed when it is complete: after an error what was there before is
// there still. A device or pipe is written to directly. With PARTITION_BY it is a directory,
// which is made beside its final name and renamed, too.
func ToFile(path string) Destination { return Destination{path: path} }

// ToWriter returns the destination of a writer, which one goroutine uses.
func ToWriter(w io.Writer) Destination { return Destination{writer: w} }

// chunkBytes is about what is formatted before it is written.
const chunkBytes = 256 << 10

// chunksAhead is how many chunks of a row group may wait until the groups before it are
// written.
const chunksAhead = 64

// To writes the content. Rows keep their order whatever the number of workers; location
// is the session's time zone, nil for UTC.
func To(ctx context.Context, content Content, dst Destination, opt *ToOptions, location *time.Location, env Env) (res Result, err error) {
	begin := time.Now()
	cpu, faults := usage()
	defer func() {
		c, f := usage()
		res.CPUNS, res.MinorFaults, res.WallNS = c-cpu, f-faults, int64(time.Since(begin))
		err = asError(err)
	}()
	if location == nil {
		location = time.UTC
	}
	if env.Progress == nil {
		env.Progress = new(Progress)
	}
	w := &writer{ctx: ctx, content: content, binding: content.binding(location), format: opt.Format, env: &env, labels: newStageLabels(ctx)}
	w.clock.start(StageConvert, w.labels)
	defer w.clock.stop()
	res.Cardinality, res.Workers = Unknown, 1
	if content.table != nil {
		res.Cardinality = Exact
		res.Workers = w.workers(opt)
	}
	err = guarded(w.format, func() error { return w.to(dst, opt, &res.Workers) })
	if err != nil {
		return res, err
	}
	res.Rows, res.Bytes = w.rows.Load(), w.written
	w.clock.enter(StageConvert)
	w.clock.addTo(&res.Stages)
	for i := range w.clocks {
		w.clocks[i].addTo(&res.Stages)
	}
	return res, nil
}

// binding returns what a format is told of the content.
func (c *Content) binding(location *time.Location) *Binding {
	if c.table != nil {
		return newBinding(c.table.Schema(), c.columns, nil, location)
	}
	s := &columnar.Schema{Name: "query"}
	positions := make([]int, len(c.names))
	for i := range c.names {
		s.Columns = append(s.Columns, columnar.Column{Name: c.names[i], Type: c.types[i]})
		positions[i] = i
	}
	return newBinding(s, positions, nil, location)
}

// writer is one COPY TO at work.
type writer struct {
	ctx     context.Context
	content Content
	binding *Binding
	format  string // its name
	enc     *Encoding
	encoder Encoder // of the goroutine that writes; nil until it is needed
	buf     []byte  // what it has encoded
	skip    int     // bytes of the first record that separate it from one before
	env     *Env
	labels  *stageLabels
	clock   clock
	clocks  []clock

	out     io.Writer
	deflate deflater // out, if the file is compressed
	recoder *recoder // nil: the file is UTF-8
	name    string
	rows    atomic.Int64
	written int64
}

// workers returns how many goroutines format: one for each row group at most.
func (w *writer) workers(opt *ToOptions) int {
	t := w.content.table
	n := workersFor(int64(t.Rows())*int64(8*len(w.content.columns)), opt.Parallelism, w.env)
	return max(1, min(n, t.Groups()))
}

// to opens the destination and writes everything, with as many workers as the format takes.
func (w *writer) to(dst Destination, opt *ToOptions, workers *int) error {
	if opt.output.by.given {
		return w.partitions(dst, opt, workers)
	}
	if err := w.bind(opt); err != nil {
		return err
	}
	if dst.writer != nil {
		w.name = "stdout"
		return w.fill(dst.writer, "", opt, workers)
	}
	file, err := w.env.Files.create(w.ctx, dst.path)
	if err != nil {
		return err
	}
	defer file.abandon()
	w.name = dst.path
	if err := w.fill(file, dst.path, opt, workers); err != nil {
		return err
	}
	return file.complete()
}

// bind tells a format of records the columns.
func (w *writer) bind(opt *ToOptions) (err error) {
	if opt.records != nil {
		w.enc, err = opt.records.Bind(w.binding)
	}
	return err
}

// fill writes everything to out, which becomes the file path; "" is none.
func (w *writer) fill(out io.Writer, path string, opt *ToOptions, workers *int) error {
	c := opt.output.compressionFor(path)
	err := w.wrap(out, c, opt.Encoding)
	if err != nil {
		return err
	}
	if opt.records != nil {
		err = w.records(*workers)
	} else {
		err = w.container(opt.container, path, workers)
	}
	if err == nil && c != nil {
		err = fileError(w.deflate.Close(), "could not write to file", w.name)
	}
	return err
}

// records writes everything as records.
func (w *writer) records(workers int) error {
	w.skip = w.enc.Between
	if len(w.enc.Head) > 0 {
		if err := w.write(w.enc.Head); err != nil {
			return err
		}
	}
	var err error
	switch {
	case w.content.table == nil:
		err = w.query()
	case workers == 1:
		err = w.tableAlone()
	default:
		err = w.tableAhead(workers)
	}
	if err != nil || len(w.enc.Tail) == 0 {
		return err
	}
	return w.write(w.enc.Tail)
}

// chunk writes records.
func (w *writer) chunk(b []byte) error {
	if w.skip > 0 && len(b) > 0 {
		b = b[min(w.skip, len(b)):]
		w.skip = 0
	}
	return w.write(b)
}

// wrap puts between the rows and the file what compresses and encodes it.
func (w *writer) wrap(out io.Writer, c *compression, encoding string) (err error) {
	w.out = out
	switch {
	case c == nil:
	case w.deflate != nil:
		w.deflate.Reset(out)
		w.out = w.deflate
	default:
		if w.deflate, err = c.create(out); err != nil {
			return err
		}
		w.out = w.deflate
	}
	if encoding == "" {
		return nil
	}
	mark := []byte(nil)
	w.recoder, mark = newRecoder(encoding)
	_, err = w.out.Write(mark)
	return fileError(err, "could not write to file", w.name)
}

// write writes one chunk.
func (w *writer) write(b []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.recoder != nil {
		var err error
		if b, err = w.recoder.recode(b); err != nil {
			return err
		}
	}
	w.clock.enter(StageStore)
	n, err := w.out.Write(b)
	w.clock.bytes[StageStore] += int64(n)
	w.written += int64(n)
	w.env.Progress.BytesProcessed.Add(int64(n))
	if err != nil {
		if w.ctx.Err() != nil {
			return w.ctx.Err() // which may be why
		}
		return fileError(err, "could not write to file", w.name)
	}
	w.clock.enter(StageConvert)
	return nil
}

// query formats and writes the rows of an iterator.
func (w *writer) query() error {
	if w.encoder == nil {
		w.encoder = w.enc.Encoder()
	}
	buf := w.buf[:0]
	defer func() { w.buf = buf }()
	for b, err := range w.content.rows {
		if err != nil {
			return err
		}
		err = mmap.Guard(func() (err error) {
			buf, err = w.encoder.Append(buf, b)
			return err
		})
		if err != nil {
			return err
		}
		w.count(b.Rows)
		if len(buf) >= chunkBytes {
			if err := w.chunk(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return w.chunk(buf)
}

func (w *writer) count(rows int) {
	w.rows.Add(int64(rows))
	w.env.Progress.TuplesProcessed.Add(int64(rows))
}

// group formats row group g and passes it on in chunks; emit returns the buffer for the
// next, or nil to stop.
func (w *writer) group(ctx context.Context, f Encoder, g int, buf []byte, emit func([]byte) []byte) ([]byte, error) {
	err := mmap.Guard(func() error {
		for b, err := range w.content.table.ScanGathered(ctx, columnar.ScanOptions{Columns: w.content.columns, FirstGroup: g, GroupCount: 1}) {
			if err != nil {
				return err
			}
			if buf, err = f.Append(buf, Batch{Rows: b.Rows, Cols: b.Cols}); err != nil {
				return err
			}
			w.count(b.Rows)
			if len(buf) >= chunkBytes {
				if buf = emit(buf); buf == nil {
					return ctx.Err()
				}
			}
		}
		return nil
	})
	return buf, err
}

// tableAlone formats and writes the table in the calling goroutine.
func (w *writer) tableAlone() error {
	f := w.enc.Encoder()
	buf := make([]byte, 0, chunkBytes+chunkBytes/4)
	for g := range w.content.table.Groups() {
		var failed error
		var err error
		buf, err = w.group(w.ctx, f, g, buf, func(b []byte) []byte {
			if failed = w.chunk(b); failed != nil {
				return nil
			}
			return b[:0]
		})
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	return w.chunk(buf)
}

// tableAhead formats row groups in parallel and writes them in order. A group's chunks
// wait in its own queue until the groups before it are written.
func (w *writer) tableAhead(workers int) error {
	queues := make([]chan []byte, w.content.table.Groups())
	for i := range queues {
		queues[i] = make(chan []byte, chunksAhead)
	}
	pool := sync.Pool{New: func() any { b := make([]byte, 0, chunkBytes+chunkBytes/4); return &b }}
	ahead := make(chan struct{}, 2*workers) // groups begun and not yet written
	var next atomic.Int64
	return w.abreast(workers,
		func(ctx context.Context) error { return w.formatGroups(ctx, &next, ahead, queues, &pool) },
		func(ctx context.Context) error { return w.drain(ctx, queues, ahead, &pool) })
}

// abreast runs work in so many goroutines, and write in the calling one. The first error ends
// the context that they are given, and is its cause; write returns it.
func (w *writer) abreast(workers int, work, write func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	w.clocks = make([]clock, workers)
	var wg sync.WaitGroup
	for i := range w.clocks {
		wg.Go(func() {
			c := &w.clocks[i]
			c.start(StageConvert, w.labels)
			defer c.stop()
			if err := guarded(w.format, func() error { return work(ctx) }); err != nil {
				cancel(err)
			}
		})
	}
	err := guarded(w.format, func() error { return write(ctx) })
	cancel(err)
	wg.Wait()
	return err
}

// formatGroups formats the next row groups until none is left.
func (w *writer) formatGroups(ctx context.Context, next *atomic.Int64, ahead chan<- struct{}, queues []chan []byte, pool *sync.Pool) error {
	f := w.enc.Encoder()
	for {
		select {
		case ahead <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		g := int(next.Add(1)) - 1
		if g >= len(queues) {
			return nil
		}
		send := func(b []byte) []byte {
			select {
			case queues[g] <- b:
				return (*pool.Get().(*[]byte))[:0]
			case <-ctx.Done():
				return nil
			}
		}
		buf, err := w.group(ctx, f, g, (*pool.Get().(*[]byte))[:0], send)
		if err != nil {
			return err
		}
		if len(buf) > 0 && send(buf) == nil {
			return context.Cause(ctx) // which the writer is told, as long as the queue has no end
		}
		close(queues[g]) // all of the group is in it
	}
}

// drain writes the queues one after another.
func (w *writer) drain(ctx context.Context, queues []chan []byte, ahead <-chan struct{}, pool *sync.Pool) error {
	for _, q := range queues {
		for open := true; open; {
			var b []byte
			w.clock.enter(StageRead) // waiting for the workers
			select {
			case b, open = <-q:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if len(b) > 0 {
				if err := w.chunk(b); err != nil {
					return err
				}
				pool.Put(&b)
			}
		}
		<-ahead
	}
	return nil
}
