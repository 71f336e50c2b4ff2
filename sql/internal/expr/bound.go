package expr

import (
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// Bound is a condition column op value.
type Bound struct {
	Column int // index in the batches
	Op     kernels.Op
	Value  columnar.Value
}

// Bounds returns conditions that hold for every row of which n is true; n may be nil.
func Bounds(n Node) []Bound {
	switch n := n.(type) {
	case *stored:
		return []Bound{{n.ref.Index, n.op, n.bound}}
	case *logic:
		if n.or {
			return nil
		}
		var out []Bound
		for _, a := range n.args {
			out = append(out, Bounds(a)...)
		}
		return out
	}
	return nil
}

// Count returns how many bits of mask are set.
func Count(mask []uint64) int {
	n := 0
	for _, w := range mask {
		n += bits.OnesCount64(w)
	}
	return n
}
