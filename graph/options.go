package graph

import (
	"fmt"
	"math"
	"runtime"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// Direction says which way edges are used.
type Direction uint8

const (
	// Forward goes from an edge's source to its destination.
	Forward Direction = iota

	// Backward goes from destination to source.
	Backward

	// Both goes either way. An edge from a node to itself counts once.
	Both
)

// String returns forward, backward or both.
func (d Direction) String() string {
	switch d {
	case Forward:
		return "forward"
	case Backward:
		return "backward"
	case Both:
		return "both"
	}
	return fmt.Sprintf("Direction(%d)", uint8(d))
}

// against returns the direction that undoes d.
func (d Direction) against() Direction {
	switch d {
	case Forward:
		return Backward
	case Backward:
		return Forward
	}
	return d
}

// Hops bounds the length of a path, in edges: Min to Max, both included. Max is NoLimit
// for any length.
//
// Where a search asks for shortest paths or for what can be reached, a node is as far away
// as the shortest path to it is long, and 0 hops from itself.
type Hops struct {
	Min, Max int
}

// NoLimit is a Max without bound.
const NoLimit = -1

// limits returns the bounds as they are compared with depths.
func (h Hops) limits() (least, most uint32, err error) {
	if h.Min < 0 || h.Max < NoLimit || (h.Max != NoLimit && h.Max < h.Min) || int64(h.Min) > math.MaxUint32 {
		return 0, 0, pgerr.New(pgerr.InvalidParameterValue, "graph: %d to %d hops", h.Min, h.Max)
	}
	most = math.MaxUint32
	if h.Max != NoLimit && int64(h.Max) < math.MaxUint32 {
		most = uint32(h.Max)
	}
	return uint32(h.Min), most, nil
}

// Filter clears the bits of keep whose rows are to be as if they were deleted. Bit i of keep
// is that of ids[i] and is set; the bits behind are not to be set. table is a position in
// Graph.Nodes, or in Graph.Rels if it is a filter on edges.
//
// A filter is called from several goroutines at once, with ids that are visible, in any order,
// and perhaps more than once with the same id; it must answer for a row always the same.
// It keeps neither slice. An error ends the search with that error.
type Filter func(table int, ids []visibility.RowID, keep []uint64) error

// InSet returns a Filter that keeps the rows in a set for each table: bit i%64 of word i/64 is
// row i, and rows behind the last word are not kept. A table whose set is nil, or that
// is behind the last set, is not filtered. The sets must not change while they are in use.
func InSet(sets ...[]uint64) Filter {
	return func(table int, ids []visibility.RowID, keep []uint64) error {
		if table >= len(sets) || sets[table] == nil {
			return nil
		}
		set := sets[table]
		for i, id := range ids {
			if w := uint64(id) >> 6; w >= uint64(len(set)) || set[w]>>(id&63)&1 == 0 {
				keep[i>>6] &^= 1 << (i & 63)
			}
		}
		return nil
	}
}

// Options say how a graph is searched. The zero value goes forward over everything that is
// visible, with as many workers as the process has processors.
type Options struct {
	Direction Direction

	// Nodes filters nodes and Edges edges. What does not pass is as if it were
	// deleted: a path neither passes through such a row nor starts or ends there.
	Nodes Filter
	Edges Filter

	// MaxWorkers is the most goroutines that work on a search at a time; 0 is
	// GOMAXPROCS. A search that is small has one, the caller's.
	MaxWorkers int

	// Weight names a column of numbers that every rel table of the graph has. It gives
	// paths a weight, the sum of their edges'. WeightedShortestPath needs it.
	Weight string

	tuning *tuning // nil is usual
}

// resolved returns the options with every default in its place; o may be nil. Options that
// mean nothing are refused.
func (o *Options) resolved() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	switch {
	case out.Direction > Both:
		return out, pgerr.New(pgerr.InvalidParameterValue, "graph: unknown direction %d", out.Direction)
	case out.MaxWorkers < 0:
		return out, pgerr.New(pgerr.InvalidParameterValue, "graph: %d workers", out.MaxWorkers)
	case out.MaxWorkers == 0:
		out.MaxWorkers = runtime.GOMAXPROCS(0)
	}
	if out.tuning == nil {
		out.tuning = &usual
	}
	return out, nil
}
