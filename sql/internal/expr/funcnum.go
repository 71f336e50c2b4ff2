package expr

import (
	"math"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/internal/num"
)

var int2Type = columnar.Type{Kind: columnar.Int2}

// numberFunctions are the functions on numbers.
var numberFunctions = map[string][]signature{
	"abs": {
		{args: types(int2Type), result: int2Type, fn: plain(absInt(int2Type))},
		{args: types(int4Type), result: int4Type, fn: plain(absInt(int4Type))},
		{args: types(int8Type), result: int8Type, fn: plain(absInt(int8Type))},
		{args: types(numericType), result: numericType, fn: numeric(num.Num.Abs)},
		{args: types(float4Type), result: float4Type, fn: float(math.Abs)},
		{args: types(float8Type), result: float8Type, fn: float(math.Abs)},
	},
	"round": {
		{args: types(float8Type), result: float8Type, fn: float(math.RoundToEven)},
		{args: types(numericType), result: numericType, fn: numeric(func(n num.Num) num.Num { return n.Round(0) })},
		{args: types(numericType, int4Type), result: numericType, fn: plain(func(out result, a args) error {
			out.setNum(a.num(0).Round(int32(a.int(1))))
			return nil
		})},
	},
	"trunc": {
		{args: types(float8Type), result: float8Type, fn: float(math.Trunc)},
		{args: types(numericType), result: numericType, fn: numeric(func(n num.Num) num.Num { return n.Trunc(0) })},
		{args: types(numericType, int4Type), result: numericType, fn: plain(func(out result, a args) error {
			out.setNum(a.num(0).Trunc(int32(a.int(1))))
			return nil
		})},
	},
	"floor":   floors,
	"ceil":    ceils,
	"ceiling": ceils,
	"sign": {
		{args: types(float8Type), result: float8Type, fn: float(func(f float64) float64 {
			switch {
			case f > 0:
				return 1
			case f < 0:
				return -1
			}
			return 0
		})},
		{args: types(numericType), result: numericType, fn: numeric(func(n num.Num) num.Num {
			if n.IsNaN() {
				return n
			}
			return num.Int(int64(n.Sign()))
		})},
	},
	"mod": {
		{args: types(int2Type, int2Type), result: int2Type, fn: plain(modInt)},
		{args: types(int4Type, int4Type), result: int4Type, fn: plain(modInt)},
		{args: types(int8Type, int8Type), result: int8Type, fn: plain(modInt)},
		{args: types(numericType, numericType), result: numericType, fn: plain(numericOperator('%'))},
	},
	"div": {{args: types(numericType, numericType), result: numericType, fn: plain(func(out result, a args) error {
		q, ok := num.Div(a.num(0), a.num(1))
		if !ok {
			return divisionByZero()
		}
		// The rounded quotient can be one too large; the remainder tells.
		r, _ := num.Mod(a.num(0), a.num(1))
		if q.IsFinite() {
			q, _ = num.Div(num.Sub(a.num(0), r), a.num(1))
		}
		out.setNum(q.Trunc(0))
		return nil
	})}},
	"sqrt": {{args: types(float8Type), result: float8Type, fn: plain(func(out result, a args) error {
		if a.float(0) < 0 {
			return pgerr.New("2201F", "cannot take square root of a negative number")
		}
		out.setFloat(math.Sqrt(a.float(0)))
		return nil
	})}},
	"power": {{args: types(float8Type, float8Type), result: float8Type, fn: plain(func(out result, a args) error {
		return power(out, a.float(0), a.float(1))
	})}},
	"exp": {{args: types(float8Type), result: float8Type, fn: plain(func(out result, a args) error {
		x := a.float(0)
		v, err := checkFloat(math.Exp(x), float8Type, math.IsInf(x, 0), math.IsInf(x, 0))
		out.setFloat(v)
		return err
	})}},
	"ln":    {{args: types(float8Type), result: float8Type, fn: plain(logarithm(math.Log))}},
	"log":   {{args: types(float8Type), result: float8Type, fn: plain(logarithm(math.Log10))}},
	"log10": {{args: types(float8Type), result: float8Type, fn: plain(logarithm(math.Log10))}},
	"pi":    {{result: float8Type, fn: plain(func(out result, _ args) error { out.setFloat(math.Pi); return nil })}},
}

var floors = []signature{
	{args: types(float8Type), result: float8Type, fn: float(math.Floor)},
	{args: types(numericType), result: numericType, fn: numeric(num.Num.Floor)},
}

var ceils = []signature{
	{args: types(float8Type), result: float8Type, fn: float(math.Ceil)},
	{args: types(numericType), result: numericType, fn: numeric(num.Num.Ceil)},
}

// float makes a function of one on floats.
func float(fn func(float64) float64) func(*Scope) function {
	return plain(func(out result, a args) error { out.setFloat(fn(a.float(0))); return nil })
}

// numeric makes a function of one on numerics.
func numeric(fn func(num.Num) num.Num) func(*Scope) function {
	return plain(func(out result, a args) error { out.setNum(fn(a.num(0))); return nil })
}

func absInt(t columnar.Type) function {
	return func(out result, a args) error {
		v := a.int(0)
		if lo, _ := intRange(t); v == lo {
			return outOfRange(t)
		}
		out.setInt(max(v, -v))
		return nil
	}
}

func modInt(out result, a args) error {
	switch a.int(1) {
	case 0:
		return divisionByZero()
	case -1:
		out.setInt(0)
	default:
		out.setInt(a.int(0) % a.int(1))
	}
	return nil
}

func logarithm(fn func(float64) float64) function {
	return func(out result, a args) error {
		switch x := a.float(0); {
		case x == 0:
			return pgerr.New("2201E", "cannot take logarithm of zero")
		case x < 0:
			return pgerr.New("2201E", "cannot take logarithm of a negative number")
		default:
			out.setFloat(fn(x))
			return nil
		}
	}
}
