//go:build linux || darwin || freebsd

package mmap_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
)

var sink int

// cutShort maps a file of 16 pages from byte off on and makes the file one page long.
func cutShort(t testing.TB, off int64) (m *mmap.Mapping, name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "cut")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := 16 * os.Getpagesize()
	if _, err := f.Write([]byte(strings.Repeat("x", size))); err != nil {
		t.Fatal(err)
	}
	if m, err = mmap.MapFile(f, off, size-int(off), true); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Release)
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	return m, name
}

// TestGuardCatchesFaults faults in each kind of code that touches mapped bytes.
func TestGuardCatchesFaults(t *testing.T) {
	page := os.Getpagesize()
	for _, c := range []struct {
		name  string
		touch func(b []byte)
	}{
		{"load", func(b []byte) { sink += int(b[2*page]) }},
		{"store", func(b []byte) { b[2*page] = 1 }},
		{"range", func(b []byte) {
			for _, c := range b {
				sink += int(c)
			}
		}},
		{"copy from", func(b []byte) { sink += copy(make([]byte, len(b)), b) }},
		{"copy to", func(b []byte) { sink += copy(b, make([]byte, len(b))) }},
		{"kernel on bytes", func(b []byte) {
			n, _, _ := kernels.CountRecordEnds(b, '"', '\n')
			sink += n
		}},
		{"kernel on words", func(b []byte) {
			words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
			sink += kernels.PopCount(words, 64*len(words))
		}},
		{"kernel that stores", func(b []byte) {
			dst := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b[2*page:]))), 64)
			kernels.CompareInt64(dst, make([]int64, 4096), kernels.Lt, 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, name := cutShort(t, 0)
			err := mmap.Guard(func() error { c.touch(m.Bytes()); return nil })
			var fault *mmap.FaultError
			if !errors.As(err, &fault) || !errors.Is(err, mmap.ErrFault) {
				t.Fatalf("error %v, want a FaultError", err)
			}
			if fault.Name != name || fault.Offset < int64(page) || fault.Offset >= int64(16*page) {
				t.Errorf("fault in %q at %d", fault.Name, fault.Offset)
			}
			base := uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes())))
			if int64(fault.Addr-base) != fault.Offset {
				t.Errorf("address %#x and offset %d do not agree", fault.Addr, fault.Offset)
			}
		})
	}
}

func TestFaultOffsetIsInTheFile(t *testing.T) {
	page := os.Getpagesize()
	off := int64(page/2 + 3)
	m, _ := cutShort(t, off)
	at := 5*page + 7
	err := mmap.Guard(func() error { sink += int(m.Bytes()[at]); return nil })
	var fault *mmap.FaultError
	if !errors.As(err, &fault) || fault.Offset != off+int64(at) {
		t.Errorf("error %v, want a fault at byte %d", err, off+int64(at))
	}
}

func TestGuardLetsOtherPanicsThrough(t *testing.T) {
	three := 3
	var nothing *[1 << 20]byte
	for name, fn := range map[string]func() error{
		"nil":          func() error { sink += int(nothing[0]); return nil },
		"far from nil": func() error { sink += int(nothing[1<<19]); return nil },
		"value":        func() error { panic("mine") },
		"error":        func() error { panic(errors.New("mine")) },
		"index":        func() error { sink += int(make([]byte, 1)[three]); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var cause any
			func() {
				defer func() { cause = recover() }()
				t.Errorf("Guard returned %v", mmap.Guard(fn))
			}()
			if cause == nil {
				t.Error("no panic")
			}
			if name == "value" && cause != "mine" {
				t.Errorf("the panic is %v", cause)
			}
		})
	}
}

func TestGuardReturnsTheError(t *testing.T) {
	mine := errors.New("mine")
	if err := mmap.Guard(func() error { return mine }); err != mine {
		t.Errorf("error %v", err)
	}
	if err := mmap.Guard(func() error { return nil }); err != nil {
		t.Errorf("error %v", err)
	}
}

func TestGuardsNestAndRestore(t *testing.T) {
	m, _ := cutShort(t, 0)
	page := os.Getpagesize()
	before := debug.SetPanicOnFault(false)
	defer debug.SetPanicOnFault(before)
	err := mmap.Guard(func() error {
		inner := mmap.Guard(func() error { sink += int(m.Bytes()[3*page]); return nil })
		if !errors.Is(inner, mmap.ErrFault) {
			return fmt.Errorf("inner Guard: %w", inner)
		}
		sink += int(m.Bytes()[4*page]) // the outer one still holds
		return nil
	})
	var fault *mmap.FaultError
	if !errors.As(err, &fault) || fault.Offset != int64(4*page) {
		t.Errorf("error %v, want a fault at byte %d", err, 4*page)
	}
	if on := debug.SetPanicOnFault(false); on {
		t.Error("the setting was not restored")
	}
}

// TestEachGoroutineHasItsGuard faults in several goroutines at once.
func TestEachGoroutineHasItsGuard(t *testing.T) {
	m, _ := cutShort(t, 0)
	page := os.Getpagesize()
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := range 50 {
				at := (1+(w+i)%15)*page + w
				err := mmap.Guard(func() error { m.Bytes()[at] = 1; return nil })
				var fault *mmap.FaultError
				if !errors.As(err, &fault) || fault.Offset != int64(at) {
					t.Errorf("error %v, want a fault at byte %d", err, at)
				}
			}
		})
	}
	workers.Wait()
}

func TestGoexitPassesGuard(t *testing.T) {
	done := make(chan bool)
	go func() {
		ended := true
		defer func() { done <- ended }()
		_ = mmap.Guard(func() error { runtime.Goexit(); return nil })
		ended = false
	}()
	if !<-done {
		t.Error("Guard swallowed Goexit")
	}
}

func BenchmarkGuard(b *testing.B) {
	fn := func() error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if err := mmap.Guard(fn); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRetainRelease(b *testing.B) {
	m := mmap.OfBytes(make([]byte, 8), nil)
	defer m.Release()
	b.ReportAllocs()
	for b.Loop() {
		if m.TryRetain() {
			m.Release()
		}
	}
}

func ExampleGuard() {
	f, err := os.CreateTemp("", "guard")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := mmap.Reserve(f, 0, 1<<20); err != nil {
		fmt.Println(err)
		return
	}
	m, err := mmap.MapFile(f, 0, 1<<20, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Release()
	if err := f.Truncate(0); err != nil { // by somebody else, say
		fmt.Println(err)
		return
	}
	sum := 0
	err = mmap.Guard(func() error {
		for _, c := range m.Bytes() {
			sum += int(c)
		}
		return nil
	})
	fmt.Println(errors.Is(err, mmap.ErrFault))
	// Output: true
}

func ExampleMapFile() {
	f, err := os.CreateTemp("", "map")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteString("row groups, fragments, column chunks"); err != nil {
		fmt.Println(err)
		return
	}
	m, err := mmap.MapFile(f, 12, 9, false) // any window, also off a page boundary
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Release()
	fmt.Printf("%s\n", m.Bytes())
	// Output: fragments
}

func ExampleOfBytes() {
	m := mmap.OfBytes([]byte("private copy"), func() { fmt.Println("released") })
	m.Retain() // for a second user
	m.Release()
	fmt.Printf("%s\n", m.Bytes())
	m.Release()
	// Output:
	// private copy
	// released
}
