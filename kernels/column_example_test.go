package kernels_test

import (
	"encoding/hex"
	"fmt"

	"github.com/ingotdb/ingot/kernels"
)

// columns indexes a block of CSV without quotes.
func columns(block []byte) []uint32 {
	seps := make([]uint32, 1+len(block))
	seps[0] = ^uint32(0)
	s := kernels.IndexStructure(seps[1:], make([]uint64, (len(block)+63)/64), block, ',', '"', '\n', '\r', false)
	return seps[:1+s.Seps]
}

func ExampleParseFloat64Column() {
	block := []byte("1.5,a\n,b\n1e400,c\n-0.1e3,d\n")
	dst := make([]float64, 4)
	var null, slow [1]uint64
	kernels.ParseFloat64Column(dst, null[:], slow[:], block, columns(block), 2, 0, 0)
	fmt.Println(dst)
	fmt.Printf("null %04b slow %04b\n", null[0], slow[0])
	// Output:
	// [1.5 0 0 -100]
	// null 0010 slow 0100
}

func ExampleParseFloat32Column() {
	block := []byte("0.1\n16777217\nnan\n")
	dst := make([]float32, 3)
	var null, slow [1]uint64
	kernels.ParseFloat32Column(dst, null[:], slow[:], block, columns(block), 1, 0, 0)
	fmt.Println(dst[0], int(dst[1]))
	fmt.Printf("slow %03b\n", slow[0])
	// Output:
	// 0.1 16777216
	// slow 100
}

func ExampleParseDateColumn() {
	block := []byte("1970-01-02\n2024-02-29\n2023-02-29\n")
	dst := make([]int32, 3)
	var null, slow [1]uint64
	kernels.ParseDateColumn(dst, null[:], slow[:], block, columns(block), 1, 0, 0)
	fmt.Println(dst)
	fmt.Printf("slow %03b\n", slow[0])
	// Output:
	// [1 19782 0]
	// slow 100
}

func ExampleParseTimestampColumn() {
	block := []byte("1970-01-01 00:00:01.5\n2024-02-29T24:00:00\n")
	dst := make([]int64, 2)
	var null, slow [1]uint64
	kernels.ParseTimestampColumn(dst, null[:], slow[:], block, columns(block), 1, 0, 0)
	fmt.Println(dst)
	fmt.Printf("slow %02b\n", slow[0])
	// Output:
	// [1500000 0]
	// slow 10
}

func ExampleParseTimestampTZColumn() {
	block := []byte("1970-01-01 02:00:00+02\n1970-01-01 00:00:01Z\n1970-01-01 00:00:02\n")
	dst := make([]int64, 3)
	var null, slow [1]uint64
	for _, bare := range []bool{false, true} {
		kernels.ParseTimestampTZColumn(dst, null[:], slow[:], block, columns(block), 1, 0, 0, bare)
		fmt.Printf("%v slow %03b\n", dst, slow[0])
	}
	// Output:
	// [0 1000000 0] slow 100
	// [0 1000000 2000000] slow 000
}

func ExampleParseDecimal64Column() {
	block := []byte("12.5\n-0.125\n1000\n1e2\n")
	dst := make([]int64, 4)
	var null, slow [1]uint64
	kernels.ParseDecimal64Column(dst, null[:], slow[:], block, columns(block), 1, 0, 0, 5, 2)
	fmt.Println(dst)
	fmt.Printf("slow %04b\n", slow[0])
	// Output:
	// [1250 -13 0 0]
	// slow 1100
}

func ExampleParseDecimal32Column() {
	block := []byte("12.5\n-3\n")
	dst := make([]int32, 2)
	var null, slow [1]uint64
	kernels.ParseDecimal32Column(dst, null[:], slow[:], block, columns(block), 1, 0, 0, 9, 3)
	fmt.Println(dst)
	// Output: [12500 -3000]
}

func ExampleParseDecimal128Column() {
	block := []byte("-18446744073709551616\n")
	dst := make([]byte, 16)
	var null, slow [1]uint64
	kernels.ParseDecimal128Column(dst, null[:], slow[:], block, columns(block), 1, 0, 0, 38, 0)
	fmt.Println(hex.EncodeToString(dst))
	// Output: 0000000000000000ffffffffffffffff
}

func ExampleParseBoolColumn() {
	block := []byte("t\nfalse\n1\n\nyes\n")
	var dst, null, slow [1]uint64
	kernels.ParseBoolColumn(dst[:], 5, null[:], slow[:], block, columns(block), 1, 0, 0)
	fmt.Printf("%05b null %05b slow %05b\n", dst[0], null[0], slow[0])
	// Output: 00101 null 01000 slow 10000
}

func ExampleParseUUIDColumn() {
	block := []byte("A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11\n")
	dst := make([]byte, 16)
	var null, slow [1]uint64
	kernels.ParseUUIDColumn(dst, null[:], slow[:], block, columns(block), 1, 0, 0)
	fmt.Println(hex.EncodeToString(dst))
	// Output: a0eebc999c0b4ef8bb6d6bb9bd380a11
}

func ExampleCopyFields() {
	block := []byte("1,ab\n2,\n3,cde\n")
	dst, offsets := make([]byte, 5+kernels.CopySlack), make([]int32, 4)
	var null [1]uint64
	n := kernels.CopyFields(dst, offsets, null[:], block, columns(block), 2, 1, 0)
	fmt.Printf("%d %q %v null %03b\n", n, dst[:offsets[n]], offsets, null[0])
	// Output: 3 "abcde" [0 2 2 5] null 010
}

func ExampleCheckBinaryStride() {
	widths := []int32{4, 2}
	block := []byte{
		0, 2, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 2, 1, 0,
		0, 2, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0, 2, 0, 1,
		0xff, 0xff,
	}
	rows, stride := kernels.CheckBinaryStride(block, widths)
	first, second := make([]int32, rows), make([]int16, rows)
	kernels.SwapInt32(first, block[6:], stride)
	kernels.SwapInt16(second, block[14:], stride)
	fmt.Println(rows, stride, first, second)
	// Output: 2 16 [7 256] [256 1]
}

func ExampleSwapInt64() {
	dst := make([]int64, 2)
	kernels.SwapInt64(dst, []byte{0, 0, 0, 0, 0, 0, 0, 1, 99, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9)
	fmt.Println(dst)
	// Output: [1 -1]
}

func ExampleValidUTF8() {
	fmt.Println(kernels.ValidUTF8([]byte("Größe")), kernels.ValidUTF8([]byte("Gr\xf6\xdfe")))
	fmt.Println(kernels.AllASCII([]byte("size")), kernels.AllASCII([]byte("Größe")))
	// Output:
	// true false
	// true false
}
