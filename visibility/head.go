package visibility

import "sync/atomic"

// Head holds the current version of something and lets readers take references on it
// without a lock. The zero Head is not usable; see NewHead.
//
// Any number of goroutines may use a Head and its Refs. It must not be copied.
type Head[T any] struct {
	current atomic.Pointer[Ref[T]] // nil once closed
	dead    func(T)
}

// Ref is a reference on one version. All holders of a version share one Ref, and each must
// release it once for every Acquire or Retain.
type Ref[T any] struct {
	// count is the number of references, one of which is the head's while the version is
	// current. It never leaves 0.
	count atomic.Int64
	value T
	head  *Head[T]
}

// NewHead returns a head whose current version is v.
//
// dead, which may be nil, is called once with each version that is no longer current and
// has lost its last reference, in the goroutine that lost it: in Release, Publish or
// Close. Calls for different versions may come in any order and at the same time.
func NewHead[T any](v T, dead func(T)) *Head[T] {
	h := &Head[T]{dead: dead}
	h.current.Store(h.newRef(v))
	return h
}

func (h *Head[T]) newRef(v T) *Ref[T] {
	r := &Ref[T]{value: v, head: h}
	r.count.Store(1)
	return r
}

// Acquire returns a reference on the version that is current at some moment during the
// call, or nil if the head is closed. It allocates nothing and takes no lock; it tries
// again only when a version was published meanwhile or another goroutine counted on the same
// one.
func (h *Head[T]) Acquire() *Ref[T] {
	for {
		r := h.current.Load()
		if r == nil {
			return nil
		}
		// A count of 0 means that r was replaced after the load and then lost its last
		// reference: to raise it would revive a version that was reported dead.
		if n := r.count.Load(); n > 0 && r.count.CompareAndSwap(n, n+1) {
			return r
		}
	}
}

// Publish makes v the current version: all that the caller wrote before is seen by
// whoever acquires it. The version before dies with its last reference, which may be now.
//
// Publishing is safe at any time, but writers that derive a version from the current one
// must exclude each other. On a closed head v is never current and is dead at once.
func (h *Head[T]) Publish(v T) {
	r := h.newRef(v)
	for {
		old := h.current.Load()
		if old == nil {
			r.Release()
			return
		}
		if h.current.CompareAndSwap(old, r) {
			old.Release()
			return
		}
	}
}

// Close gives up the head's own reference and makes later Acquires return nil. References
// taken before stay good; the last one to go reports the version dead. A second Close does
// nothing.
func (h *Head[T]) Close() {
	if old := h.current.Swap(nil); old != nil {
		old.Release()
	}
}

// Value returns the version. It is good until the reference is released.
func (r *Ref[T]) Value() T { return r.value }

// Retain takes one more reference on the version. The caller must hold one; it panics
// if there is none left.
func (r *Ref[T]) Retain() {
	if r.count.Add(1) <= 1 {
		panic("visibility: Retain of a released reference")
	}
}

// Release gives up one reference. The last one of a version that is no longer current calls
// the dead function of the head before Release returns. It panics if there is none left to
// give up.
func (r *Ref[T]) Release() {
	switch n := r.count.Add(-1); {
	case n == 0:
		if r.head.dead != nil {
			r.head.dead(r.value)
		}
	case n < 0:
		panic("visibility: Release of a released reference")
	}
}
