// Package kernels is the checked public face of the hot loops: slices in, results
// out, no state.
//
// # What a kernel promises
//
// Every kernel is defined by a scalar reference, the function of the same name that
// ends in Ref. The reference is compiled everywhere, its tests compare it with each
// faster form, and the result is the same, bit for bit, at every [Level].
//
// A kernel reads and writes only inside the slices it is given, at every level: a
// slice may end at the last byte of a mapping with an unreadable page behind it.
// Slices are never kept. Nothing is allocated. Kernels may be called from any number
// of goroutines, on overlapping inputs, as long as outputs do not overlap.
//
// Misuse (a bitmap too short for its values, a negative length) panics, as an index
// out of range does. Hostile bytes are not misuse: no content of an input buffer makes
// a kernel panic, unless its comment names the slice whose content is the caller's to
// vouch for.
//
// Assembly cannot be preempted, so a caller keeps one call to about 64 KiB of input:
// some microseconds. Where a kernel takes any length its comment says so.
//
// # Bitmaps
//
// Bit i of a bitmap is bit i%64 of word i/64, least significant first: Arrow's order,
// read as little-endian 64-bit words.
//
// # Levels
//
// A public kernel switches on [Active] once per call. There are no function variables:
// an indirect call would move slice headers to the heap. The levels are named sets of
// CPU features; the environment variable INGOT_SIMD can lower the level of a process,
// never raise it. The build tag purego leaves the scalar forms only.
package kernels
