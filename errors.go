package ingot

import (
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
)

// Error is a failed statement or a bad input row: SQLSTATE, message, and what is known
// of the place. Zero fields mean unknown.
type Error = pgerr.Error

// StatementError is an error with its place in the statement's text; it wraps an *Error.
type StatementError = ast.Error

// CorruptionError says which bytes of a store are wrong. It matches ErrCorrupt.
type CorruptionError = columnar.CorruptionError

// LockedError names the process that holds a store. It matches ErrLocked.
type LockedError = columnar.LockedError

// Leased says that snapshots or batches were in use when a DB was closed. It is no
// failure: they stay valid, and their last Release unmaps the files.
type Leased = columnar.Leased

// Outcomes to test for with errors.Is.
var (
	ErrCorrupt       = columnar.ErrCorrupt       // bytes of the store are not what was written
	ErrVersion       = columnar.ErrVersion       // a newer version of the format wrote the store
	ErrLocked        = columnar.ErrLocked        // another process has the store open
	ErrClosed        = columnar.ErrClosed        // the DB was closed
	ErrReadOnly      = columnar.ErrReadOnly      // the store is open for reading only
	ErrBusy          = columnar.ErrBusy          // another write transaction was open for too long
	ErrConflict      = columnar.ErrConflict      // somebody committed since the transaction read: begin again
	ErrPoisoned      = columnar.ErrPoisoned      // a sync failed earlier: open the store anew to write
	ErrCommitUnknown = columnar.ErrCommitUnknown // the sync of this commit failed: wholly there or absent after the next open
)

// SQLState returns the SQLSTATE of err, "" if err is nil. An error without one is XX000,
// or what its cause says: 57014 for a cancelled context, 53100 for a full disk.
func SQLState(err error) string { return pgerr.Code(err) }

// AsError returns the *Error in the chain of err, or one made for it. err must not be nil.
func AsError(err error) *Error { return pgerr.From(err) }
