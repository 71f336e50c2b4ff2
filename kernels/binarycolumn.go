package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Columns of PostgreSQL's binary COPY format. A row is an int16 number of fields and then
// for each an int32 length and that many bytes, all of them big-endian. Rows whose fields
// have fixed widths and are not null are equally long, so that a column of them lies at
// a constant stride.

// CheckBinaryStride returns the number of rows that b starts with, each whole and of
// len(widths) fields of exactly the lengths in widths, and the bytes of one such row.
//
// Column c of row i is then at i*stride + 2 + 4*(c+1) + the sum of widths[:c]. The row
// after the last one may have a null, be cut off, or be the trailer: the caller looks.
// b is not kept; no content of it makes CheckBinaryStride panic. A negative width, and
// more than 32767 widths, panic.
func CheckBinaryStride(b []byte, widths []int32) (rows, stride int) {
	if len(widths) > 1<<15-1 {
		panic(fmt.Sprintf("kernels: CheckBinaryStride: %d columns", len(widths)))
	}
	stride = 2
	for c, w := range widths {
		if w < 0 {
			panic(fmt.Sprintf("kernels: CheckBinaryStride: width %d of column %d", w, c))
		}
		stride += 4 + int(w)
	}
	for len(b) >= stride && binaryRow(b[:stride], widths) {
		rows++
		b = b[stride:]
	}
	return rows, stride
}

// binaryRow reports whether row, as long as a row of these widths, is one. It has one
// branch at its end: which field differs does not matter.
func binaryRow(row []byte, widths []int32) bool {
	bad := uint32(binary.BigEndian.Uint16(row)) ^ uint32(len(widths))
	at := 2
	for _, w := range widths {
		bad |= binary.BigEndian.Uint32(row[at:]) ^ uint32(w)
		at += 4 + int(w)
	}
	return bad == 0
}

// SwapInt64 stores in dst[i] the big-endian number of 8 bytes at src[i*stride].
//
// src must hold them all: 8 bytes are read from (len(dst)-1)*stride on, and what lies
// between is not looked at. It panics if src is shorter or stride is below 8. dst may be
// mapped memory; it must not overlap src.
func SwapInt64(dst []int64, src []byte, stride int) {
	checkSwap(len(dst), len(src), stride, 8)
	for i := range dst {
		dst[i] = int64(binary.BigEndian.Uint64(src[i*stride:]))
	}
}

// SwapInt32 is SwapInt64 for numbers of 4 bytes.
func SwapInt32(dst []int32, src []byte, stride int) {
	checkSwap(len(dst), len(src), stride, 4)
	for i := range dst {
		dst[i] = int32(binary.BigEndian.Uint32(src[i*stride:]))
	}
}

// SwapInt16 is SwapInt64 for numbers of 2 bytes.
func SwapInt16(dst []int16, src []byte, stride int) {
	checkSwap(len(dst), len(src), stride, 2)
	for i := range dst {
		dst[i] = int16(binary.BigEndian.Uint16(src[i*stride:]))
	}
}

// SwapFloat64 is SwapInt64 for the bits of a float64.
func SwapFloat64(dst []float64, src []byte, stride int) {
	checkSwap(len(dst), len(src), stride, 8)
	for i := range dst {
		dst[i] = math.Float64frombits(binary.BigEndian.Uint64(src[i*stride:]))
	}
}

// SwapFloat32 is SwapInt64 for the bits of a float32.
func SwapFloat32(dst []float32, src []byte, stride int) {
	checkSwap(len(dst), len(src), stride, 4)
	for i := range dst {
		dst[i] = math.Float32frombits(binary.BigEndian.Uint32(src[i*stride:]))
	}
}

// checkSwap panics unless src bytes hold n values of width bytes at stride.
func checkSwap(n, src, stride, width int) {
	if stride < width || n > 0 && (src < width || (src-width)/stride < n-1) {
		panic(fmt.Sprintf("kernels: %d values of %d bytes at a stride of %d in %d bytes", n, width, stride, src))
	}
}
