package kernels_test

import (
	"fmt"

	"github.com/ingotdb/ingot/kernels"
)

// deleted marks rows 0, 3 and 70 of 100 rows.
var deleted = []uint64{1 | 1<<3, 1 << (70 - 64)}

func ExampleLeadingZeros() {
	fmt.Println(kernels.LeadingZeros(deleted, 0, 100), kernels.LeadingZeros(deleted, 4, 100), kernels.LeadingZeros(deleted, 71, 100))
	// Output: 0 66 29
}

func ExampleLeadingOnes() {
	fmt.Println(kernels.LeadingOnes(deleted, 0, 100), kernels.LeadingOnes(deleted, 1, 100))
	// Output: 1 0
}

func ExampleNextRun() {
	for start, length := kernels.NextRun(deleted, 0, 100); length > 0; start, length = kernels.NextRun(deleted, start+length, 100) {
		fmt.Printf("rows %d to %d\n", start, start+length-1)
	}
	// Output:
	// rows 1 to 2
	// rows 4 to 69
	// rows 71 to 99
}

func ExampleLongestRun() {
	fmt.Println(kernels.LongestRun(deleted, 100))
	// Output: 4 66
}

func ExamplePopCount() {
	fmt.Println(kernels.PopCount(deleted, 100), kernels.PopCount(deleted, 70))
	// Output: 3 2
}
