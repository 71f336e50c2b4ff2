package pgerr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// TestFrom has what becomes of errors that are none of the package's: the end of a context
// is told in PostgreSQL's words, everything else in its own.
func TestFrom(t *testing.T) {
	inner := New(UndefinedFile, "no file").In("a.csv")
	for _, c := range []struct {
		err            error
		state, message string
	}{
		{context.Canceled, QueryCanceled, "canceling statement due to user request"},
		{fmt.Errorf("reading: %w", context.Canceled), QueryCanceled, "canceling statement due to user request"},
		{fmt.Errorf("reading: %w", context.DeadlineExceeded), QueryCanceled, "canceling statement due to statement timeout"},
		{fmt.Errorf("reading: %w", inner), UndefinedFile, "no file"},
		{errors.New("odd"), InternalError, "odd"},
		{&fs.PathError{Op: "open", Path: "x", Err: errors.ErrUnsupported}, IOError, "open x: unsupported operation"},
	} {
		e := From(c.err)
		if e.SQLState != c.state || e.Message != c.message || Code(c.err) != c.state {
			t.Errorf("%v is %s %q, code %s; want %s %q", c.err, e.SQLState, e.Message, Code(c.err), c.state, c.message)
		}
		if e != inner && !errors.Is(e, c.err) {
			t.Errorf("%v is not in its chain", c.err)
		}
	}
	if From(fmt.Errorf("reading: %w", inner)) != inner || inner.File != "a.csv" {
		t.Errorf("an error of the package is made anew, or its file is %q", inner.File)
	}
}
