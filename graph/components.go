package graph

import (
	"context"
	"sync/atomic"
)

// NoComponent is the component of a row that is no node: deleted, or filtered away.
const NoComponent = ^uint32(0)

// Components is which nodes hang together.
type Components struct {
	Count int        // of components
	Of    [][]uint32 // Of[t][row] is the component of a row of node table t: 0 to Count-1, or NoComponent
}

// Components returns the connected components: nodes are connected by edges whatever
// their direction, so Options.Direction has no say. Components are numbered by their first
// node in the order of tables and rows. It takes 8 bytes for each row of the node tables.
func (g *Graph) Components(ctx context.Context, opt *Options) (c *Components, err error) {
	q, err := g.open(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer func() { q.release(err) }()
	nodes, err := q.admitted()
	if err != nil {
		return nil, err
	}
	parent := make([]uint32, g.count)
	for u := range parent {
		parent[u] = uint32(u)
	}
	hops := g.hops[Forward]
	for i := range hops {
		to := hops[i].to
		err = q.scan(hops, i, func(u uint32, list []uint32) {
			if !inSet(nodes, u) {
				return
			}
			for _, v := range list {
				if v += to; inSet(nodes, v) {
					link(parent, u, v)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return g.label(nodes, parent), nil
}

// label numbers the trees of a forest in which a root is the least node of its tree.
func (g *Graph) label(nodes []uint64, parent []uint32) *Components {
	c := &Components{Of: make([][]uint32, len(g.nodes))}
	for t := range g.nodes {
		s := &g.nodes[t]
		of := make([]uint32, s.rows)
		for row := range of {
			u := s.first + uint32(row)
			switch p := parent[u]; {
			case !inSet(nodes, u):
				of[row] = NoComponent
			case p == u:
				of[row] = uint32(c.Count)
				parent[u] = of[row] // from here on the label; a parent is less than its child, so it is labelled before
				c.Count++
			default:
				of[row] = parent[p]
				parent[u] = of[row]
			}
		}
		c.Of[t] = of
	}
	return c
}

// link joins the trees of u and v: the root with the larger number goes below the other, so
// a node's parent is never larger than it and a root is the least node of its tree. Safe
// for concurrent use.
func link(parent []uint32, u, v uint32) {
	for {
		u, v = root(parent, u), root(parent, v)
		if u == v {
			return
		}
		if u < v {
			u, v = v, u
		}
		if atomic.CompareAndSwapUint32(&parent[u], u, v) {
			return
		}
	}
}

// root returns the root of u's tree and halves the way there.
func root(parent []uint32, u uint32) uint32 {
	for {
		p := atomic.LoadUint32(&parent[u])
		if p == u {
			return u
		}
		up := atomic.LoadUint32(&parent[p])
		if up == p {
			return p
		}
		atomic.CompareAndSwapUint32(&parent[u], p, up)
		u = up
	}
}
