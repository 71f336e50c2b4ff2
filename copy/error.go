package copy

import (
	"errors"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Error is a failed COPY: a SQLSTATE, a message in PostgreSQL's words, and the place in
// the input. Every error of this package is one, or has one in its chain.
type Error = pgerr.Error

// errChanged is the error for a file that was written to while it was read.
func errChanged(name string) *Error {
	e := pgerr.New(pgerr.ObjectNotInState, "file \"%s\" was changed while being read", name).
		WithHint("Nothing was stored. Run the statement again when nobody writes to the file.")
	e.File = name
	return e
}

// errInternal is the error for a state that the code believes impossible.
func errInternal(format string, args ...any) *Error {
	return pgerr.New(pgerr.InternalError, "copy: "+format, args...)
}

// asError gives err a SQLSTATE where it has none.
func asError(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return pgerr.From(err)
}

// Errorf returns an error for a format to end a COPY with: a SQLSTATE and a formatted
// message. A %w verb makes its operand the cause.
func Errorf(sqlState, format string, args ...any) *Error {
	return pgerr.New(sqlState, format, args...)
}
