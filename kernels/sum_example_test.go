package kernels_test

import (
	"fmt"
	"math"

	"github.com/ingotdb/ingot/kernels"
)

func ExampleSumInt64() {
	v := []int64{math.MaxInt64, math.MaxInt64, 2, 1}
	fmt.Println(kernels.SumInt64(v, nil))
	fmt.Println(kernels.SumInt64(v, []uint64{0b1100}))
	// Output:
	// 1 1
	// 0 3
}

func ExampleSumInt32() {
	fmt.Println(kernels.SumInt32([]int32{math.MinInt32, math.MinInt32}, nil))
	// Output: -4294967296
}

func ExampleSumInt16() {
	fmt.Println(kernels.SumInt16([]int16{30000, 30000, 1}, []uint64{0b011}))
	// Output: 60000
}

func ExampleSumFloat64() {
	var acc [8]float64
	kernels.SumFloat64(&acc, []float64{1, 2, math.NaN(), 0.5}, []uint64{0b1011})
	fmt.Println(acc[:4], kernels.CombineLanes(&acc))
	// Output: [1 2 0 0.5] 3.5
}

func ExampleCombineLanes() {
	fmt.Println(kernels.CombineLanes(&[8]float64{1, 2, 3, 4, 5, 6, 7, 8}))
	// Output: 36
}

func ExampleMinMaxInt64() {
	fmt.Println(kernels.MinMaxInt64([]int64{4, -7, 9}, []uint64{0b101}))
	fmt.Println(kernels.MinMaxInt64([]int64{4, -7, 9}, []uint64{0}))
	// Output:
	// 4 9 true
	// 0 0 false
}

func ExampleMinMaxInt32() {
	fmt.Println(kernels.MinMaxInt32([]int32{4, -7, 9}, nil))
	// Output: -7 9 true
}

func ExampleMinMaxInt16() {
	fmt.Println(kernels.MinMaxInt16([]int16{4, -7, 9}, nil))
	// Output: -7 9 true
}

func ExampleMinMaxFloat64() {
	fmt.Println(kernels.MinMaxFloat64([]float64{2.5, math.NaN(), math.Copysign(0, -1)}, nil))
	// Output: 0 2.5 true true
}

func ExampleMinMaxFloat32() {
	fmt.Println(kernels.MinMaxFloat32([]float32{2.5, -1}, nil))
	// Output: -1 2.5 true false
}
