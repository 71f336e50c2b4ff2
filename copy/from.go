package copy

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// loader is one COPY FROM at work.
type loader struct {
	ctx    context.Context
	store  *columnar.Store
	sh     *shape
	opt    *FromOptions
	env    *Env
	proto  dialect // without a line style
	labels *stageLabels
	result Result
	begun  time.Time
	cpu    int64 // of the process at the beginning, as faults
	faults int64

	inputs    []*input
	bytes     int64
	block     int64
	workers   int
	pool      []*worker
	splits    []split
	rows      int64
	fragments []fragmentPlan
	name      string    // of a stream
	stretches []stretch // of a stream, in row order
	load      *columnar.Load
	mapped    bool // load stores in a file of its own, whose place is known

	next   atomic.Int64 // fragment to convert
	failed failure
}

// failure is the smallest failing record that any worker has found.
type failure struct {
	row atomic.Int64 // math.MaxInt64: none

	mu  sync.Mutex
	err error
}

// record notes that row fails, unless an earlier one is known to; why says for what
// reason.
func (f *failure) record(row int64, why func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if row < f.row.Load() {
		f.err = why()
		f.row.Store(row)
	}
}

// worker is the scratch and the accounts of one goroutine.
type worker struct {
	clock  clock
	count  []byte
	whole  []byte // a small file
	reader reader
	conv   converter
	batch  batch
	data   [][]byte // string bytes of the columns of one fragment after another

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
	file, info, err := w.files.open(in.name)
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

// From loads the source into the table as one transaction of its own.
//
// The input is read, converted and made durable before the write lock is taken, which is
// held for the commit only. On any error, the end of ctx among them, nothing is stored
// and the space is given back. opt is not changed; src is read to its end or to the first
// error.
func From(ctx context.Context, store *columnar.Store, t *Target, src Source, opt *FromOptions, env Env) (Result, error) {
	l, err := convert(ctx, store, t, src, opt, &env)
	if err != nil || l.rows == 0 {
		return l.finish(err)
	}
	return l.finish(l.commit())
}

// FromTxn is From inside a transaction that is already open: its rows become visible
// and durable with txn's commit. After an error nothing of the COPY is in txn, which
// stays usable.
func FromTxn(ctx context.Context, store *columnar.Store, txn *columnar.Txn, t *Target, src Source, opt *FromOptions, env Env) (Result, error) {
	l, err := convert(ctx, store, t, src, opt, &env)
	if err != nil || l.rows == 0 {
		return l.finish(err)
	}
	return l.finish(l.append(txn))
}

// convert reads and converts all of the source. The loader is not nil.
func convert(ctx context.Context, store *columnar.Store, t *Target, src Source, opt *FromOptions, env *Env) (*loader, error) {
	begin := time.Now()
	cpu, faults := usage()
	l, err := newLoader(ctx, store, t, opt, env)
	l.begun, l.cpu, l.faults = begin, cpu, faults
	if err != nil {
		return l, err
	}
	if src.reader != nil {
		return l, l.fromReader(src.reader, src.name)
	}
	stream, err := l.openFiles(src.paths)
	defer l.closeFiles()
	if err != nil {
		return l, err
	}
	if stream != nil {
		defer stream.Close()
		return l, l.fromReader(stream, src.paths[0])
	}
	return l, l.fromFiles()
}

// commit appends the rows in a transaction of its own.
func (l *loader) commit() error {
	if err := l.sync(); err != nil {
		return err
	}
	start := time.Now()
	txn, err := l.store.BeginWrite(l.ctx)
	l.result.Stages[StageCommit].NS += int64(time.Since(start))
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := l.append(txn); err != nil {
		return err
	}
	start = time.Now()
	_, err = txn.Commit(l.ctx)
	l.result.Stages[StageCommit].NS += int64(time.Since(start))
	return err
}

// sync makes the converted rows durable, though not part of the table.
func (l *loader) sync() error {
	start := time.Now()
	err := l.load.Sync(l.ctx)
	l.result.Stages[StageSync].NS += int64(time.Since(start))
	return err
}

// append hands the load to txn.
func (l *loader) append(txn *columnar.Txn) error {
	if err := l.sync(); err != nil {
		return err
	}
	start := time.Now()
	_, err := txn.Append(l.ctx, l.sh.schema.Name, l.load)
	l.result.Stages[StageIndex].NS += int64(time.Since(start))
	return l.duplicate(err)
}

// finish completes the result, and drops the load if there was an error.
func (l *loader) finish(err error) (Result, error) {
	if l.load != nil {
		st := l.load.Stats()
		l.result.Fragments, l.result.Reservations = st.Fragments, st.Reservations
		l.result.ReservedBytes, l.result.UsedBytes = st.ReservedBytes, st.UsedBytes
		l.result.Stages[StageStore].Bytes, l.result.Stages[StageSync].Bytes = st.UsedBytes, st.UsedBytes
		if err != nil || l.rows == 0 {
			l.load.Abort()
		}
	}
	for _, w := range l.pool {
		w.clock.addTo(&l.result.Stages)
		w.retire()
	}
	l.pool = nil
	if err == nil {
		l.result.Rows, l.result.Bytes = l.rows, l.bytes
	}
	cpu, faults := usage()
	l.result.CPUNS, l.result.MinorFaults = cpu-l.cpu, faults-l.faults
	l.result.WallNS = int64(time.Since(l.begun))
	return l.result, asError(err)
}

// newLoader checks table and options. The loader is not nil.
func newLoader(ctx context.Context, store *columnar.Store, t *Target, o *FromOptions, env *Env) (*loader, error) {
	l := &loader{
		ctx: ctx, store: store, opt: o, env: env, block: env.blockSize(),
		proto: dialect{delim: o.Delimiter, quote: o.Quote, escape: o.Escape}, labels: newStageLabels(ctx),
	}
	l.failed.row.Store(math.MaxInt64)
	if env.Progress == nil {
		env.Progress = new(Progress)
	}
	var err error
	l.sh, err = newShape(t, o)
	return l, err
}

// newWorker adds a worker to the pool.
func (l *loader) newWorker() *worker {
	w := idleWorkers.Get().(*worker)
	w.files = &l.env.Files
	w.reader.clock, w.reader.size = &w.clock, blockBytes
	if l.env.readBytes > 0 {
		w.reader.size = l.env.readBytes
	}
	w.reader.fields, w.reader.stride, w.reader.text = len(l.sh.fields), max(1, len(l.sh.fields)), l.sh.text
	w.conv.sh, w.conv.location = l.sh, l.sh.location
	l.pool = append(l.pool, w)
	return w
}

// idleWorkers keeps the scratch of workers for the next COPY: a small one would spend
// more time on allocating it than on its rows.
var idleWorkers = sync.Pool{New: func() any { return new(worker) }}

// retire gives w back. Of what it holds only scratch of moderate size is kept.
func (w *worker) retire() {
	kept := worker{count: w.count, whole: w.whole}
	kept.reader.buf, kept.reader.seps, kept.reader.quotes = w.reader.buf, w.reader.seps, w.reader.quotes
	kept.conv.null, kept.conv.slow, kept.conv.bits, kept.conv.scratch = w.conv.null, w.conv.slow, w.conv.bits, w.conv.scratch
	if cap(w.reader.buf) > 4*blockBytes || len(w.reader.seps) > 4*blockBytes || cap(w.conv.scratch) > blockBytes {
		kept.reader, kept.conv = reader{}, converter{}
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
		return mmap.Guard(func() error { return fn(w) })
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

// fromFiles converts regular files; l.inputs is opened and their prologues are read.
func (l *loader) fromFiles() error {
	l.result.Cardinality = Exact
	l.workers = workersFor(l.bytes, l.opt.Parallelism, l.env)
	l.result.Workers = l.workers
	if err := l.count(); err != nil {
		return err
	}
	l.sum()
	if err := l.checkRows(); err != nil {
		return err
	}
	l.cut()
	plan := columnar.LoadPlan{Schema: l.sh.schema, Fragments: make([]int, len(l.fragments)), VarBytes: l.varBytes()}
	for i := range l.fragments {
		plan.Fragments[i] = l.fragments[i].rows
	}
	var err error
	if l.load, err = l.store.NewLoad(l.ctx, plan); err != nil {
		return err
	}
	l.mapped = !l.load.Stats().Inline
	l.workers = min(l.workers, max(1, len(l.fragments)))
	l.result.Workers = l.workers
	if err = l.run(StageConvert, l.convertFragments); err == nil {
		err = l.failed.err
	}
	if changed := l.verify(err == nil); changed != nil {
		return changed
	}
	return err
}

// checkRows compares the rows of the input with those that the caller promised.
func (l *loader) checkRows() error {
	if l.opt.Rows < 0 || l.opt.Rows == l.rows {
		return nil
	}
	return pgerr.New(pgerr.BadCopyFileFormat, "ROWS says %d rows but the input has %d", l.opt.Rows, l.rows).
		WithHint("Leave ROWS out, or give the number of data records.")
}

// varBytes bounds the bytes of all variable-length values.
func (l *loader) varBytes() int64 {
	n := int64(0)
	for i := range l.sh.fields {
		f := &l.sh.fields[i]
		if !f.typ.Variable() {
			continue
		}
		if n == 0 {
			n = l.bytes
		}
		if l.sh.hasMark {
			n += l.rows * int64(len(f.dflt.S))
		}
		if f.typ.Kind == columnar.Numeric {
			n += l.bytes // 1e9 is longer when it is written out
		}
	}
	for i := range l.sh.consts {
		if k := &l.sh.consts[i]; k.value.Type.Variable() {
			n += l.rows * int64(len(k.value.S))
		}
	}
	return n
}

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
	out, err := l.load.Fragment(k, f.rows)
	if err != nil {
		return err
	}
	w.conv.w = out
	if l.mapped {
		w.lend(out)
	}
	at := 0
	for i := range f.from {
		done, err := l.convertPiece(w, &f.from[i], at)
		if !done || err != nil {
			return err
		}
		at += f.from[i].rows
	}
	w.clock.enter(StageStore)
	err = out.Finish(f.rows)
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
func (l *loader) convertPiece(w *worker, p *piece, at int) (bool, error) {
	if err := l.seek(w, p); err != nil {
		return false, err
	}
	r := &w.reader
	p.start = r.offset()
	w.conv.d = &p.in.d
	done, err := l.convertStretch(w, p.rows, at, p.row, func(offset, row int64, check error) error {
		return l.explain(r.src, p.in, row, offset, check)
	})
	if err != nil {
		return false, readError(err, p.in.name)
	}
	p.end = min(r.offset(), p.in.size)
	return done, nil
}

// convertStretch converts the next n records of the worker's reader to row at of the
// fragment and on; the first is row of the COPY. It returns false if it stopped at a
// failing record, whose reason explain gives.
func (l *loader) convertStretch(w *worker, n, at int, row int64, explain func(offset, row int64, check error) error) (bool, error) {
	r := &w.reader
	for end := at + n; at < end; {
		if err := l.ctx.Err(); err != nil {
			return false, err
		}
		if l.failed.row.Load() < row {
			return false, nil
		}
		from := r.offset()
		n, err := r.next(&w.batch, end-at, at)
		if err != nil {
			return false, err
		}
		if n == 0 {
			l.failed.record(row, func() error { return explain(r.offset(), row, nil) })
			return false, nil
		}
		w.clock.enter(StageConvert)
		if good := w.conv.convert(&w.batch, n); good < n {
			row += int64(good)
			l.failed.record(row, func() error { return explain(w.batch.offset(r.base, good), row, w.conv.checkError(at+good)) })
			return false, nil
		}
		at += n
		row += int64(n)
		size := r.offset() - from
		w.clock.bytes[StageConvert] += size
		l.env.Progress.BytesProcessed.Add(size)
		l.env.Progress.TuplesProcessed.Add(int64(n))
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
	last := p.row+int64(p.rows) == in.firstRow+in.rows
	limit := in.size
	if !last {
		s := l.splitWithEnd(p.row + int64(p.rows) - 1)
		limit = min(in.start+int64(s-in.firstSplit+1)*l.block, in.size)
	}
	if p.row == in.firstRow {
		w.reader.reset(&in.d, src, in.mem, in.start, limit, limit == in.size)
		return nil
	}
	w.clock.enter(StageSplit)
	s := l.splitWithEnd(p.row - 1)
	off := in.start + int64(s-in.firstSplit)*l.block
	start, err := l.afterEnd(w, in, src, off, l.splits[s].state, p.row-l.splits[s].rows)
	if err != nil {
		return err
	}
	w.reader.reset(&in.d, src, in.mem, start, limit, limit == in.size)
	return nil
}

// afterEnd returns the offset behind the k-th record end from off on, where the state is s.
func (l *loader) afterEnd(w *worker, in *input, src io.ReaderAt, off int64, s quoteState, k int64) (int64, error) {
	if src == nil {
		if pos := in.d.afterEnd(in.mem[off:in.size], s, k); pos >= 0 {
			return off + int64(pos), nil
		}
		return 0, errChanged(in.name)
	}
	for {
		if len(w.count) < countBytes {
			w.count = make([]byte, countBytes)
		}
		b := w.count[:min(blockBytes, in.size-off)]
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
	record, err := recordAt(&in.d, src, offset, in.size)
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
		return x.at(&e, record, len(body)).WithValue(string(body))
	}
	return errInternal("row %d of \"%s\" at byte %d failed and nothing is wrong with it", row, x.place.file, x.place.offset)
}
