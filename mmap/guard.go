package mmap

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"unsafe"
)

// ErrFault is what every FaultError is, for errors.Is.
var ErrFault = errors.New("mmap: fault on mapped memory")

// FaultError reports a load or store that a mapping could not serve: the file was cut
// short, the device failed, or the disk was full under a hole.
type FaultError struct {
	Name   string  // of the mapped file; "" when it is not known
	Offset int64   // in the file, of the byte that faulted
	Addr   uintptr // of the byte that faulted
}

// Error describes the fault.
func (e *FaultError) Error() string {
	return fmt.Sprintf("mmap: fault on mapped memory of %q at byte %d", e.Name, e.Offset)
}

// SQLState returns io_error, which a statement that met the fault ends with.
func (e *FaultError) SQLState() string { return "58030" }

// Is reports whether target is ErrFault.
func (e *FaultError) Is(target error) bool { return target == ErrFault }

// registry holds the live mappings. It is read only after a fault, so a mutex and a plain
// map serve: mapping and unmapping cost a system call anyway.
var registry = struct {
	sync.Mutex
	live map[*Mapping]struct{}
}{live: map[*Mapping]struct{}{}}

func register(m *Mapping) {
	registry.Lock()
	registry.live[m] = struct{}{}
	registry.Unlock()
}

func unregister(m *Mapping) {
	registry.Lock()
	delete(registry.live, m)
	registry.Unlock()
}

// faultAt returns the error for a fault at addr, or nil if no live mapping holds it.
func faultAt(addr uintptr) *FaultError {
	registry.Lock()
	defer registry.Unlock()
	for m := range registry.live {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(m.raw)))
		if addr-start < uintptr(len(m.raw)) {
			lead := len(m.raw) - len(m.bytes)
			return &FaultError{Name: m.name, Offset: m.offset - int64(lead) + int64(addr-start), Addr: addr}
		}
	}
	return nil
}

// Guard calls fn and returns its error. If fn faults on the memory of a live mapping, in Go
// code, in copy() or in assembly, Guard returns a *FaultError instead of the process dying.
//
// It covers the calling goroutine only; a goroutine that fn starts needs its own Guard. Any
// other panic passes through, and so does runtime.Goexit. Guards nest. Without a fault it
// costs a few nanoseconds and allocates nothing.
func Guard(fn func() error) (err error) {
	previous := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(previous)
		cause := recover()
		if cause == nil {
			return
		}
		if fault, ok := cause.(interface{ Addr() uintptr }); ok {
			if e := faultAt(fault.Addr()); e != nil {
				err = e
				return
			}
		}
		panic(cause)
	}()
	return fn()
}
