//go:build !purego

package kernels

import "github.com/ingotdb/ingot/asm"

// blockHead returns the first 32 bytes of b behind 32 zeros, for fields that the assembly
// reads by their ends.
func blockHead(b []byte) (head [64]byte) {
	copy(head[32:], b)
	return head
}

func parseInt64Column(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	if Active() != AVX2 {
		parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits64)
		return
	}
	head := blockHead(b)
	asm.ParseInt64ColumnAVX2(dst, null, slow, b, &head, seps, stride, uint64(trim))
}

func parseInt32Column(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	if Active() != AVX2 {
		parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits32)
		return
	}
	head := blockHead(b)
	asm.ParseInt32ColumnAVX2(dst, null, slow, b, &head, seps, stride, uint64(trim))
}

func parseInt16Column(dst []int16, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	if Active() != AVX2 {
		parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits16)
		return
	}
	head := blockHead(b)
	asm.ParseInt16ColumnAVX2(dst, null, slow, b, &head, seps, stride, uint64(trim))
}
