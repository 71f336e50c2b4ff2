package graph

import (
	"math"
	"strconv"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// weigher reads the weights of edges. It is used by one goroutine at a time, inside a Guard.
type weigher struct {
	q      *search
	column []int // position of the weight column, by rel table
	groups map[groupName]*groupWeights
	ids    []visibility.RowID
	out    []float64
}

// groupName is a row group of a rel table.
type groupName struct {
	rel   int
	group uint64
}

// groupWeights is the weights of one row group: views of the store, ascending and apart.
// A group that deletes have cut into more than maxViews pieces has none and is read row
// by row.
type groupWeights struct {
	views []view
}

type view struct {
	first visibility.RowID
	vec   columnar.Vec
}

const maxViews = 64

// weigher returns what reads the weights that the search asked for; nil if it did not.
func (q *search) weigher() (*weigher, error) {
	if q.opt.Weight == "" {
		return nil, nil
	}
	w := &weigher{q: q, groups: map[groupName]*groupWeights{}}
	for i := range q.g.rels {
		s := q.g.rels[i].table.Schema()
		c := s.Lookup(q.opt.Weight)
		if c < 0 {
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", q.opt.Weight, s.Name)
		}
		if s.Rel != nil && c < 2 { // row ids of its ends
			return nil, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" of relation \"%s\" is an end of its edges, which is no weight", q.opt.Weight, s.Name).
				WithHint("A weight is a number.")
		}
		if t := s.Columns[c].Type; !numeric(t) {
			return nil, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" of relation \"%s\" is of type %s, which is no weight", q.opt.Weight, s.Name, t.Name()).
				WithHint("A weight is a number.")
		}
		w.column = append(w.column, c)
	}
	return w, nil
}

// numeric reports whether values of t are numbers.
func numeric(t columnar.Type) bool {
	switch t.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8, columnar.Float4, columnar.Float8, columnar.Decimal, columnar.Numeric:
		return !t.Array
	}
	return false
}

// of returns the weights of arcs. The slice is the weigher's until the next call.
func (w *weigher) of(hops []hop, arcs []arc) ([]float64, error) {
	w.out = w.out[:0]
	for _, a := range arcs {
		x, err := w.weight(hops[a.hop].rel, a.edge)
		if err != nil {
			return nil, err
		}
		w.out = append(w.out, x)
	}
	return w.out, nil
}

// path stores the weight of p. A nil weigher stores 0.
func (w *weigher) path(p *Path) error {
	p.Weight = 0
	if w == nil {
		return nil
	}
	for _, e := range p.Edges {
		x, err := w.weight(e.Rel, e.Row)
		if err != nil {
			return err
		}
		p.Weight += x
	}
	return nil
}

// weight returns the weight of an edge, which must be visible. An edge that has none, or NaN,
// is an error (22023).
func (w *weigher) weight(rel int, id visibility.RowID) (x float64, err error) {
	g := w.groups[groupName{rel, id.Group()}]
	if g == nil {
		if g, err = w.open(rel, id.Group()); err != nil {
			return 0, err
		}
	}
	if x, ok := g.at(id); ok {
		return w.usable(rel, id, x)
	}
	w.ids = append(w.ids[:0], id)
	err = w.q.g.rels[rel].table.Fetch(w.ids, []int{w.column[rel]}, func(_ int, cols []columnar.Vec) error {
		x = number(&cols[0], 0)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return w.usable(rel, id, x)
}

// usable returns x, or an error if it is no number.
func (w *weigher) usable(rel int, id visibility.RowID, x float64) (float64, error) {
	if math.IsNaN(x) {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "edge %d of relation \"%s\" has no weight", id, w.q.g.rels[rel].table.Schema().Name).
			WithDetail("Column \"%s\" is null or not a number.", w.q.opt.Weight)
	}
	return x, nil
}

// open finds the views of a row group.
func (w *weigher) open(rel int, group uint64) (*groupWeights, error) {
	g := &groupWeights{}
	w.groups[groupName{rel, group}] = g
	opt := columnar.ScanOptions{Columns: []int{w.column[rel]}, FirstGroup: int(group), GroupCount: 1, BatchRows: visibility.GroupRows}
	for b, err := range w.q.g.rels[rel].table.Scan(w.q.ctx, opt) {
		if err != nil {
			return nil, err
		}
		if len(g.views) == maxViews {
			g.views = nil
			break
		}
		// The columns of a batch without Copy lie in the store, which the graph's snapshot
		// holds: the slice outlives the step of the scan, the Batch does not.
		g.views = append(g.views, view{b.First, b.Cols[0]})
	}
	return g, nil
}

// at returns the weight of an edge, NaN for a null; ok is false if no view has it.
func (g *groupWeights) at(id visibility.RowID) (x float64, ok bool) {
	a, b := 0, len(g.views)
	for a < b {
		if m := int(uint(a+b) >> 1); g.views[m].first <= id {
			a = m + 1
		} else {
			b = m
		}
	}
	if a == 0 {
		return 0, false
	}
	v := &g.views[a-1]
	i := uint64(id - v.first)
	if i >= uint64(v.vec.Len()) {
		return 0, false
	}
	return number(&v.vec, int(i)), true
}

// number returns row i of a numeric column as a float64; NaN for null.
func number(v *columnar.Vec, i int) float64 {
	if v.IsNull(i) {
		return math.NaN()
	}
	switch v.Type().Kind {
	case columnar.Int2:
		return float64(v.Int16s()[i])
	case columnar.Int4:
		return float64(v.Int32s()[i])
	case columnar.Int8:
		return float64(v.Int64s()[i])
	case columnar.Float4:
		return float64(v.Float32s()[i])
	case columnar.Float8:
		return v.Float64s()[i]
	case columnar.Decimal:
		hi, lo, nan := v.Decimal(i)
		if nan {
			return math.NaN()
		}
		return (math.Ldexp(float64(hi), 64) + float64(lo)) / math.Pow10(int(v.Type().Scale))
	}
	x, err := strconv.ParseFloat(string(v.Bytes(i)), 64)
	if err != nil && !math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// errNegative refuses an edge that would make a path cheaper.
func (w *weigher) errNegative(rel int, id visibility.RowID, x float64) error {
	return pgerr.New(pgerr.NumericValueOutOfRange, "edge %d of relation \"%s\" has the negative weight %v", id,
		w.q.g.rels[rel].table.Schema().Name, x)
}
