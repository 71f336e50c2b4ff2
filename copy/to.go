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
	c := Content{table: t, columns: columns}
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
	return Content{names: names, types: types, rows: rows}
}

// Destination is where a COPY TO writes.
type Destination struct {
	path   string
	writer io.Writer
}

// ToFile returns the destination of a file. A regular file is written under another name
// beside it and renamed when it is complete: after an error what was there before is
// there still. A device or pipe is written to directly.
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
	enc, err := newEncoding(&content, opt, location)
	if err != nil {
		return res, err
	}
	w := &writer{ctx: ctx, content: content, enc: enc, env: &env, labels: newStageLabels(ctx)}
	w.clock.start(StageConvert, w.labels)
	defer w.clock.stop()
	res.Cardinality, res.Workers = Unknown, 1
	if content.table != nil {
		res.Cardinality = Exact
		res.Workers = w.workers(opt)
	}
	if err := w.to(dst, opt, res.Workers); err != nil {
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

// encoding is how a format writes rows. Immutable.
type encoding interface {
	head(dst []byte, names []string) []byte // appends what comes before the rows
	tail(dst []byte) []byte                 // appends what comes behind them
	encoder() encoder
}

// newEncoding returns the encoding that the options ask for.
func newEncoding(c *Content, o *ToOptions, location *time.Location) (encoding, error) {
	if o.Format == "binary" {
		return newBinaryForm(c.types)
	}
	return newForm(c, o, location)
}

// encoder writes rows. One goroutine owns it.
type encoder interface {
	// append appends the rows of a batch, of which it keeps nothing.
	append(dst []byte, b Batch) ([]byte, error)
}

// writer is one COPY TO at work.
type writer struct {
	ctx     context.Context
	content Content
	enc     encoding
	env     *Env
	labels  *stageLabels
	clock   clock
	clocks  []clock

	out     io.Writer
	deflate io.WriteCloser // out, if the file is compressed
	recoder *recoder       // nil: the file is UTF-8
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

// to opens the destination and writes everything.
func (w *writer) to(dst Destination, opt *ToOptions, workers int) error {
	var file *target
	w.out, w.name = dst.writer, "stdout"
	if dst.writer == nil {
		var err error
		if file, err = w.env.Files.create(w.ctx, dst.path); err != nil {
			return err
		}
		w.out, w.name = file, dst.path
		defer file.abandon()
	}
	if err := w.wrap(dst.path, opt.Encoding); err != nil {
		return err
	}
	if head := w.enc.head(nil, w.content.names); len(head) > 0 {
		if err := w.write(head); err != nil {
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
	if tail := w.enc.tail(nil); err == nil && len(tail) > 0 {
		err = w.write(tail)
	}
	if err == nil && w.deflate != nil {
		err = fileError(w.deflate.Close(), "could not write to file", w.name)
	}
	if err == nil && file != nil {
		err = file.complete()
	}
	return err
}

// wrap puts between the rows and the file what its name and ENCODING ask for.
func (w *writer) wrap(path, encoding string) error {
	if c := compressionOf(path); c != nil {
		deflate, err := c.create(w.out)
		if err != nil {
			return err
		}
		w.out, w.deflate = deflate, deflate
	}
	if encoding == "" {
		return nil
	}
	mark := []byte(nil)
	w.recoder, mark = newRecoder(encoding)
	_, err := w.out.Write(mark)
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
	f := w.enc.encoder()
	buf := make([]byte, 0, chunkBytes)
	for b, err := range w.content.rows {
		if err != nil {
			return err
		}
		err = mmap.Guard(func() (err error) {
			buf, err = f.append(buf, b)
			return err
		})
		if err != nil {
			return err
		}
		w.count(b.Rows)
		if len(buf) >= chunkBytes {
			if err := w.write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return w.write(buf)
}

func (w *writer) count(rows int) {
	w.rows.Add(int64(rows))
	w.env.Progress.TuplesProcessed.Add(int64(rows))
}

// group formats row group g and passes it on in chunks; emit returns the buffer for the
// next, or nil to stop.
func (w *writer) group(ctx context.Context, f encoder, g int, buf []byte, emit func([]byte) []byte) ([]byte, error) {
	err := mmap.Guard(func() error {
		for b, err := range w.content.table.Scan(ctx, columnar.ScanOptions{Columns: w.content.columns, FirstGroup: g, GroupCount: 1}) {
			if err != nil {
				return err
			}
			if buf, err = f.append(buf, Batch{Rows: b.Rows, Cols: b.Cols}); err != nil {
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
	f := w.enc.encoder()
	buf := make([]byte, 0, chunkBytes+chunkBytes/4)
	for g := range w.content.table.Groups() {
		var failed error
		var err error
		buf, err = w.group(w.ctx, f, g, buf, func(b []byte) []byte {
			if failed = w.write(b); failed != nil {
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
	return w.write(buf)
}

// tableAhead formats row groups in parallel and writes them in order. A group's chunks
// wait in its own queue until the groups before it are written.
func (w *writer) tableAhead(workers int) error {
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(nil)
	groups := w.content.table.Groups()
	queues := make([]chan []byte, groups)
	for i := range queues {
		queues[i] = make(chan []byte, chunksAhead)
	}
	w.clocks = make([]clock, workers)
	pool := sync.Pool{New: func() any { b := make([]byte, 0, chunkBytes+chunkBytes/4); return &b }}
	ahead := make(chan struct{}, 2*workers) // groups begun and not yet written
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			c := &w.clocks[i]
			c.start(StageConvert, w.labels)
			defer c.stop()
			f := w.enc.encoder()
			for {
				select {
				case ahead <- struct{}{}:
				case <-ctx.Done():
					return
				}
				g := int(next.Add(1)) - 1
				if g >= groups {
					return
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
					cancel(err)
				}
				if len(buf) > 0 {
					send(buf)
				}
				close(queues[g])
			}
		})
	}
	err := w.drain(ctx, queues, ahead, &pool)
	if err == nil {
		err = context.Cause(ctx) // a group that failed has closed its queue
	}
	cancel(err)
	wg.Wait()
	return err
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
				if err := w.write(b); err != nil {
					return err
				}
				pool.Put(&b)
			}
		}
		<-ahead
	}
	return nil
}
