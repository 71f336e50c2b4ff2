package columnar

import (
	"context"
	"sync/atomic"

	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// adjRun is a run of a rel table's adjacency, in memory or in a data file. The runs of a
// version lie side by side and cover every row id that the table has given.
//
// Edges that travel in the log have runs in memory, of which the log says nothing: such a
// run is built from the columns when it is first wanted. Those of a load with a data file
// are stored in that file, and those that a checkpoint merged in the checkpoint's.
//
// Runs in memory merge as they arrive, a run with the one before it if that is at most
// runGrowth times as large, so that n commits of one size leave about log5(n) of them and
// an edge is built O(log n) times.
type adjRun struct {
	first visibility.RowID
	count uint32
	// nodes is how many row ids the node tables at each end had given when the edges came:
	// what bounds the ids in the run, whoever wrote them.
	nodes [2]uint64

	file *dataFile // nil if in memory
	dirs [2]csrDir // where the directions are in the file: forward, backward

	folding atomic.Bool // a checkpoint is writing it to a data file: no merging
	opened  atomic.Pointer[AdjacencyRun]
}

// end returns the id behind the run's last edge.
func (r *adjRun) end() visibility.RowID { return r.first + visibility.RowID(r.count) }

// open returns the run as readers see it. Nobody waits: goroutines that want a run first
// at the same time build or verify it each. t is a version of the table that has the run.
func (r *adjRun) open(t *Table) (*AdjacencyRun, error) {
	if a := r.opened.Load(); a != nil {
		return a, nil
	}
	a := &AdjacencyRun{First: r.first, Count: r.count}
	err := mmap.Guard(func() error {
		if r.file != nil {
			return r.load(a)
		}
		return t.buildRun(context.Background(), r, a, false)
	})
	if err != nil {
		return nil, err
	}
	if !r.opened.CompareAndSwap(nil, a) {
		return r.opened.Load(), nil
	}
	return a, nil
}

// memoryRun returns a run of the edges of several, in memory and yet to be built.
func memoryRun(first visibility.RowID, count uint32, nodes [2]uint64) *adjRun {
	return &adjRun{first: first, count: count, nodes: nodes}
}

// runGrowth is how many times as large as a run one may be that it is merged into. More
// makes fewer runs, which a search looks into one by one, and builds edges more often.
const runGrowth = 4

// appendRun returns runs with r, which is in memory, behind them.
func appendRun(runs []*adjRun, r *adjRun) []*adjRun {
	for len(runs) > 0 {
		last := runs[len(runs)-1]
		sum := uint64(last.count) + uint64(r.count)
		if last.file != nil || last.folding.Load() || uint64(last.count) > runGrowth*uint64(r.count) || sum > 1<<31 {
			break
		}
		r = memoryRun(last.first, uint32(sum), r.nodes)
		runs = runs[:len(runs)-1]
	}
	return append(runs[:len(runs):len(runs)], r)
}

// coverRun returns runs with r in the place of those in memory that cover its edges, which
// are the last; ok is false if they are not, or if others are in its way.
func coverRun(runs []*adjRun, r *adjRun) (_ []*adjRun, ok bool) {
	if len(runs) == 0 || runs[len(runs)-1].end() != r.end() {
		return nil, false
	}
	i := len(runs)
	for i > 0 && runs[i-1].end() > r.first {
		if i--; runs[i].file != nil {
			return nil, false
		}
	}
	out := runs[:i:i]
	if head := runs[i]; head.first < r.first {
		out = append(out, memoryRun(head.first, uint32(r.first-head.first), head.nodes))
	}
	return append(out, r), true
}

// adjoin notes rows that were just put behind those of the rel table in a slot.
func (d *draft) adjoin(slot, rows int) {
	t := *d.tables[slot]
	nodes := d.nodeRows(t.schema.Rel)
	t.runs = appendRun(t.runs, memoryRun(t.NextRow()-visibility.RowID(rows), uint32(rows), nodes))
	d.set(slot, &t)
}

// cover puts a stored run over the last rows of the rel table in a slot.
func (d *draft) cover(slot int, r *adjRun) bool {
	t := *d.tables[slot]
	r.nodes = d.nodeRows(t.schema.Rel)
	runs, ok := coverRun(t.runs, r)
	if !ok {
		return false
	}
	t.runs = runs
	d.set(slot, &t)
	d.refs[r.file]++
	return true
}

// ends calls each with the ends of edges first to first+count-1, piece by piece, from
// the columns; at is the position of the piece's first edge. Edges whose values were given
// up because they are deleted are left out.
func (t *Table) ends(first visibility.RowID, count uint32, each func(at uint32, from, to []int64) error) error {
	last := first + visibility.RowID(count)
	for g := int(first.Group()); g < t.Groups(); g++ {
		at := visibility.RowID(g) << visibility.GroupShift
		if at >= last {
			break
		}
		for _, p := range t.group(g).pieces {
			lo, hi := max(at, first), min(at+visibility.RowID(p.rows), last)
			if lo < hi && len(p.frag.chunks) > 0 {
				skip, n := int(p.from)+int(lo-at), int(hi-lo)
				var cols [2][]int64
				for e := range cols {
					v, err := p.frag.end(end(e))
					if err != nil {
						return err
					}
					cols[e] = v[skip : skip+n]
				}
				if err := each(uint32(lo-first), cols[fromEnd], cols[toEnd]); err != nil {
					return err
				}
			}
			at += visibility.RowID(p.rows)
		}
	}
	return nil
}

// end returns the row ids at an end of the fragment's edges.
func (f *fragment) end(e end) ([]int64, error) {
	where := "log"
	if f.file != nil {
		where = f.file.name
	}
	k := f.find(fromColumn + uint32(e))
	if k == nil {
		return nil, corrupt(where, -1, "edges without a column %s", e)
	}
	v, err := f.open(k)
	if err != nil {
		return nil, err
	}
	if v.HasNulls() {
		return nil, corrupt(where, k.loc.off, "edges whose %s is null", e)
	}
	return v.Int64s(), nil
}

// claimedEdges is how many edges memory is taken for before their columns were seen.
const claimedEdges = 1 << 22

// buildRun fills a with the adjacency of the edges of r, from their columns. With live,
// edges that are deleted in t are left out.
func (t *Table) buildRun(ctx context.Context, r *adjRun, a *AdjacencyRun, live bool) error {
	var src, dst, pos []uint32
	for _, s := range []*[]uint32{&src, &dst, &pos} {
		*s = make([]uint32, 0, min(r.count, claimedEdges)) // what is claimed may not be there
	}
	err := t.ends(r.first, r.count, func(at uint32, from, to []int64) error {
		for i := range from {
			if uint64(from[i]) >= r.nodes[fromEnd] || uint64(to[i]) >= r.nodes[toEnd] || r.nodes[fromEnd] > maxNodes || r.nodes[toEnd] > maxNodes {
				return corrupt("", -1, "edge %d of table %s goes from row %d to row %d, of tables with %d and %d rows",
					uint64(r.first)+uint64(at)+uint64(i), t.schema.Name, from[i], to[i], r.nodes[fromEnd], r.nodes[toEnd])
			}
			if live && !t.vis.Visible(r.first+visibility.RowID(at)+visibility.RowID(i)) {
				continue
			}
			src = append(src, uint32(from[i]))
			dst = append(dst, uint32(to[i]))
			pos = append(pos, at+uint32(i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	a.First, a.Count = r.first, r.count
	return buildBoth(ctx, a, src, dst, pos, 1)
}
