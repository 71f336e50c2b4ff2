package visibility

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestHeadOrder(t *testing.T) {
	var dead []int
	h := NewHead(1, func(v int) { dead = append(dead, v) })
	expect := func(want ...int) {
		t.Helper()
		if len(dead) != len(want) {
			t.Fatalf("dead %v, want %v", dead, want)
		}
		for i := range want {
			if dead[i] != want[i] {
				t.Fatalf("dead %v, want %v", dead, want)
			}
		}
	}
	one := h.Acquire()
	again := h.Acquire()
	if one.Value() != 1 || again.Value() != 1 {
		t.Fatal("wrong version")
	}
	one.Release()
	h.Publish(2)
	expect() // again still holds 1
	if h.Acquire().Value() != 2 {
		t.Fatal("the published version is not current")
	}
	again.Retain()
	again.Release()
	expect()
	again.Release()
	expect(1)
	h.Publish(3)
	expect(1) // the reference on 2 was never given up
	h.Publish(4)
	expect(1, 3)
	last := h.Acquire()
	h.Close()
	h.Close()
	expect(1, 3)
	if h.Acquire() != nil {
		t.Fatal("a closed head gave a reference")
	}
	last.Release()
	expect(1, 3, 4)
	h.Publish(5)
	expect(1, 3, 4, 5)
	if h.Acquire() != nil {
		t.Fatal("publishing opened a closed head")
	}
}

func TestHeadMisuse(t *testing.T) {
	h := NewHead("v", nil)
	r := h.Acquire()
	h.Close()
	r.Release()
	mustPanic(t, "second Release", r.Release)
	mustPanic(t, "Retain after the last Release", r.Retain)
}

func TestAcquireDoesNotAllocate(t *testing.T) {
	h := NewHead(new(Groups), nil)
	if n := testing.AllocsPerRun(100, func() { h.Acquire().Release() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestHeadConcurrent has readers acquire, keep, retain and release while one writer publishes. No
// version may die while it is held, each must die exactly once, and none may come back.
func TestHeadConcurrent(t *testing.T) {
	const readers, versions = 8, 500
	type version struct {
		groups *Groups
		seq    CommitSeq
		deaths atomic.Int32
	}
	all := make([]*version, 0, versions+1)
	var alive atomic.Int64
	newVersion := func(s *Groups, seq CommitSeq) *version {
		v := &version{groups: s, seq: seq}
		all = append(all, v)
		alive.Add(1)
		return v
	}
	h := NewHead(newVersion(new(Groups).Append(4*GroupRows), 0), func(v *version) {
		v.deaths.Add(1)
		alive.Add(-1)
	})

	var wg sync.WaitGroup
	var done atomic.Bool
	for reader := range readers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(uint64(reader), 1))
			var held []*Ref[*version]
			newest := CommitSeq(0)
			for !done.Load() {
				r := h.Acquire()
				if r == nil {
					break
				}
				v := r.Value()
				if v.seq < newest {
					t.Errorf("version %d came after %d", v.seq, newest)
				}
				newest = v.seq
				// Version n has exactly its first n rows deleted.
				if n := v.groups.Rows() - v.groups.Live(); n != uint64(v.seq) || v.seq > 0 && v.groups.Visible(RowID(v.seq-1)) || !v.groups.Visible(RowID(v.seq)) {
					t.Errorf("version %d shows %d deleted rows", v.seq, n)
				}
				if rng.IntN(2) == 0 {
					r.Retain()
					held = append(held, r)
				}
				if v.deaths.Load() != 0 {
					t.Errorf("version %d died while held", v.seq)
				}
				r.Release()
				if len(held) > 10 {
					held[0].Release()
					held = held[1:]
				}
				runtime.Gosched()
			}
			for _, r := range held {
				if r.Value().deaths.Load() != 0 {
					t.Errorf("version %d died while held", r.Value().seq)
				}
				r.Release()
			}
		}()
	}
	s := all[0].groups
	for seq := CommitSeq(1); seq <= versions; seq++ {
		s, _ = s.WithDeleted([]RowID{RowID(seq - 1)})
		h.Publish(newVersion(s, seq))
		if seq%16 == 0 {
			runtime.Gosched()
		}
	}
	done.Store(true)
	wg.Wait()
	if n := alive.Load(); n != 1 {
		t.Errorf("%d versions are alive, want the current one", n)
	}
	h.Close()
	for _, v := range all {
		if n := v.deaths.Load(); n != 1 {
			t.Errorf("version %d died %d times", v.seq, n)
		}
	}
}

// A version that died between the two steps of Acquire must not be revived: Acquire waits for the
// newer one that replaced it.
func TestAcquireDoesNotRevive(t *testing.T) {
	for range 200 {
		h := NewHead(1, nil)
		h.current.Load().count.Store(0) // as a reader finds it that loaded it long ago
		started, got := make(chan struct{}), make(chan int)
		go func() {
			close(started)
			got <- h.Acquire().Value()
		}()
		<-started
		runtime.Gosched()
		h.current.Store(h.newRef(2))
		if v := <-got; v != 2 {
			t.Fatalf("version %d came back", v)
		}
	}
}

// Readers that meet Close get a good reference or nil, and the last version dies once.
func TestHeadCloseWhileAcquiring(t *testing.T) {
	for range 200 {
		var deaths atomic.Int32
		h := NewHead(1, func(int) { deaths.Add(1) })
		var wg sync.WaitGroup
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for r := h.Acquire(); r != nil; r = h.Acquire() {
					if deaths.Load() != 0 {
						t.Error("held and dead")
					}
					r.Release()
				}
			}()
		}
		h.Close()
		wg.Wait()
		if n := deaths.Load(); n != 1 {
			t.Fatalf("died %d times", n)
		}
	}
}
