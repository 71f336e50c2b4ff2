package kernels

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// binaryRows returns n rows of these widths whose payload byte i is value(i).
func binaryRows(widths []int32, n int, value func(i int) byte) []byte {
	var b []byte
	i := 0
	for range n {
		b = binary.BigEndian.AppendUint16(b, uint16(len(widths)))
		for _, w := range widths {
			b = binary.BigEndian.AppendUint32(b, uint32(w))
			for range w {
				b = append(b, value(i))
				i++
			}
		}
	}
	return b
}

func TestCheckBinaryStride(t *testing.T) {
	for _, widths := range [][]int32{nil, {0}, {8}, {2, 4, 8, 16, 1}, {4, 0, 4}} {
		for _, n := range []int{0, 1, 2, 17} {
			whole := binaryRows(widths, n, func(i int) byte { return byte(i) })
			_, stride := CheckBinaryStride(nil, widths)
			// Every cut, the buffer ending at an unreadable page.
			for length := range len(whole) + 1 {
				g := guard.New(length)
				copy(g.Bytes(), whole)
				if rows, _ := CheckBinaryStride(g.Bytes(), widths); rows != length/stride {
					t.Fatalf("widths %v, %d of %d bytes: %d rows, want %d", widths, length, len(whole), rows, length/stride)
				}
				closeAll(t, g)
			}
			// Every bit of a count or a length flipped.
			for i := range whole {
				at := i % stride
				header := at < 2
				p := 2
				for _, w := range widths {
					header = header || at >= p && at < p+4
					p += 4 + int(w)
				}
				for bit := range 8 {
					whole[i] ^= 1 << bit
					want := n
					if header {
						want = i / stride
					}
					if rows, _ := CheckBinaryStride(whole, widths); rows != want {
						t.Fatalf("widths %v, bit %d of byte %d flipped: %d rows, want %d", widths, bit, i, rows, want)
					}
					whole[i] ^= 1 << bit
				}
			}
		}
	}
	trailer := append(binaryRows([]int32{4}, 3, func(int) byte { return 9 }), 0xff, 0xff, 0, 0, 0, 4, 1, 2, 3, 4)
	if rows, stride := CheckBinaryStride(trailer, []int32{4}); rows != 3 || stride != 10 {
		t.Errorf("rows before a trailer: %d of %d bytes, want 3 of 10", rows, stride)
	}
	mustPanic(t, "negative width", func() { CheckBinaryStride(nil, []int32{-1}) })
	mustPanic(t, "32768 columns", func() { CheckBinaryStride(nil, make([]int32, 1<<15)) })
}

func TestSwap(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 17, 64} {
		for stride := 2; stride < 40; stride++ {
			check := func(width int, swap func(src []byte), value func(i int) uint64) {
				if stride < width {
					mustPanic(t, "stride below width", func() { swap(make([]byte, 4096)) })
					return
				}
				g := guard.New(max(0, (n-1)*stride+width*min(n, 1)))
				src := g.Bytes()
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				swap(src)
				for i := range n {
					var want [8]byte
					copy(want[8-width:], src[i*stride:][:width])
					if got := value(i); got != binary.BigEndian.Uint64(want[:]) {
						t.Fatalf("width %d stride %d: value %d of %d is %#x, source % x", width, stride, i, n, got, want[8-width:])
					}
				}
				if n > 0 {
					mustPanic(t, "short source", func() { swap(src[1:]) })
				}
				closeAll(t, g)
			}
			i64, i32, i16 := make([]int64, n), make([]int32, n), make([]int16, n)
			f64, f32 := make([]float64, n), make([]float32, n)
			check(8, func(src []byte) { SwapInt64(i64, src, stride) }, func(i int) uint64 { return uint64(i64[i]) })
			check(4, func(src []byte) { SwapInt32(i32, src, stride) }, func(i int) uint64 { return uint64(uint32(i32[i])) })
			check(2, func(src []byte) { SwapInt16(i16, src, stride) }, func(i int) uint64 { return uint64(uint16(i16[i])) })
			check(8, func(src []byte) { SwapFloat64(f64, src, stride) }, func(i int) uint64 { return math.Float64bits(f64[i]) })
			check(4, func(src []byte) { SwapFloat32(f32, src, stride) }, func(i int) uint64 { return uint64(math.Float32bits(f32[i])) })
		}
	}
}
