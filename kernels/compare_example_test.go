package kernels_test

import (
	"fmt"
	"math"

	"github.com/ingotdb/ingot/kernels"
)

func ExampleCompareInt64() {
	dst := make([]uint64, 1)
	kernels.CompareInt64(dst, []int64{1, 5, 9, 5}, kernels.Le, 5)
	fmt.Printf("%04b\n", dst[0])
	// Output: 1011
}

func ExampleCompareInt32() {
	dst := make([]uint64, 1)
	kernels.CompareInt32(dst, []int32{1, 5, 9, 5}, kernels.Eq, 5)
	fmt.Printf("%04b\n", dst[0])
	// Output: 1010
}

func ExampleCompareInt16() {
	dst := make([]uint64, 1)
	kernels.CompareInt16(dst, []int16{1, 5, 9, 5}, kernels.Ne, 5)
	fmt.Printf("%04b\n", dst[0])
	// Output: 0101
}

func ExampleCompareFloat64() {
	dst := make([]uint64, 1)
	kernels.CompareFloat64(dst, []float64{1, math.NaN(), math.Inf(1), 0}, kernels.Gt, 1)
	fmt.Printf("%04b\n", dst[0])
	// Output: 0110
}

func ExampleCompareFloat32() {
	dst := make([]uint64, 1)
	kernels.CompareFloat32(dst, []float32{1, 2, 3, 4}, kernels.Ge, 2)
	fmt.Printf("%04b\n", dst[0])
	// Output: 1110
}

func ExampleCompareColumnsInt() {
	dst := make([]uint64, 1)
	kernels.CompareColumnsInt(dst, []int64{1, 2, 3, 4}, []int64{4, 3, 3, 1}, kernels.Lt)
	fmt.Printf("%04b\n", dst[0])
	// Output: 0011
}

func ExampleCompareColumnsFloat() {
	dst := make([]uint64, 1)
	kernels.CompareColumnsFloat(dst, []float64{1, math.NaN()}, []float64{2, math.NaN()}, kernels.Eq)
	fmt.Printf("%02b\n", dst[0])
	// Output: 10
}

func ExampleStrictlyIncreasingInt64() {
	fmt.Println(kernels.StrictlyIncreasingInt64([]int64{-3, 0, 8}), kernels.StrictlyIncreasingInt64([]int64{-3, 0, 0}))
	// Output: true false
}

func ExampleStrictlyIncreasingInt32() {
	fmt.Println(kernels.StrictlyIncreasingInt32([]int32{-3, 0, 8}), kernels.StrictlyIncreasingInt32(nil))
	// Output: true true
}
