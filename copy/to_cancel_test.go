package copy

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// overContext has ended, which nobody sees who only asks for its error.
type overContext struct{ context.Context }

func (overContext) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (overContext) Err() error { return nil }

// TestDroppedChunk ends the context of a COPY TO between the last row of a row group and its
// bytes: the queue of the group, whose end says that all of it is there, does not end.
func TestDroppedChunk(t *testing.T) {
	store := newStore(t)
	if _, err := fromText(t, store, "a int4", "FORMAT csv", FromReader(strings.NewReader("1\n2\n"), ""), Env{}); err != nil {
		t.Fatal(err)
	}
	snap, err := store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	table, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	content, err := TableContent(table, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{content: content, enc: &Encoding{Encoder: func() Encoder { return listEncoder{} }}, env: &Env{Progress: new(Progress)}}
	pool := sync.Pool{New: func() any { b := make([]byte, 0, chunkBytes); return &b }}
	for formatted := 0; formatted < 3; { // it may end before it begins a group
		queues := []chan []byte{make(chan []byte)}
		var next atomic.Int64
		if err := w.formatGroups(overContext{context.Background()}, &next, make(chan struct{}, 2), queues, &pool); err != nil {
			t.Fatal(err)
		}
		if next.Load() == 0 {
			continue
		}
		formatted++
		select {
		case _, open := <-queues[0]:
			t.Fatalf("the queue has ended (open: %t)", open)
		default:
		}
	}
}
