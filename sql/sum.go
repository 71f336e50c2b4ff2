package sql

import (
	"math"
	"math/bits"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/sql/internal/num"
	"github.com/ingotdb/ingot/visibility"
)

// int128 is a two's complement number.
type int128 struct {
	hi int64
	lo uint64
}

func (a *int128) add(hi int64, lo uint64) {
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi += hi + int64(carry)
}

// intSum is sum and avg of integers and of decimals that are stored in at most 64 bits.
type intSum struct {
	a    *aggregate
	sums []int128
	n    []int64
	nan  []bool
}

func (s *intSum) extend(n int) {
	s.sums, s.n, s.nan = extend(s.sums, n), extend(s.n, n), extend(s.nan, n)
}

func (s *intSum) add(in *aggInput, groups []uint32, n int) {
	s.extend(n)
	if in.stored != nil && in.stored.HasNaN() {
		s.addNaN(in, groups)
		return
	}
	if groups == nil {
		s.n[0] += in.count()
		s.sums[0].add(s.kernel(in))
		return
	}
	switch {
	case s.a.typ.Kind != columnar.Decimal && in.vec().Const:
		v := in.vec().I[0]
		in.each(func(i int) { s.put(groups[i], v) })
	case s.a.typ.Kind != columnar.Decimal:
		addInts(s, in, groups, in.vec().I)
	case s.a.typ.Width() == 4:
		addInts(s, in, groups, in.stored.Int32s())
	default:
		addInts(s, in, groups, in.stored.Int64s())
	}
}

func (s *intSum) put(g uint32, v int64) {
	s.sums[g].add(v>>63, uint64(v))
	s.n[g]++
}

// addInts adds values to their groups.
func addInts[T int32 | int64](s *intSum, in *aggInput, groups []uint32, v []T) {
	if in.want != nil {
		in.each(func(i int) { s.put(groups[i], int64(v[i])) })
		return
	}
	for i, x := range v[:len(groups)] {
		s.put(groups[i], int64(x))
	}
}

// kernel returns the sum of the values that count.
func (s *intSum) kernel(in *aggInput) (hi int64, lo uint64) {
	if in.stored == nil {
		v := in.vec()
		if !v.Const {
			return kernels.SumInt64(v.I[:in.rows], in.want)
		}
		n := in.count()
		h, l := bits.Mul64(uint64(v.I[0]), uint64(n))
		if hi = int64(h); v.I[0] < 0 {
			hi -= n
		}
		return hi, l
	}
	small := int64(0)
	switch in.stored.Type().Width() {
	case 2:
		small = kernels.SumInt16(in.stored.Int16s(), in.want)
	case 4:
		small = kernels.SumInt32(in.stored.Int32s(), in.want)
	default:
		return kernels.SumInt64(in.stored.Int64s(), in.want)
	}
	return small >> 63, uint64(small)
}

// addNaN is add for a decimal column with NaN in it.
func (s *intSum) addNaN(in *aggInput, groups []uint32) {
	in.each(func(i int) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		hi, lo, nan := in.stored.Decimal(i)
		s.sums[g].add(hi, lo)
		s.n[g]++
		s.nan[g] = s.nan[g] || nan
	})
}

func (s *intSum) merge(from aggregator, to []uint32, n int) {
	s.extend(n)
	f := from.(*intSum)
	for i, v := range f.sums {
		g := to[i]
		s.sums[g].add(v.hi, v.lo)
		s.n[g] += f.n[i]
		s.nan[g] = s.nan[g] || f.nan[i]
	}
}

func (s *intSum) result(n int) (*expr.Vec, error) {
	s.extend(n)
	values := make([]columnar.Value, n)
	for i := range values {
		values[i] = columnar.Value{Type: s.a.result, Null: s.n[i] == 0}
		v := s.sums[i]
		switch {
		case s.n[i] == 0:
		case s.a.result.Kind == columnar.Int8:
			if v.hi != int64(v.lo)>>63 {
				return nil, pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
			}
			values[i].I = int64(v.lo)
		default:
			sum := num.Scaled(v.hi, v.lo, int(s.a.typ.Scale))
			if s.nan[i] {
				sum = num.NaN
			}
			values[i].S = s.a.numeric(sum, s.n[i])
		}
	}
	return expr.VecOf(s.a.result, values), nil
}

// numeric returns the text of a sum, or of the average of n values.
func (a *aggregate) numeric(sum num.Num, n int64) string {
	if a.average {
		sum, _ = num.Div(sum, num.Int(n)) // n is not 0
	}
	return sum.String()
}

func (s *intSum) bytes() int64 { return 25 * int64(len(s.sums)) }

// numSum is sum and avg of numerics of any scale.
type numSum struct {
	a    *aggregate
	sums []num.Num
	n    []int64
}

func (s *numSum) add(in *aggInput, groups []uint32, n int) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	v, at := in.vec(), -1
	if v.Const {
		at = 0
	}
	in.each(func(i int) {
		g := uint32(0)
		if groups != nil {
			g = groups[i]
		}
		s.sums[g] = num.Add(s.sums[g], v.D[i&at])
		s.n[g]++
	})
}

func (s *numSum) merge(from aggregator, to []uint32, n int) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	f := from.(*numSum)
	for i, v := range f.sums {
		s.sums[to[i]] = num.Add(s.sums[to[i]], v)
		s.n[to[i]] += f.n[i]
	}
}

func (s *numSum) result(n int) (*expr.Vec, error) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	values := make([]columnar.Value, n)
	for i := range values {
		values[i] = columnar.Value{Type: s.a.result, Null: s.n[i] == 0}
		if s.n[i] > 0 {
			values[i].S = s.a.numeric(s.sums[i], s.n[i])
		}
	}
	return expr.VecOf(s.a.result, values), nil
}

func (s *numSum) bytes() int64 { return 40 * int64(len(s.sums)) }

// floatSum is sum and avg of floats.
//
// Without groups it is what kernels.SumFloat64 defines: eight lanes for each vector of
// 2,048 row ids, a row in the lane of its id, the lanes combined, the vectors added in row
// order. With groups the values of a row group are added in row order, and then the row
// groups.
type floatSum struct {
	a        *aggregate
	sums     []float64
	n        []int64
	lanes    [8]float64
	vector   int64     // whose lanes they are; -1 for none
	parts    []float64 // the vectors before it
	infinite bool      // a value was NaN or infinite, so an infinite sum is no overflow
}

func (s *floatSum) add(in *aggInput, groups []uint32, n int) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	from, at := in.vec(), -1
	if from.Const {
		at = 0
	}
	if groups == nil {
		s.n[0] += in.count()
		s.lanesOf(in, from.F, at)
		return
	}
	in.each(func(i int) {
		v, g := from.F[i&at], groups[i]
		s.infinite = s.infinite || v-v != 0
		s.sums[g] += v
		s.n[g]++
	})
}

// lanesOf adds the values f that count to the lanes of their vectors; at is 0 if there is
// one for all rows.
func (s *floatSum) lanesOf(in *aggInput, f []float64, at int) {
	if at == 0 || in.first&7 != 0 || int(in.first%visibility.VectorRows)+in.rows > visibility.VectorRows {
		in.each(func(i int) {
			id := in.first + visibility.RowID(i)
			s.enter(int64(id / visibility.VectorRows))
			s.lanes[id&7] += f[i&at]
		})
	} else {
		s.enter(int64(in.first / visibility.VectorRows))
		kernels.SumFloat64(&s.lanes, f[:in.rows], in.want)
	}
	for _, v := range s.lanes {
		if v-v != 0 && !s.infinite {
			in.each(func(i int) {
				x := f[i&at]
				s.infinite = s.infinite || x-x != 0
			})
		}
	}
}

// enter makes the lanes those of a vector.
func (s *floatSum) enter(vector int64) {
	if s.vector == vector {
		return
	}
	s.leave()
	s.vector = vector
}

// leave combines the lanes.
func (s *floatSum) leave() {
	if s.vector >= 0 {
		s.parts = append(s.parts, kernels.CombineLanes(&s.lanes))
	}
	s.lanes, s.vector = [8]float64{}, -1
}

func (s *floatSum) merge(from aggregator, to []uint32, n int) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	f := from.(*floatSum)
	f.leave()
	s.leave()
	s.parts = append(s.parts, f.parts...)
	s.infinite = s.infinite || f.infinite
	for i, v := range f.sums {
		s.sums[to[i]] += v
		s.n[to[i]] += f.n[i]
	}
}

func (s *floatSum) result(n int) (*expr.Vec, error) {
	s.sums, s.n = extend(s.sums, n), extend(s.n, n)
	s.leave()
	for _, v := range s.parts {
		s.sums[0] += v
	}
	s.parts = nil
	values := make([]columnar.Value, n)
	for i := range values {
		v := s.sums[i]
		if s.a.result.Kind == columnar.Float4 {
			v = float64(float32(v))
		}
		if math.IsInf(v, 0) && !s.infinite {
			return nil, pgerr.New(pgerr.NumericValueOutOfRange, "value out of range: overflow")
		}
		if s.a.average {
			v /= float64(s.n[i])
		}
		values[i] = columnar.Value{Type: s.a.result, Null: s.n[i] == 0, F: v}
	}
	return expr.VecOf(s.a.result, values), nil
}

func (s *floatSum) bytes() int64 { return 16*int64(len(s.sums)) + 8*int64(len(s.parts)) }
