package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/visibility"
)

// Durability says when a commit is acknowledged.
type Durability uint8

const (
	// Full: a commit that returned survives a crash of the machine.
	Full Durability = iota
	// None: commits are atomic and ordered, but a crash may lose the latest ones.
	None
)

// Options configure a store. The zero value is the documented default of each.
type Options struct {
	ReadOnly    bool
	Durability  Durability
	BusyTimeout time.Duration // how long a writer waits for another; 0 is DefaultBusyTimeout, negative is not at all
	InlineBytes int64         // largest load that travels in the commit record; 0 is DefaultInlineBytes
	MemoryLimit int64         // of key indexes together; 0 is none
	LogBytes    int64         // size of a log, of which the first has 1 MiB at most; 0 is the journal's default
	Logger      *slog.Logger  // nil logs nothing
	FS          vfs.FS        // nil is the directory of the operating system; the store closes it
}

// Defaults of Options.
const (
	DefaultBusyTimeout = 5 * time.Second
	DefaultInlineBytes = 1 << 20
)

func (o *Options) defaults() error {
	if o.BusyTimeout == 0 {
		o.BusyTimeout = DefaultBusyTimeout
	}
	if o.InlineBytes == 0 {
		o.InlineBytes = DefaultInlineBytes
	}
	switch {
	case o.Durability > None:
		return fmt.Errorf("columnar: unknown durability %d", o.Durability)
	case o.InlineBytes < 0 || o.InlineBytes > 1<<28:
		return fmt.Errorf("columnar: inline bytes %d: want 0 to %d", o.InlineBytes, 1<<28)
	case o.LogBytes < 0:
		return fmt.Errorf("columnar: log bytes %d is negative", o.LogBytes)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Store is an open store. All methods are safe for concurrent use.
type Store struct {
	path string
	opt  Options
	fs   vfs.FS
	log  *journal.Journal
	lock io.Closer
	head *visibility.Head[*version]

	writer   chan struct{} // holds one token: the write lock
	finish   sync.Mutex    // held where a commit or a rotation writes and publishes, and by Close at its end
	holder   atomic.Pointer[string]
	life     lifetimes
	closed   atomic.Bool
	closing  context.Context // cancelled by Close: ends background work
	cancel   context.CancelFunc
	folds    sync.WaitGroup // background checkpoints
	behind   background     // removal of the files of aborted loads
	folding  atomic.Bool
	body     []byte                // record buffer of the next transaction; owned by the writer
	keyBytes atomic.Int64          // of key indexes that are being built
	dirty    []string              // data files of commits that were not synced (durability none); owned by the writer
	lost     atomic.Pointer[error] // why data files may not be durable that commits name; no write comes after it
	unlinks  []string              // dropped files that wait for a sync of the log; owned by the writer
}

const lockName = "LOCK"

// Open opens the store in the directory path, or creates it where there is none and
// opt allows writing. One process may have a store open for writing, or many for
// reading; the others get ErrLocked.
func Open(ctx context.Context, path string, opt Options) (_ *Store, err error) {
	if err := opt.defaults(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Store{path: path, opt: opt, fs: opt.FS, writer: make(chan struct{}, 1)}
	s.closing, s.cancel = context.WithCancel(context.Background())
	if s.fs == nil {
		if s.fs, err = vfs.OpenDir(path, !opt.ReadOnly); err != nil {
			return nil, fmt.Errorf("columnar: open store: %w", err)
		}
	}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if s.lock, err = s.fs.Lock(lockName, !opt.ReadOnly); err != nil {
		return nil, fmt.Errorf("columnar: open store: %w", err)
	}
	jopt := journal.Options{FS: s.fs, ReadOnly: opt.ReadOnly, LogBytes: opt.LogBytes, FirstLogBytes: min(opt.LogBytes, 1<<20)}
	exists, err := journal.Exists(s.fs)
	switch {
	case err != nil:
		return nil, err
	case exists:
		err = s.recover(jopt)
	case opt.ReadOnly:
		return nil, fmt.Errorf("columnar: %s holds no store", path)
	default:
		err = s.create(jopt)
	}
	if err != nil {
		return nil, err
	}
	s.writer <- struct{}{}
	return s, nil
}

// create makes an empty store.
func (s *Store) create(opt journal.Options) (err error) {
	v := &version{names: map[string]int{}}
	if s.log, err = journal.Create(opt, appendState(nil, v)); err != nil {
		return err
	}
	s.start(v, nil)
	return nil
}

// start makes v the current version.
func (s *Store) start(v *version, files []*dataFile) {
	v.store = s
	for _, t := range v.list() {
		t.keys.store = s
	}
	s.life.init(files)
	s.life.born(v.gen)
	s.head = visibility.NewHead(v, func(v *version) { s.life.died(v.gen) })
}

// abandon gives back what a failed Open had taken.
func (s *Store) abandon() {
	s.cancel()
	if s.log != nil {
		s.log.Abandon()
	}
	if s.lock != nil {
		s.lock.Close()
	}
	s.fs.Close()
}

// usable returns why the store takes no writes, nil if it does.
func (s *Store) usable() error {
	if s.closed.Load() {
		return ErrClosed
	}
	if err := s.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// ended returns err, and says so if it is what work met that was under way at Close.
func (s *Store) ended(err error) error {
	if err != nil && s.closed.Load() && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

func (s *Store) logger() *slog.Logger { return s.opt.Logger }

// Path returns the store's directory.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the store was opened for reading.
func (s *Store) ReadOnly() bool { return s.opt.ReadOnly }

// Durability returns the durability it was opened with.
func (s *Store) Durability() Durability { return s.opt.Durability }

// InlineBytes returns the size up to which a load travels in the commit record.
func (s *Store) InlineBytes() int64 { return s.opt.InlineBytes }

// LogSyncs returns how often the log was synced since Open.
func (s *Store) LogSyncs() int64 { return s.log.Syncs() }

// Snapshot is the store at one commit point: it sees exactly what had committed when
// it was taken, across later commits, deletes and checkpoints, and keeps its files
// mapped until Release. Safe for concurrent use; Release exactly once.
type Snapshot struct {
	ref *visibility.Ref[*version]
}

// Snapshot returns the latest commit point. It takes no lock.
func (s *Store) Snapshot() (*Snapshot, error) {
	ref := s.head.Acquire()
	if ref == nil {
		return nil, ErrClosed
	}
	return &Snapshot{ref: ref}, nil
}

// Seq returns the number of the commit that made the snapshot.
func (s *Snapshot) Seq() visibility.CommitSeq { return s.ref.Value().seq }

// Table returns the table called name; 42P01 if there is none.
func (s *Snapshot) Table(name string) (*Table, error) { return s.ref.Value().table(name) }

// Tables returns all tables ordered by name.
func (s *Snapshot) Tables() []*Table { return s.ref.Value().list() }

// Release gives the snapshot up.
func (s *Snapshot) Release() { s.ref.Release() }

// awaitCommit returns when the commit that was under way, if any, is done.
func (s *Store) awaitCommit() {
	s.finish.Lock()
	defer s.finish.Unlock()
}

// Leased says what was still in use when a store was closed. It is no failure: the
// last release unmaps.
type Leased struct {
	Versions int // commit points held by snapshots or transactions
}

// Error says how many snapshots are out.
func (l *Leased) Error() string {
	return fmt.Sprintf("columnar: closed while snapshots of %d versions are in use; their last Release unmaps the files", l.Versions)
}

// Close makes the store durable, unlocks it and refuses new work. It does not wait for
// snapshots: what they hold stays readable, and their last Release unmaps it; Close
// reports them as a *Leased error. A second Close returns ErrClosed.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return ErrClosed
	}
	s.cancel()
	s.awaitCommit()
	s.folds.Wait()
	s.behind.close()
	s.finish.Lock()
	defer s.finish.Unlock()
	err := s.settle(context.Background())
	if err == nil && !s.opt.ReadOnly {
		err = s.log.Sync() // of a poisoned log, the reason
	}
	if err == nil {
		err = s.log.Close()
	} else {
		err = errors.Join(err, s.log.Abandon()) // a mark would declare the data files durable
	}
	ref := s.head.Acquire()
	last := ref.Value().gen
	s.life.retireAll(last)
	s.head.Close()
	ref.Release()
	err = errors.Join(err, s.lock.Close(), s.fs.Close())
	if n := s.life.alive(); n > 0 {
		err = errors.Join(err, &Leased{Versions: n})
	}
	return err
}
