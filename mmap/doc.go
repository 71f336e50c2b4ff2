// Package mmap reserves file space, maps files, counts the leases on a mapping, and turns
// a fault on mapped memory into an error. It knows bytes, never columns.
//
// # A mapping
//
//	file      |......|========== n bytes ==========|...|
//	          0      off                                 size, checked by fstat first
//	pages   |        ^---- off need not be on a page ----^        |
//	raw     |________|______________________________|____|  what is mapped
//	Bytes            |______________________________|       what the caller has
//
// A [Mapping] is shared (MAP_SHARED): two mappings of one file, and pread and pwrite on it,
// see the same bytes. Its window may start and end anywhere; the pages around it are mapped
// with it and never handed out: len and cap of Bytes both end where the window ends.
//
// # States and ownership
//
//	Map, MapFile, OfBytes        refs = 1, live
//	Retain, TryRetain            refs + 1, only while live
//	Release                      refs - 1; the one that reaches 0 unmaps
//	refs = 0                     dead for ever: Retain and Release panic, TryRetain says no
//
// Whoever holds a reference may use Bytes; a slice that outlives the last reference points
// at unmapped memory, and the garbage collector does not know it. Release is therefore an
// owner's last act, and nothing here unmaps behind a caller's back: there is no finalizer.
// The file may be closed, renamed or unlinked while it is mapped; it must not be made
// shorter.
//
// TryRetain increments only from a count above zero, with a compare-and-swap, so that it
// cannot race with the last Release: either it comes first and the mapping lives on, or it
// comes later and reports false.
//
// # Faults
//
// A load or store on a page that the file no longer backs (it was cut short, the disk
// failed, a full file system has no block for it) raises SIGBUS, which kills a Go program.
// [Guard] runs a function so that such a fault on a live mapping returns as a [FaultError]
// from Guard instead, also out of copy() and out of assembly. The setting belongs to one
// goroutine and is not inherited: every goroutine that touches a mapping runs under its
// own Guard. A fault anywhere else, an ordinary nil dereference included, panics as before.
//
// Code under Guard stops where it faulted, like any panic: deferred calls run, a lock
// without a deferred unlock stays locked.
//
// # Space
//
// A store into a hole of a full disk is a fault, not an error code. [Reserve] gives a range
// its blocks first, so that a full disk is ENOSPC before anything is mapped.
//
// # Systems
//
// Linux, macOS and FreeBSD are supported. Elsewhere the package compiles, and Map, MapFile
// and Reserve fail with errors.ErrUnsupported.
//
// Build with the tag mmapdebug to find slices used after the last Release: the address
// range is then never given back to the system but made inaccessible, so that such a use
// faults at once and is not taken by Guard.
package mmap
