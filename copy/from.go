package copy

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// loader is one COPY FROM at work.
type loader struct {
	ctx    context.Context
	store  *columnar.Store
	sh     *shape
	opt    *FromOptions
	env    *Env
	labels *stageLabels
	result Result
	begun  time.Time
	cpu    int64 // of the process at the beginning, as faults
	faults int64

	inputs        []*input
	bytes         int64
	block         int64
	workers       int
	pool          []*worker
	most          int // workers that all of the input is worth
	splits        []split
	counted       int // splits that were counted
	sums          summing
	span          int64 // bytes of the window, and of the record that begins before it
	rows          int64
	fragments     []fragmentPlan
	firstFragment int            // of the window
	streams       []*stream      // files that are or may be streams
	parcels       int            // fragments of the streams that are done
	recoded       bool           // the bytes of the stream are counted where they are read
	stretches     []stretch      // of streams, in row order
	load          *columnar.Load // being filled
	loads         []sealed
	sealed        int64        // rows in loads
	slack         int64        // bytes that values may take beyond those of their records
	grown         atomic.Int64 // bytes that they did take
	mapped        bool         // load stores in a file of its own, whose place is known
	again         bool         // this attempt is not the first, which told the progress
	sifted        sifted

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

// From loads the source into the table as one transaction of its own.
//
// The input is read, converted and made durable before the write lock is taken, which is
// held for the commit only. On any error, the end of ctx among them, nothing is stored
// and the space is given back. opt is not changed; src is read to its end or to the first
// error.
func From(ctx context.Context, store *columnar.Store, t *Target, src Source, opt *FromOptions, env Env) (Result, error) {
	l, err := convert(ctx, store, t, src, opt, &env)
	if err != nil || l.nothing() {
		return l.finish(err)
	}
	return l.finish(l.commit())
}

// FromTxn is From inside a transaction that is already open: its rows become visible
// and durable with txn's commit. After an error nothing of the COPY is in txn, which
// stays usable.
func FromTxn(ctx context.Context, store *columnar.Store, txn *columnar.Txn, t *Target, src Source, opt *FromOptions, env Env) (Result, error) {
	l, err := convert(ctx, store, t, src, opt, &env)
	if err != nil || l.nothing() {
		return l.finish(err)
	}
	if err = l.seal(); err != nil {
		return l.finish(err)
	}
	if l.opt.Rejects == "" && len(l.loads) <= 1 {
		return l.finish(l.append(txn))
	}
	undo := txn.Savepoint()
	if err = l.append(txn); err != nil {
		txn.RollbackTo(undo)
	}
	return l.finish(err)
}

// nothing reports whether the COPY has nothing to write.
func (l *loader) nothing() bool { return l.stored() == 0 && l.opt.Rejects == "" }

// stored returns the number of rows that were converted and not left out.
func (l *loader) stored() int64 { return l.rows - l.sifted.skipped.Load() - l.sifted.excluded.Load() }

// convert reads and converts all of the source. The loader is not nil.
func convert(ctx context.Context, store *columnar.Store, t *Target, src Source, opt *FromOptions, env *Env) (*loader, error) {
	begin := time.Now()
	cpu, faults := usage()
	l, err := newLoader(ctx, store, t, opt, env)
	l.begun, l.cpu, l.faults = begin, cpu, faults
	if err != nil {
		return l, err
	}
	return l, guarded(l.sh.name, func() error { return l.fromSource(&src) })
}

// fromSource reads and converts all of the source.
func (l *loader) fromSource(src *Source) error {
	if src.rows != nil {
		return l.fromRows(src.rows)
	}
	if l.opt.container != nil {
		return l.fromContainers(src)
	}
	if src.reader != nil {
		return l.fromStreams([]*stream{{name: src.name, reader: src.reader}})
	}
	streams, err := l.openFiles(src.paths)
	defer l.closeFiles()
	if err != nil {
		return err
	}
	if streams != nil {
		return l.fromStreams(streams)
	}
	return l.fromFiles()
}

// commit appends the rows in a transaction of its own.
func (l *loader) commit() error {
	if err := l.seal(); err != nil {
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

// append hands the loads, which are sealed, to txn, and the rejects.
func (l *loader) append(txn *columnar.Txn) error {
	start := time.Now()
	defer func() { l.result.Stages[StageIndex].NS += int64(time.Since(start)) }()
	before := int64(0)
	for _, s := range l.loads {
		if s.rows == 0 {
			continue
		}
		a, err := txn.AppendConflict(l.ctx, l.sh.schema.Name, s.load, l.opt.OnConflict)
		if err != nil {
			return l.duplicate(err, before)
		}
		l.result.Rows += a.Rows
		l.result.Ignored += a.Skipped
		l.result.Replaced += a.Replaced
		if a.Missing > 0 {
			if err := l.skipMissing(s.load.Missing(), before); err != nil {
				return err
			}
		}
		before += s.rows
	}
	if l.opt.Rejects == "" {
		return nil
	}
	return l.appendRejects(txn)
}

// finish completes the result, and drops the load if there was an error.
func (l *loader) finish(err error) (Result, error) {
	if l.load != nil {
		l.loads = append(l.loads, sealed{load: l.load})
	}
	for _, s := range l.loads {
		st := s.load.Stats()
		l.result.Fragments += st.Fragments
		l.result.Reservations += st.Reservations
		l.result.ReservedBytes += st.ReservedBytes
		l.result.UsedBytes += st.UsedBytes
		s.load.Abort() // does nothing if a transaction has it
	}
	l.result.Stages[StageStore].Bytes, l.result.Stages[StageSync].Bytes = l.result.UsedBytes, l.result.UsedBytes
	if err == nil {
		l.result.Bytes = l.bytes
		l.result.Skipped, l.result.SetNull, l.result.Excluded = l.sifted.skipped.Load()+l.sifted.unlinked, l.sifted.nulled.Load(), l.sifted.excluded.Load()
	} else {
		l.result.Rows = 0
	}
	l.notify(err == nil)
	for _, w := range l.pool {
		w.clock.addTo(&l.result.Stages)
		w.retire()
	}
	l.pool = nil
	cpu, faults := usage()
	l.result.CPUNS, l.result.MinorFaults = cpu-l.cpu, faults-l.faults
	l.result.WallNS = int64(time.Since(l.begun))
	return l.result, asError(err)
}

// newLoader checks table and options. The loader is not nil.
func newLoader(ctx context.Context, store *columnar.Store, t *Target, o *FromOptions, env *Env) (*loader, error) {
	l := &loader{
		ctx: ctx, store: store, opt: o, env: env, block: env.blockSize(),
		labels: newStageLabels(ctx),
	}
	l.failed.row.Store(math.MaxInt64)
	if env.Progress == nil {
		env.Progress = new(Progress)
	}
	if o.Rejects != "" && o.Rejects == t.Schema.Name {
		return l, pgerr.New(pgerr.InvalidParameterValue, "COPY REJECTS cannot be the table \"%s\" that is loaded", o.Rejects)
	}
	var err error
	l.sh, err = newShape(t, o)
	return l, err
}

// checkRows compares the rows of the input with those that the caller promised.
func (l *loader) checkRows() error {
	if l.opt.Rows < 0 || l.opt.Rows == l.rows {
		return nil
	}
	return pgerr.New(pgerr.BadCopyFileFormat, "ROWS says %d rows but the input has %d", l.opt.Rows, l.rows).
		WithHint("Leave ROWS out, or give the number of data records.")
}

// varBytes bounds the bytes of all variable-length values of a window of rows rows, slack
// being what those of the input may take more than their records.
func (l *loader) varBytes(rows int64) int64 {
	n := int64(0)
	if l.sh.variable {
		n = l.slack + l.span
	}
	for i := range l.sh.consts {
		if k := &l.sh.consts[i]; k.value.Type.Variable() {
			n += rows * int64(len(k.value.S))
		}
	}
	return n
}
