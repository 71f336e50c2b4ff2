package copy

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// TestCancelWhileExplained ends the context of a COPY while its format looks for what is wrong
// with a long record, and while such a record is read.
func TestCancelWhileExplained(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &loader{ctx: ctx, opt: &FromOptions{Format: "test"}}
	want := pgerr.New(pgerr.BadCopyFileFormat, "wrong")
	long := &Record{Bytes: make([]byte, longBytes+1)}
	if e, err := l.patiently(long, func(*Record) *Error { return want }); e != want || err != nil {
		t.Errorf("%v, %v", e, err)
	}
	if _, err := l.patiently(long, func(*Record) *Error { panic("odd") }); pgerr.Code(err) != pgerr.InternalError {
		t.Errorf("a panic: %v", err)
	}
	begun, end := make(chan bool), make(chan bool)
	defer close(end)
	go func() {
		<-begun
		cancel()
	}()
	_, err := l.patiently(long, func(*Record) *Error {
		close(begun)
		<-end
		return want
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("explained to its end: %v", err)
	}
	if _, err := recordAt(ctx, nil, bytes.NewReader(long.Bytes), 0, int64(len(long.Bytes))); !errors.Is(err, context.Canceled) {
		t.Errorf("read to its end: %v", err)
	}
}
