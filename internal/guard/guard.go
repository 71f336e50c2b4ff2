//go:build unix

// Package guard gives tests memory that ends at an unreadable page, so that a load or
// store one byte outside a buffer faults instead of passing unseen.
//
// A buffer is one private mapping:
//
//	| page without access | slack | usable bytes | page without access |   New
//	| page without access | usable bytes | slack | page without access |   NewAtStart
//
// The usable bytes touch the page behind them (New) or the one before them
// (NewAtStart). Where the length is a multiple of the page size they touch both.
package guard

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Buffer owns one mapping. It is not safe for concurrent Close.
type Buffer struct {
	mapping []byte
	usable  []byte
}

// New returns a buffer of n zero bytes that end where an unreadable page begins.
//
// It panics if n is negative or the system refuses the mapping. The caller closes it.
func New(n int) *Buffer { return place(n, true) }

// NewAtStart returns a buffer of n zero bytes that begin where an unreadable page ends.
//
// It panics if n is negative or the system refuses the mapping. The caller closes it.
func NewAtStart(n int) *Buffer { return place(n, false) }

func place(n int, atEnd bool) *Buffer {
	if n < 0 {
		panic(fmt.Sprintf("guard: negative length %d", n))
	}
	page := unix.Getpagesize()
	inner := max(1, (n+page-1)/page) * page
	m, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Errorf("guard: map %d bytes: %w", inner+2*page, err))
	}
	for _, edge := range [][]byte{m[:page], m[page+inner:]} {
		if err := unix.Mprotect(edge, unix.PROT_NONE); err != nil {
			panic(fmt.Errorf("guard: protect edge: %w", err))
		}
	}
	start := page
	if atEnd {
		start = page + inner - n
	}
	return &Buffer{mapping: m, usable: m[start : start+n : start+n]}
}

// Bytes returns the usable bytes. They are valid until Close; a later use faults.
func (b *Buffer) Bytes() []byte { return b.usable }

// Slice returns the usable bytes of b as values of type T, in the machine's byte order.
//
// T must not hold pointers. The length of b must be a multiple of T's size, which also
// aligns the values; anything else panics.
func Slice[T any](b *Buffer) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if size == 0 || len(b.usable)%size != 0 {
		panic(fmt.Sprintf("guard: %d bytes are no whole number of %d-byte values", len(b.usable), size))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.usable))), len(b.usable)/size)
}

// Close unmaps the buffer. Closing twice is an error.
func (b *Buffer) Close() error {
	m := b.mapping
	b.mapping, b.usable = nil, nil
	if err := unix.Munmap(m); err != nil {
		return fmt.Errorf("guard: unmap: %w", err)
	}
	return nil
}
