package graph

import (
	"context"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// costs is the memory of a weighted search. dist and the level of its side, which has
// the node each node was reached from, are defined where the side's visited is set.
type costs struct {
	dist []float64
	heap []cost
}

// cost is a node and what the cheapest way to it that was known at some time costs.
type cost struct {
	dist float64
	node uint32
}

// WeightedShortestPath returns a path from one node to another whose edges weigh as little in
// sum as those of any; found is false if there is no path. The path is the caller's.
//
// Options.Weight names the column of weights, which are added as float64. A negative weight
// that the search meets is an error (22003), and so is a null or NaN one (22023).
func (g *Graph) WeightedShortestPath(ctx context.Context, from, to Node, opt *Options) (p Path, found bool, err error) {
	if opt == nil || opt.Weight == "" {
		return p, false, pgerr.New(pgerr.InvalidParameterValue, "graph: a weighted search needs a column of weights")
	}
	q, err := g.open(ctx, opt)
	if err != nil {
		return p, false, err
	}
	defer func() { q.release(err) }()
	err = mmap.Guard(func() error {
		u, v, ok, err := q.ends(from, to)
		if err != nil || !ok {
			return err
		}
		if found, err = q.cheapest(u, v); err != nil || !found {
			return err
		}
		return q.cheapestPath(&p, v)
	})
	if err != nil {
		return Path{}, false, err
	}
	return p, found, nil
}

// errChanged is the error for a filter that breaks its promise where a search finds it out.
var errChanged = pgerr.New(pgerr.InvalidParameterValue, "graph: a filter on edges gave another answer than before")

// cheapest is Dijkstra's algorithm from u until v is settled.
func (q *search) cheapest(u, v uint32) (bool, error) {
	d, c, l := &q.sides[0], &q.costs, q.list(0)
	d.start(q.g.count, u, true)
	if uint64(len(c.dist)) < uint64(q.g.count) {
		c.dist = make([]float64, q.g.count)
	}
	c.dist[u], d.level[u] = 0, u
	c.heap = append(c.heap[:0], cost{0, u})
	for steps := 0; len(c.heap) > 0; steps++ {
		if steps%filterBatch == 0 {
			if err := q.ctx.Err(); err != nil {
				return false, err
			}
		}
		at := c.pop()
		if at.node == v {
			return true, nil
		}
		if at.dist > c.dist[at.node] {
			continue // a cheaper way was found later and is done
		}
		l.arcs = l.arcs[:0]
		if err := q.loadPaths(l, q.along, at.node); err != nil {
			return false, err
		}
		weights, err := q.weights.of(q.along, l.arcs)
		if err != nil {
			return false, err
		}
		for i, a := range l.arcs {
			if weights[i] < 0 {
				return false, q.weights.errNegative(q.along[a.hop].rel, a.edge, weights[i])
			}
			dist := at.dist + weights[i]
			if d.has(a.node) {
				if dist >= c.dist[a.node] {
					continue
				}
			} else {
				d.visited[a.node>>6] |= 1 << (a.node & 63)
				d.queue = append(d.queue, a.node)
			}
			c.dist[a.node], d.level[a.node] = dist, at.node
			c.push(cost{dist, a.node})
		}
	}
	return false, nil
}

// cheapestPath makes p the path to v that cheapest has found.
func (q *search) cheapestPath(p *Path, v uint32) error {
	d, c, l := &q.sides[0], &q.costs, q.list(0)
	p.Weight = c.dist[v]
	p.Nodes = append(p.Nodes, q.g.node(v))
	for u := d.level[v]; u != v; v, u = u, d.level[u] {
		l.arcs = l.arcs[:0]
		if err := q.load(l, q.along, u); err != nil {
			return err
		}
		weights, err := q.weights.of(q.along, l.arcs)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(l.arcs, func(a arc) bool { return a.node == v })
		if i < 0 {
			return errChanged
		}
		for j := i + 1; j < len(l.arcs); j++ {
			if l.arcs[j].node == v && weights[j] < weights[i] {
				i = j
			}
		}
		p.Nodes = append(p.Nodes, q.g.node(u))
		p.Edges = append(p.Edges, edgeOf(q.along, l.arcs[i], false))
	}
	slices.Reverse(p.Nodes)
	slices.Reverse(p.Edges)
	return nil
}

// push adds x to the heap.
func (c *costs) push(x cost) {
	h := append(c.heap, x)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / heapWidth
		if h[up].dist <= x.dist {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = x
	c.heap = h
}

// heapWidth is the number of children of an entry of the heap: those of one share a cache
// line.
const heapWidth = 4

// pop removes the entry with the least distance.
func (c *costs) pop() cost {
	h := c.heap
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	c.heap = h
	i := 0
	for {
		least := heapWidth*i + 1
		if least >= len(h) {
			break
		}
		for j := least + 1; j < min(len(h), heapWidth*i+1+heapWidth); j++ {
			if h[j].dist < h[least].dist {
				least = j
			}
		}
		if h[least].dist >= x.dist {
			break
		}
		h[i] = h[least]
		i = least
	}
	if len(h) > 0 {
		h[i] = x
	}
	return top
}
