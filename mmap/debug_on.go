//go:build mmapdebug

package mmap

// debugReleased keeps the address range of a released mapping, inaccessible, for ever.
const debugReleased = true
