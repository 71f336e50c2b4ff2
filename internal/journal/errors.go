package journal

import (
	"errors"
	"fmt"
)

// Errors to compare with errors.Is.
var (
	// ErrCorrupt is what every CorruptionError is.
	ErrCorrupt = errors.New("journal: corrupt")
	// ErrVersion means that a newer program wrote the store.
	ErrVersion = errors.New("journal: store has a newer format")
	// ErrPoisoned means that an earlier sync failed, so that nobody knows what is on the
	// device; the journal takes no more writes. Reopening reads what is there.
	ErrPoisoned = errors.New("journal: no more writes after a failed sync")
	// ErrCommitUnknown means that the record may or may not be durable: reopening tells.
	ErrCommitUnknown = errors.New("journal: outcome of the commit is unknown")
	// ErrLogFull means that nothing was written: call Rotate and append again.
	ErrLogFull = errors.New("journal: log is full")
	// ErrReadOnly is the answer to a write on a journal opened read-only.
	ErrReadOnly = errors.New("journal: opened read-only")
	// ErrClosed is the answer to any use after Close.
	ErrClosed = errors.New("journal: closed")
)

// CorruptionError says which bytes are not what was written.
type CorruptionError struct {
	Path   string // of the file
	Offset int64  // in bytes, of the first structure that is bad
	What   string // is wrong with it
}

// Error describes the damage.
func (e *CorruptionError) Error() string {
	return fmt.Sprintf("journal: corrupt: %s at byte %d: %s", e.Path, e.Offset, e.What)
}

// SQLState returns data_corrupted, which a statement that meets the damage ends with.
func (e *CorruptionError) SQLState() string { return "XX001" }

// Is reports whether target is ErrCorrupt.
func (e *CorruptionError) Is(target error) bool { return target == ErrCorrupt }
