package graph

import (
	"context"
	"iter"

	"github.com/ingotdb/ingot/mmap"
)

// ShortestPath returns a path from one node to another that has as few edges as
// any; found is false if there is none whose length is within hops. Which one of several it
// is, is not defined. The path is the caller's.
func (g *Graph) ShortestPath(ctx context.Context, from, to Node, hops Hops, opt *Options) (p Path, found bool, err error) {
	for q, err := range g.shortest(ctx, from, to, hops, opt, false) {
		return q, err == nil, err
	}
	return Path{}, false, nil
}

// AllShortestPaths returns every path from one node to another that has as few edges as
// any, if that number is within hops. Parallel edges make different paths.
func (g *Graph) AllShortestPaths(ctx context.Context, from, to Node, hops Hops, opt *Options) iter.Seq2[Path, error] {
	return g.shortest(ctx, from, to, hops, opt, true)
}

// shortest returns the shortest paths, or one of them.
func (g *Graph) shortest(ctx context.Context, from, to Node, hops Hops, opt *Options, all bool) iter.Seq2[Path, error] {
	return func(yield func(Path, error) bool) {
		least, most, err := hops.limits()
		if err != nil {
			yield(Path{}, err)
			return
		}
		q, err := g.open(ctx, opt)
		if err != nil {
			yield(Path{}, err)
			return
		}
		defer func() { q.release(err) }()
		s := unroller{search: q, all: all}
		err = mmap.Guard(func() error {
			u, v, ok, err := q.ends(from, to)
			if err != nil || !ok {
				return err
			}
			s.meets, err = q.meet(u, v, most)
			return err
		})
		if err != nil {
			yield(Path{}, err)
			return
		}
		if len(s.meets) == 0 || q.sides[0].depth+q.sides[1].depth < least {
			return
		}
		for {
			more := false
			if err = mmap.Guard(func() (err error) { more, err = s.next(); return err }); err != nil {
				yield(Path{}, err)
				return
			}
			if !more || !yield(s.path, nil) {
				return
			}
			if err = ctx.Err(); err != nil {
				yield(Path{}, err)
				return
			}
		}
	}
}

// meet searches from u along the direction and from v against it, one level at a time on
// the side with fewer nodes to expand, until a node is found by both. It returns
// all such nodes: the two levels then reached add up to the length of the shortest path,
// and each shortest path has one node in both. There are none if no path is as short as most.
//
// A node found by both sides lies on the other side's last level. If it lay on an earlier
// one, the node it was found from would be within reach of the other side's last level, and
// they would have met there before.
//
// Two sets of nodes whose sizes multiply to much more than the number of nodes would have met
// by now, if edges were random. That they have not says that there may be no path, and then
// it is best to finish one side, whichever: so the search stays with a side until that has by
// far more to expand than the other.
func (q *search) meet(u, v uint32, most uint32) ([]uint32, error) {
	a, b := &q.sides[0], &q.sides[1]
	a.start(q.g.count, u, true)
	b.start(q.g.count, v, true)
	if u == v {
		return a.queue, nil
	}
	d, other, hops, back := a, b, q.along, q.against
	for len(a.frontier()) > 0 && len(b.frontier()) > 0 && a.depth+b.depth < most {
		patience := 1
		if uint64(len(a.queue))*uint64(len(b.queue)) > 16*uint64(q.g.count) {
			patience = 8
		}
		if len(d.frontier()) > patience*len(other.frontier()) {
			d, other, hops, back = other, d, back, hops
		}
		if err := q.expand(d, hops, back); err != nil {
			return nil, err
		}
		if m := other.common(d.frontier(), q.met[:0]); len(m) > 0 {
			q.met = m
			return m, nil
		}
	}
	return nil, nil
}

// common appends the nodes of list that d has found.
func (d *side) common(list, to []uint32) []uint32 {
	visited := d.visited
	for _, u := range list {
		if visited[u>>6]>>(u&63)&1 != 0 {
			to = append(to, u)
		}
	}
	return to
}

// unroller turns the levels of two searches that have met into paths.
//
// A path is a way from a node where they met: first back to the start along falling levels
// of the first side, then on to the end along falling levels of the other. Step i of it has
// its choices in arcs from begin[i] on, and takes choice at[i].
type unroller struct {
	*search
	all   bool
	meets []uint32 // not yet unrolled, the current one first
	path  Path

	begun bool
	list  arcList
	begin []int
	at    []int
}

// steps returns the length of the paths, and how many steps go back to the start.
func (s *unroller) steps() (back, total int) {
	back = int(s.sides[0].depth)
	return back, back + int(s.sides[1].depth)
}

// hopsOf returns the hops of step i.
func (s *unroller) hopsOf(i int) []hop {
	if i < int(s.sides[0].depth) {
		return s.against
	}
	return s.along
}

// next makes the next path s.path and reports whether there is one.
func (s *unroller) next() (bool, error) {
	back, total := s.steps()
	if s.begun {
		if !s.all || !s.advance() {
			return false, nil
		}
	}
	s.begun = true
	for len(s.at) < total {
		if err := s.descend(back); err != nil {
			return false, err
		}
		if s.begin[len(s.at)-1] == len(s.list.arcs) {
			// The levels promise a choice; a filter that changes its mind breaks the promise.
			if !s.advance() {
				return false, nil
			}
		}
	}
	return true, s.build(back, total)
}

// advance goes to the next choice of the last step that has one, or to the next node where
// the sides met, and reports whether there is one.
func (s *unroller) advance() bool {
	for n := len(s.at); n > 0; n-- {
		if s.at[n-1]++; s.at[n-1] < len(s.list.arcs) {
			s.at = s.at[:n]
			return true
		}
		s.list.arcs = s.list.arcs[:s.begin[n-1]]
		s.at, s.begin = s.at[:n-1], s.begin[:n-1]
	}
	if len(s.meets) <= 1 {
		return false
	}
	s.meets = s.meets[1:]
	return true
}

// descend opens the choices of the next step and takes the first.
func (s *unroller) descend(back int) error {
	i := len(s.at)
	u := s.meets[0]
	if i != 0 && i != back {
		u = s.list.arcs[s.at[i-1]].node
	}
	side, level := &s.sides[1], uint32(0)
	if i < back {
		side = &s.sides[0]
		level = uint32(back - i - 1)
	} else {
		level = s.sides[1].depth - uint32(i-back) - 1
	}
	start := len(s.list.arcs)
	s.begin, s.at = append(s.begin, start), append(s.at, start)
	hops := s.hopsOf(i)
	for j := range hops {
		from := len(s.list.arcs)
		s.list.addAt(hops, j, u, side, level, !s.all && s.opt.Edges == nil)
		if err := s.filterEdges(&s.list, hops, from); err != nil {
			return err
		}
		if !s.all && len(s.list.arcs) > from {
			break
		}
	}
	return nil
}

// addAt is add for the arcs that lead to nodes that d has found at level; one says to
// stop at the first.
func (l *arcList) addAt(hops []hop, i int, u uint32, d *side, level uint32, one bool) {
	h := &hops[i]
	lo, neighbors, edges := h.edges(u)
	for j, v := range neighbors {
		if v += h.to; !d.at(v, level) {
			continue
		}
		at := lo + uint32(j)
		if edges != nil {
			at = edges[j]
		}
		id := h.id(at)
		if h.holes != nil && !h.holes.vis.Visible(id) {
			continue
		}
		l.arcs = append(l.arcs, arc{v, uint32(i), id})
		if one {
			return
		}
	}
}

// build makes s.path of the choices.
func (s *unroller) build(back, total int) error {
	p, g := &s.path, s.g
	if cap(p.Nodes) <= total {
		p.Nodes, p.Edges = make([]Node, total+1), make([]Edge, total)
	}
	p.Nodes, p.Edges = p.Nodes[:total+1], p.Edges[:total]
	p.Nodes[back] = g.node(s.meets[0])
	for i, at := range s.at {
		a, hops := s.list.arcs[at], s.hopsOf(i)
		if i < back {
			p.Nodes[back-1-i] = hops[a.hop].node(g, a.node)
			p.Edges[back-1-i] = edgeOf(hops, a, true)
		} else {
			p.Nodes[i+1] = hops[a.hop].node(g, a.node)
			p.Edges[i] = edgeOf(hops, a, false)
		}
	}
	return s.weights.path(p)
}
