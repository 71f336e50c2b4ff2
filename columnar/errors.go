package columnar

import (
	"errors"
	"fmt"
	"time"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs"
)

// Outcomes a caller can expect and test for with errors.Is.
var (
	// ErrCorrupt says that bytes of the store are not what was written. It comes
	// wrapped in a *CorruptionError that names file, offset and finding.
	ErrCorrupt = journal.ErrCorrupt
	// ErrVersion says that a newer version of the format wrote the store.
	ErrVersion = journal.ErrVersion
	// ErrLocked says that another process holds the store; see *LockedError.
	ErrLocked = vfs.ErrLocked
	// ErrPoisoned says that a sync of the log failed earlier: nothing can be
	// written through this handle any more.
	ErrPoisoned = journal.ErrPoisoned
	// ErrCommitUnknown says that the sync of this commit failed: after the next
	// open it is either wholly there or wholly absent.
	ErrCommitUnknown = journal.ErrCommitUnknown
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("columnar: store is closed")
	// ErrReadOnly says that the store was opened for reading only.
	ErrReadOnly = errors.New("columnar: store is open read-only")
	// ErrBusy says that the write lock was held for longer than the busy timeout.
	ErrBusy = errors.New("columnar: another write transaction is open")
	// ErrConflict says that a transaction read before its first write and somebody
	// committed in between: begin again.
	ErrConflict = errors.New("columnar: the store has changed since this transaction read it")
	// ErrTxnDone says that a transaction was used after Commit or Rollback.
	ErrTxnDone = errors.New("columnar: transaction has ended")
)

// CorruptionError says which bytes are wrong. It matches ErrCorrupt.
type CorruptionError = journal.CorruptionError

// LockedError names the process that holds the store. It matches ErrLocked.
type LockedError = vfs.LockedError

func errReadOnly() error {
	return pgerr.New(pgerr.ReadOnlyTransaction, "cannot write: %w", ErrReadOnly).
		WithHint("Open the store for writing.")
}

func errBusy(holder string, waited time.Duration) error {
	return pgerr.New(pgerr.LockNotAvailable, "%w", ErrBusy).
		WithDetail("The write lock is held by %s; waited %s.", holder, waited.Round(time.Millisecond)).
		WithHint("Commit or roll back that transaction, or raise the busy timeout.")
}

// Conflict returns ErrConflict as the error a statement ends with.
func Conflict() error {
	return pgerr.New(pgerr.SerializationFailure, "could not serialize access: %w", ErrConflict).
		WithHint("Roll back and run the transaction again.")
}

func errNoTable(name string) error {
	return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", name)
}

// corrupt returns a CorruptionError.
func corrupt(path string, off int64, format string, args ...any) error {
	return &CorruptionError{Path: path, Offset: off, What: fmt.Sprintf(format, args...)}
}
