//go:build !purego

package asm

// CopyFieldsAVX2 places fields one after the other, as kernels.CopyFields defines it,
// from record from on, whose bytes go to dst[at:]; ends[r] becomes the end of record r.
//
// It returns the first record that it did not place: len(ends), or one whose field is no
// range of b, would end behind room, or is read past the end of b when taken 32 bytes at
// a time. dst has 32 bytes or more behind room, and room fits in 31 bits. seps starts at
// the column's first separator and has (len(ends)-1)*stride+2 entries or more. The bits
// of empty fields are set in null, whose other bits stay; from is below len(ends). Up to
// 32 bytes of dst behind the last byte placed are overwritten. No content of seps or b
// makes it read outside b or write outside dst.
//
//go:noescape
func CopyFieldsAVX2(dst []byte, ends []int32, null []uint64, b []byte, seps []uint32, stride int, trim uint64, from, at, room int) int
