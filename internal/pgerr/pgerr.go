// Package pgerr has the error that every statement can end with: a SQLSTATE, a
// message in PostgreSQL's words, and the place in the input where it happened.
package pgerr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Error is a failed statement or a bad input row.
//
// Zero fields mean unknown. Line counts physical lines from 1, a header's
// included. ByteOffset is where the field starts in the decoded stream and is only
// meaningful if HasOffset is set; Value only if HasValue is set.
type Error struct {
	SQLState string
	Message  string
	Detail   string
	Hint     string

	Table      string
	File       string
	Line       int64
	Column     string
	Value      string
	ByteOffset int64
	HasValue   bool
	HasOffset  bool
	NullInput  bool // the value was NULL: Value is empty and HasValue is false

	Err error // the cause, for errors.Is and errors.As
}

// New returns an Error with the SQLSTATE state and a formatted message. A %w verb
// in format makes its operand the cause.
func New(state, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{SQLState: state, Message: err.Error(), Err: errors.Unwrap(err)}
}

// WithDetail sets the detail and returns e.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// WithHint sets what the user can do next and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// At sets the input position and returns e; line 0 and an empty column mean unknown.
func (e *Error) At(table, file string, line int64, column string) *Error {
	e.Table, e.File, e.Line, e.Column = table, file, line, column
	return e
}

// In sets the file and returns e.
func (e *Error) In(file string) *Error {
	e.File = file
	return e
}

// WithValue sets the offending text and returns e.
func (e *Error) WithValue(v string) *Error {
	e.Value, e.HasValue = v, true
	return e
}

// maxContextBytes is where PostgreSQL cuts a value in the context of a message.
const maxContextBytes = 100

// Context returns where in the input the error is, in the form PostgreSQL prints
// after CONTEXT, or "" if nothing is known.
func (e *Error) Context() string {
	if e.Line == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "COPY %s, line %d", e.Table, e.Line)
	switch {
	case e.Column != "" && e.NullInput:
		fmt.Fprintf(&b, ", column %s: null input", e.Column)
	case e.Column != "" && e.HasValue:
		fmt.Fprintf(&b, ", column %s: \"%s\"", e.Column, Cut(e.Value))
	case e.Column != "":
		fmt.Fprintf(&b, ", column %s", e.Column)
	case e.HasValue:
		fmt.Fprintf(&b, ": \"%s\"", Cut(e.Value))
	}
	return b.String()
}

// Cut shortens a value for a message to 100 bytes, without splitting a character.
func Cut(v string) string {
	if len(v) <= maxContextBytes {
		return v
	}
	n := maxContextBytes
	for n > 0 && v[n]&0xc0 == 0x80 {
		n--
	}
	return v[:n] + "..."
}

// Error returns the message with the file, the context and the SQLSTATE.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if c := e.Context(); c != "" {
		b.WriteString(" (" + c)
		if e.File != "" {
			b.WriteString(", file " + e.File)
		}
		b.WriteString(")")
	}
	b.WriteString(" [" + e.SQLState + "]")
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the SQLSTATE of err: that of the first Error in its chain, else one
// for the well-known causes (cancellation, full disk, I/O), else XX000. nil has none.
func Code(err error) string {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.SQLState
	default:
		return codeOf(err)
	}
}

// From returns err as an *Error: the first in its chain, or a new one around it. The end
// of a context gets PostgreSQL's words for it, whatever operation it ended.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	out := &Error{SQLState: codeOf(err), Message: err.Error(), Err: err}
	switch {
	case out.SQLState != QueryCanceled:
	case errors.Is(err, context.DeadlineExceeded):
		out.Message = "canceling statement due to statement timeout"
	case errors.Is(err, context.Canceled):
		out.Message = "canceling statement due to user request"
	}
	return out
}

func codeOf(err error) string {
	var s interface{ SQLState() string }
	switch {
	case errors.As(err, &s):
		return s.SQLState()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return QueryCanceled
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull
	case errors.Is(err, fs.ErrNotExist):
		return UndefinedFile
	case errors.Is(err, fs.ErrPermission):
		return InsufficientPrivilege
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(syscall.Errno)):
		return IOError
	}
	return InternalError
}
