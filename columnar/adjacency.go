package columnar

import "github.com/ingotdb/ingot/visibility"

// CSR is one direction of an adjacency run: for each node its neighbours, as a range of
// Neighbors. Nodes are row ids of their table, below 2^32.
//
// A dense CSR has an offset for every node from Base on; a sparse one has the nodes that
// have neighbours at all, ascending in Keys, and their ranges. The slices are part of a
// version: immutable, and mapped memory where the run is in a data file, so they are read
// inside mmap.Guard.
type CSR struct {
	Base      uint32   // dense: the node of Offsets[0]
	Offsets   []uint32 // dense: node n has Neighbors[Offsets[n-Base]:Offsets[n-Base+1]]; nil if sparse
	Keys      []uint32 // sparse: the nodes, ascending
	Starts    []uint32 // sparse: node Keys[i] has Neighbors[Starts[i]:Starts[i+1]]
	Neighbors []uint32
	Edges     []uint32 // position in the run of the edge to Neighbors[i]; nil if that is i
}

// Range returns where the neighbours of node n are in Neighbors.
func (c *CSR) Range(n uint32) (lo, hi uint32) {
	if c.Offsets != nil {
		if i := uint64(n) - uint64(c.Base); i < uint64(len(c.Offsets)-1) {
			return c.Offsets[i], c.Offsets[i+1]
		}
		return 0, 0
	}
	a, b := 0, len(c.Keys)
	for a < b {
		if m := int(uint(a+b) >> 1); c.Keys[m] < n {
			a = m + 1
		} else {
			b = m
		}
	}
	if a < len(c.Keys) && c.Keys[a] == n {
		return c.Starts[a], c.Starts[a+1]
	}
	return 0, 0
}

// AdjacencyRun is the adjacency of consecutive edges of a rel table: those that one load
// or one checkpoint brought, ordered by source. Deleted edges are in it; the table's
// visibility says which.
type AdjacencyRun struct {
	First    visibility.RowID // id of the first edge
	Count    uint32           // edges
	Forward  CSR              // source to destination; Edges is nil
	Backward CSR              // destination to source
}
