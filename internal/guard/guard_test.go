//go:build unix

package guard

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// faults reports whether reading the byte at p faults.
func faults(p unsafe.Pointer) (bad bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			bad = true
		}
	}()
	sink = *(*byte)(p)
	return false
}

var sink byte

func TestEdgesFault(t *testing.T) {
	for _, n := range []int{1, 63, 64, 4096, 5000, 65536} {
		end, start := New(n), NewAtStart(n)
		if len(end.Bytes()) != n || len(start.Bytes()) != n {
			t.Fatalf("n=%d: lengths %d and %d", n, len(end.Bytes()), len(start.Bytes()))
		}
		for _, b := range []*Buffer{end, start} {
			for i := range b.Bytes() {
				b.Bytes()[i] = byte(i)
			}
		}
		if !faults(unsafe.Add(unsafe.Pointer(&end.Bytes()[n-1]), 1)) {
			t.Errorf("n=%d: the byte behind New's buffer can be read", n)
		}
		if !faults(unsafe.Add(unsafe.Pointer(&start.Bytes()[0]), -1)) {
			t.Errorf("n=%d: the byte before NewAtStart's buffer can be read", n)
		}
		for _, b := range []*Buffer{end, start} {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			if err := b.Close(); err == nil {
				t.Error("second Close succeeded")
			}
		}
	}
}

func TestSlice(t *testing.T) {
	b := New(24)
	defer b.Close()
	v := Slice[int64](b)
	v[2] = -1
	if len(v) != 3 || b.Bytes()[23] != 0xff {
		t.Errorf("Slice[int64] of 24 bytes: length %d, last byte %#x", len(v), b.Bytes()[23])
	}
	empty := New(0)
	defer empty.Close()
	if len(Slice[int16](empty)) != 0 {
		t.Error("Slice of an empty buffer is not empty")
	}
	defer func() {
		if recover() == nil {
			t.Error("Slice[int32] of 23 bytes did not panic")
		}
	}()
	odd := New(23)
	defer odd.Close()
	Slice[int32](odd)
}
