package kernels_test

import (
	"fmt"

	"github.com/ingotdb/ingot/kernels"
)

// Two splits of a file are counted without knowing where the first one leaves off; the
// parity of its quotes says which count of the second is right.
func ExampleCountRecordEnds() {
	first, second := []byte("1,a\n2,\"b\n"), []byte("c\"\n3,d\n")
	records, _, quotes := kernels.CountRecordEnds(first, '"', '\n')
	outside, inside, _ := kernels.CountRecordEnds(second, '"', '\n')
	if quotes%2 == 0 {
		records += outside
	} else {
		records += inside
	}
	fmt.Println(records, "records")
	// Output: 3 records
}

// The index of a block leads to its columns.
func ExampleIndexStructure() {
	b := []byte("7,\"x,y\"\n-8,z\n")
	seps, quoteBits := make([]uint32, 1+len(b)), make([]uint64, 1)
	seps[0] = ^uint32(0)
	s := kernels.IndexStructure(seps[1:], quoteBits, b, ',', '"', '\n', '\r', false)
	seps = seps[:1+s.Seps]
	for i := 1; i < len(seps); i++ {
		fmt.Printf("%q\n", b[seps[i-1]+1:seps[i]])
	}
	fmt.Println(s.Ends, "records")
	// Output:
	// "7"
	// "\"x,y\""
	// "-8"
	// "z"
	// 2 records
}

// An empty field is null, and what is no plain integer is left to the caller.
func ExampleParseInt64Column() {
	b := []byte("7,a\n,b\n1e3,c\n-8,d\n")
	seps := []uint32{^uint32(0), 1, 3, 4, 6, 10, 12, 15, 17}
	dst, null, slow := make([]int64, 4), make([]uint64, 1), make([]uint64, 1)
	kernels.ParseInt64Column(dst, null, slow, b, seps, 2, 0, 0)
	fmt.Printf("%d null %04b slow %04b\n", dst, null[0], slow[0])
	// Output: [7 0 0 -8] null 0010 slow 0100
}
