package copy

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/ingotdb/ingot/mmap"
)

// worker is the scratch and the accounts of one goroutine.
type worker struct {
	clock  clock
	count  []byte
	whole  []byte // a small file
	reader reader
	rows   Rows
	bytes  int64    // of the records of the fragment
	data   [][]byte // string bytes of the columns of one fragment after another

	lines   int64    // line breaks of the input before the batch; -1: not counted
	holes   []uint64 // records of the fragment that did not become rows; empty if all did
	taken   int      // records of the fragment that were converted
	rejects []rejected

	ctx   context.Context // of the COPY
	files *Files
	file  *os.File // open input, if it is not kept open
	of    *input
}

// open returns what in is read from. A file that is not what it was is errChanged.
func (w *worker) open(in *input) (io.ReaderAt, error) {
	if in.file != nil {
		return in.file, nil
	}
	if w.of == in {
		return w.file, nil
	}
	w.close()
	file, info, err := w.files.open(w.ctx, in.name)
	if err != nil {
		return nil, err
	}
	if !in.same(info) {
		file.Close()
		return nil, errChanged(in.name)
	}
	w.file, w.of = file, in
	return file, nil
}

// source is open for an input that may be in memory.
func (w *worker) source(in *input) (io.ReaderAt, error) {
	if in.mem != nil {
		return in.source(), nil
	}
	return w.open(in)
}

func (w *worker) close() {
	if w.file != nil {
		w.file.Close()
		w.file, w.of = nil, nil
	}
}

// readError is the error for a failed read of the named file.
func readError(err error, name string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF || errors.Is(err, errShrunk) {
		return errChanged(name)
	}
	return fileError(err, "could not read from file", name)
}

// newWorker adds a worker to the pool.
func (l *loader) newWorker() *worker {
	w := idleWorkers.Get().(*worker)
	w.ctx, w.files = l.ctx, &l.env.Files
	w.reader.clock, w.reader.size = &w.clock, blockBytes
	if l.env.readBytes > 0 {
		w.reader.size = l.env.readBytes
	}
	w.rows = Rows{sh: l.sh, sieve: newSieve(l.sh)}
	if l.sh.records != nil {
		w.reader.dec = l.sh.records.Decoder()
	}
	l.pool = append(l.pool, w)
	return w
}

// idleWorkers keeps the scratch of workers for the next COPY: a small one would spend
// more time on allocating it than on its rows.
var idleWorkers = sync.Pool{New: func() any { return new(worker) }}

// retire gives w back. Of what it holds only scratch of moderate size is kept.
func (w *worker) retire() {
	if w.reader.dec != nil {
		w.reader.dec.Close()
	}
	kept := worker{count: w.count, whole: w.whole}
	if cap(w.reader.buf) <= 4*blockBytes {
		kept.reader.buf = w.reader.buf
	}
	*w = kept
	idleWorkers.Put(w)
}

// run calls fn in every worker, the calling goroutine being one of them, and returns
// the first error. Mapped memory may be touched in fn.
func (l *loader) run(s Stage, fn func(w *worker) error) error {
	for len(l.pool) < l.workers {
		l.newWorker()
	}
	one := func(w *worker) error {
		w.clock.start(s, l.labels)
		defer w.clock.stop()
		defer w.close()
		return guarded(l.sh.name, func() error { return mmap.Guard(func() error { return fn(w) }) })
	}
	if l.workers == 1 {
		return one(l.pool[0])
	}
	errs := make([]error, l.workers)
	var wg sync.WaitGroup
	for i, w := range l.pool[1:l.workers] {
		wg.Go(func() { errs[i+1] = one(w) })
	}
	errs[0] = one(l.pool[0])
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
