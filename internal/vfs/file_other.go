//go:build !linux

package vfs

import "os"

// syncFile is os.File.Sync: fsync, and on macOS F_FULLFSYNC, without which the bytes stay
// in the device's cache.
func syncFile(f *os.File) error { return f.Sync() }

// dropCache has no counterpart that takes a whole file here.
func dropCache(*os.File) error { return nil }
