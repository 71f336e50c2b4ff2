package graph

import (
	"context"
	"fmt"
	"iter"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// Mode says what a path of Paths may do more than once.
type Mode uint8

const (
	// Walk: anything.
	Walk Mode = iota

	// Trail: pass a node again, but no edge.
	Trail

	// Acyclic: pass neither a node nor an edge again.
	Acyclic
)

// String returns walk, trail or acyclic.
func (m Mode) String() string {
	switch m {
	case Walk:
		return "walk"
	case Trail:
		return "trail"
	case Acyclic:
		return "acyclic"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Paths returns every path of a mode that starts at a node and whose length is within hops,
// each before those that go on from it. Memory grows with the length of a path and the
// neighbours of its nodes, not with the number of paths.
//
// Walks need a Max: without one there may be no end of them (22023).
func (g *Graph) Paths(ctx context.Context, from Node, hops Hops, mode Mode, opt *Options) iter.Seq2[Path, error] {
	return g.paths(ctx, from, nil, hops, mode, opt)
}

// PathsBetween returns those paths of Paths that end at to. It follows no edge from which
// to is too far away.
func (g *Graph) PathsBetween(ctx context.Context, from, to Node, hops Hops, mode Mode, opt *Options) iter.Seq2[Path, error] {
	return g.paths(ctx, from, &to, hops, mode, opt)
}

func (g *Graph) paths(ctx context.Context, from Node, to *Node, hops Hops, mode Mode, opt *Options) iter.Seq2[Path, error] {
	return func(yield func(Path, error) bool) {
		least, most, err := hops.limits()
		switch {
		case err != nil:
		case mode > Acyclic:
			err = pgerr.New(pgerr.InvalidParameterValue, "graph: unknown mode %d", mode)
		case mode == Walk && hops.Max == NoLimit:
			err = pgerr.New(pgerr.InvalidParameterValue, "graph: walks of any length are without number").
				WithHint("Give a longest length, or use trails.")
		}
		if err != nil {
			yield(Path{}, err)
			return
		}
		q, err := g.open(ctx, opt)
		if err != nil {
			yield(Path{}, err)
			return
		}
		w := walker{search: q, mode: mode, least: least, most: most}
		defer func() {
			w.close()
			q.release(err)
		}()
		more := false
		err = mmap.Guard(func() (err error) {
			if more, err = w.begin(from, to); more && !w.wanted() {
				more, err = w.next()
			}
			return err
		})
		for err == nil && more {
			if !yield(w.path, nil) {
				return
			}
			err = mmap.Guard(func() (err error) { more, err = w.next(); return err })
		}
		if err != nil {
			yield(Path{}, err)
		}
	}
}

// walker enumerates paths, depth first. frames[i] is the choices for edge i of the path;
// there may be one frame more than edges, which then begins.
type walker struct {
	*search
	mode    Mode
	least   uint32
	most    uint32
	bounded bool // paths end at end: sides[0] knows how far away it is
	end     uint32

	start  uint32
	list   arcList // the choices of all frames
	frames []frame
	path   Path
	used   map[Edge]struct{} // edges of a trail from position fewEdges on, not Reversed
	steps  int
}

// frame is the arcs of one node, from begin on in the list of its walker; the path takes at.
type frame struct {
	begin, at int
}

// fewEdges is the number of edges that are compared with one by one.
const fewEdges = 32

// begin makes w.path the start alone and reports whether there is one.
func (w *walker) begin(from Node, to *Node) (bool, error) {
	u, ok, err := w.admits(from)
	if err != nil || !ok {
		return false, err
	}
	if to != nil {
		v, ok, err := w.admits(*to)
		if err != nil || !ok {
			return false, err
		}
		w.bounded, w.end = true, v
		if err := w.measure(v); err != nil {
			return false, err
		}
		if !w.near(u, 0) {
			return false, nil
		}
	}
	if w.mode == Acyclic {
		w.words = clearedWords(w.words, w.g.words())
		w.words[u>>6] |= 1 << (u & 63)
	}
	w.start = u
	w.path.setStart(w.g, u)
	return true, nil
}

// measure finds how far every node is from v, up to the longest length.
func (w *walker) measure(v uint32) error {
	d := &w.sides[0]
	d.start(w.g.count, v, true)
	for d.depth < w.most && len(d.frontier()) > 0 {
		if err := w.expand(d, w.against, w.along); err != nil {
			return err
		}
	}
	return nil
}

// near reports whether a path that reaches u after depth edges can still reach its end.
func (w *walker) near(u, depth uint32) bool {
	d := &w.sides[0]
	return !w.bounded || d.has(u) && d.level[u] <= w.most-depth
}

// number returns the number of the path's last node.
func (w *walker) number() uint32 {
	if n := w.path.Len(); n > 0 {
		return w.list.arcs[w.frames[n-1].at].node
	}
	return w.start
}

// wanted reports whether w.path is one of those that are asked for.
func (w *walker) wanted() bool {
	return uint32(w.path.Len()) >= w.least && (!w.bounded || w.number() == w.end)
}

// next makes w.path the next path that is wanted, with its weight, and reports whether there
// is one.
func (w *walker) next() (bool, error) {
	for {
		more, err := w.step()
		if err != nil || !more {
			return false, err
		}
		if w.wanted() {
			return true, w.weights.path(&w.path)
		}
	}
}

// step makes w.path the next path, wanted or not, and reports whether there is one.
func (w *walker) step() (bool, error) {
	if uint32(w.path.Len()) < w.most {
		begin := len(w.list.arcs)
		if err := w.loadPaths(&w.list, w.along, w.number()); err != nil {
			return false, err
		}
		w.frames = append(w.frames, frame{begin, begin - 1})
	}
	for len(w.frames) > 0 {
		if w.steps++; w.steps%filterBatch == 0 {
			if err := w.ctx.Err(); err != nil {
				return false, err
			}
		}
		if w.path.Len() == len(w.frames) {
			w.leave()
		}
		f := &w.frames[len(w.frames)-1]
		if f.at++; f.at == len(w.list.arcs) {
			w.list.arcs = w.list.arcs[:f.begin]
			w.frames = w.frames[:len(w.frames)-1]
			continue
		}
		a := w.list.arcs[f.at]
		if w.near(a.node, uint32(len(w.frames))) && w.enter(a) {
			return true, nil
		}
	}
	return false, nil
}

// enter makes the path one arc longer, if its mode allows that.
func (w *walker) enter(a arc) bool {
	e := edgeOf(w.along, a, false)
	key := Edge{Rel: e.Rel, Row: e.Row}
	n := w.path.Len()
	switch w.mode {
	case Acyclic:
		if w.words[a.node>>6]>>(a.node&63)&1 != 0 {
			return false
		}
		w.words[a.node>>6] |= 1 << (a.node & 63)
	case Trail:
		for _, o := range w.path.Edges[:min(n, fewEdges)] {
			if o.Row == e.Row && o.Rel == e.Rel {
				return false
			}
		}
		if n >= fewEdges {
			if _, ok := w.used[key]; ok {
				return false
			}
			if w.used == nil {
				w.used = map[Edge]struct{}{}
			}
			w.used[key] = struct{}{}
		}
	}
	w.path.Nodes = append(w.path.Nodes, w.along[a.hop].node(w.g, a.node))
	w.path.Edges = append(w.path.Edges, e)
	return true
}

// leave takes the last edge off the path.
func (w *walker) leave() {
	n := w.path.Len() - 1
	switch u := w.number(); w.mode {
	case Acyclic:
		w.words[u>>6] &^= 1 << (u & 63)
	case Trail:
		if n >= fewEdges {
			e := w.path.Edges[n]
			delete(w.used, Edge{Rel: e.Rel, Row: e.Row})
		}
	}
	w.path.Nodes, w.path.Edges = w.path.Nodes[:n+1], w.path.Edges[:n]
}

// close clears what the path has marked.
func (w *walker) close() {
	for w.mode == Acyclic && w.path.Len() > 0 {
		w.leave()
	}
	if w.mode == Acyclic && len(w.path.Nodes) > 0 {
		w.words[w.start>>6] = 0
	}
}
