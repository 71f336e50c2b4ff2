package sql

import (
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// extreme is min and max: of every group the value that is the extreme so far.
type extreme struct {
	a    *aggregate
	best []columnar.Value // Null: none yet
	size int64
}

// put makes v the extreme of a group if it is beyond the one there is.
func (e *extreme) put(group uint32, v columnar.Value) {
	b := &e.best[group]
	if !b.Null {
		c := columnar.CompareValues(v, *b)
		if c == 0 || (c > 0) != e.a.largest {
			return
		}
	}
	e.size += int64(len(v.S) - len(b.S))
	*b = v
}

func (e *extreme) extend(n int) {
	for len(e.best) < n {
		e.best = append(e.best, columnar.Value{Type: e.a.result, Null: true})
	}
}

func (e *extreme) add(in *aggInput, groups []uint32, n int) {
	e.extend(n)
	if groups == nil && e.kernel(in) {
		return
	}
	if e.ints(in, groups) {
		return
	}
	from := in.vec()
	in.each(func(i int) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		// The value is only made if it can be the extreme.
		if b := &e.best[g]; !b.Null {
			c := expr.CompareValue(from, i, *b)
			if c == 0 || (c > 0) != e.a.largest {
				return
			}
		}
		v := from.Value(i)
		v.Type = e.a.result
		e.put(g, v)
	})
}

// ints is add for integers and times; false for other types.
func (e *extreme) ints(in *aggInput, groups []uint32) bool {
	if expr.FormOf(e.a.typ) != expr.Ints {
		return false
	}
	from, at := in.vec(), -1
	if from.Const {
		at = 0
	}
	in.each(func(i int) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		v := from.I[i&at]
		if b := &e.best[g]; b.Null || (v > b.I) == e.a.largest && v != b.I {
			b.Null, b.I = false, v
		}
	})
	return true
}

// kernel is add of a stored column to the one group there is; false if there is no
// kernel for it.
func (e *extreme) kernel(in *aggInput) bool {
	if in.stored == nil {
		return false
	}
	v := columnar.Value{Type: e.a.result}
	pick := func(lo, hi int64) int64 {
		if e.a.largest {
			return hi
		}
		return lo
	}
	ok := false
	switch e.a.typ.Kind {
	case columnar.Int2:
		lo, hi, any := kernels.MinMaxInt16(in.stored.Int16s(), in.want)
		v.I, ok = pick(int64(lo), int64(hi)), any
	case columnar.Int4, columnar.Date:
		lo, hi, any := kernels.MinMaxInt32(in.stored.Int32s(), in.want)
		v.I, ok = pick(int64(lo), int64(hi)), any
	case columnar.Int8, columnar.Time, columnar.Timestamp, columnar.TimestampTZ:
		lo, hi, any := kernels.MinMaxInt64(in.stored.Int64s(), in.want)
		v.I, ok = pick(lo, hi), any
	case columnar.Float8:
		lo, hi, any, nan := kernels.MinMaxFloat64(in.stored.Float64s(), in.want)
		v.F, ok = floatExtreme(lo, hi, any, nan, e.a.largest)
	default:
		return false
	}
	if ok {
		e.put(0, v)
	}
	return true
}

// floatExtreme returns min or max of values of which NaN is the greatest.
func floatExtreme(lo, hi float64, any, nan, largest bool) (v float64, ok bool) {
	switch {
	case nan && (largest || !any):
		return math.NaN(), true
	case largest:
		return hi, any
	}
	return lo, any
}

func (e *extreme) merge(from aggregator, to []uint32, n int) {
	e.extend(n)
	for i, v := range from.(*extreme).best {
		if !v.Null {
			e.put(to[i], v)
		}
	}
}

func (e *extreme) result(n int) (*expr.Vec, error) {
	e.extend(n)
	return expr.VecOf(e.a.result, e.best[:n]), nil
}

func (e *extreme) bytes() int64 { return 72*int64(len(e.best)) + e.size }
