package columnar

import (
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// CSR is one direction of an adjacency run: for each node its neighbours, as a range of
// Neighbors. Nodes are row ids of their table, below 2^32.
//
// A dense CSR has an offset for every node from Base on; a sparse one has the nodes that
// have neighbours at all, ascending in Keys, and their ranges. The slices are part of a
// version: immutable, and mapped memory where the run is in a data file, so they are read
// inside mmap.Guard.
//
// What a CSR says was verified before anybody is given it: offsets ascend within
// Neighbors, nodes and neighbours are rows that their tables have or had, edges are
// positions in the run.
type CSR struct {
	Base      uint32   // dense: the node of Offsets[0]
	Offsets   []uint32 // dense: node n has Neighbors[Offsets[n-Base]:Offsets[n-Base+1]]; nil if sparse
	Keys      []uint32 // sparse: the nodes, ascending
	Starts    []uint32 // sparse: node Keys[i] has Neighbors[Starts[i]:Starts[i+1]]
	Neighbors []uint32
	Edges     []uint32 // position in the run of the edge to Neighbors[i], ascending for one node; nil if that is i
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

// Edge returns the position in the run of the edge to Neighbors[i].
func (c *CSR) Edge(i uint32) uint32 {
	if c.Edges == nil {
		return i
	}
	return c.Edges[i]
}

// AdjacencyRun is the adjacency of consecutive edges of a rel table: those of one load, or
// those of several commits that were merged. The edges of a load are ordered by source, so
// that Forward.Edges is nil there. Deleted edges may be in it; the table's visibility says
// which.
type AdjacencyRun struct {
	First    visibility.RowID // id of the first edge
	Count    uint32           // edges, those left out because they are deleted included
	Forward  CSR              // source to destination
	Backward CSR              // destination to source
}

// Adjacency is the neighbours of every node by the edges of one rel table, at one commit
// point. It is valid as long as the Snapshot or Txn that it came from.
type Adjacency struct {
	Rel      *Table         // the edges
	From, To *Table         // the nodes at their ends
	Runs     []AdjacencyRun // ascending by First, of all edges together
}

// Adjacency returns the adjacency of the rel table called name; 42809 if the table holds
// no edges. Cheap: nothing in it depends on the size of the tables, except that runs of
// edges that came with small commits are built when they are wanted first, and those in a
// data file verified then.
func (s *Snapshot) Adjacency(name string) (*Adjacency, error) {
	return s.ref.Value().adjacency(name)
}

// Adjacency is Snapshot.Adjacency for the tables as the transaction sees them.
func (t *Txn) Adjacency(name string) (*Adjacency, error) {
	if t.done {
		return nil, ErrTxnDone
	}
	return t.draft.adjacency(name)
}

func (v *version) adjacency(name string) (*Adjacency, error) {
	t, err := v.table(name)
	if err != nil {
		return nil, err
	}
	r := t.schema.Rel
	if r == nil {
		return nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a rel table", name)
	}
	a := &Adjacency{Rel: t, From: v.tableOf(r.From), To: v.tableOf(r.To)}
	a.Runs, err = t.openRuns()
	return a, err
}

// openRuns returns the table's runs, ready to be read.
func (t *Table) openRuns() ([]AdjacencyRun, error) {
	out := make([]AdjacencyRun, len(t.runs))
	for i, r := range t.runs {
		a, err := r.open(t)
		if err != nil {
			return nil, err
		}
		out[i] = *a
	}
	return out, nil
}
