package num

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// Cmp orders x and y: -Infinity, the numbers, Infinity, NaN. Trailing zeros do not count.
func Cmp(x, y Num) int {
	if x.kind != finite || y.kind != finite {
		return cmp.Compare(x.kind, y.kind)
	}
	if x.scale == y.scale && x.big == nil && y.big == nil {
		return cmp.Compare(x.c, y.c)
	}
	x, y = align(x, y)
	if x.big == nil && y.big == nil {
		return cmp.Compare(x.c, y.c)
	}
	return x.coef().Cmp(y.coef())
}

// align returns x and y with the larger of their scales.
func align(x, y Num) (Num, Num) {
	if x.scale < y.scale {
		return x.rescale(y.scale), y
	}
	return x, y.rescale(x.scale)
}

// Neg returns -x.
func (x Num) Neg() Num {
	switch {
	case x.kind == nan:
		return x
	case x.kind == posInf:
		return NegInf
	case x.kind == negInf:
		return Inf
	case x.big != nil || x.c == math.MinInt64:
		return fromBig(new(big.Int).Neg(x.coef()), x.scale)
	}
	return Num{c: -x.c, scale: x.scale}
}

// Abs returns the magnitude of x.
func (x Num) Abs() Num {
	if x.Sign() < 0 {
		return x.Neg()
	}
	return x
}

// Add returns x + y.
func Add(x, y Num) Num {
	if x.kind != finite || y.kind != finite {
		return addSpecial(x, y)
	}
	x, y = align(x, y)
	if x.big == nil && y.big == nil {
		if s := x.c + y.c; (s > x.c) == (y.c > 0) {
			return Num{c: s, scale: x.scale}
		}
	}
	return fromBig(new(big.Int).Add(x.coef(), y.coef()), x.scale)
}

func addSpecial(x, y Num) Num {
	switch {
	case x.kind == nan || y.kind == nan, x.kind != finite && y.kind != finite && x.kind != y.kind:
		return NaN
	case x.kind != finite:
		return x
	}
	return y
}

// Sub returns x - y.
func Sub(x, y Num) Num { return Add(x, y.Neg()) }

// Mul returns x * y.
func Mul(x, y Num) Num {
	if x.kind != finite || y.kind != finite {
		return mulSpecial(x, y)
	}
	scale := x.scale + y.scale
	if x.big == nil && y.big == nil {
		hi, lo := bits.Mul64(absU(x.c), absU(y.c))
		if hi == 0 && lo <= math.MaxInt64 {
			v := int64(lo)
			if (x.c < 0) != (y.c < 0) {
				v = -v
			}
			return Num{c: v, scale: scale}.atMost(MaxScale)
		}
	}
	return fromBig(new(big.Int).Mul(x.coef(), y.coef()), scale).atMost(MaxScale)
}

// atMost returns x rounded to scale if it has more.
func (x Num) atMost(scale int32) Num {
	if x.scale > scale {
		return x.Round(scale)
	}
	return x
}

func mulSpecial(x, y Num) Num {
	s := x.Sign() * y.Sign()
	switch {
	case x.kind == nan || y.kind == nan || s == 0:
		return NaN
	case s > 0:
		return Inf
	}
	return NegInf
}

// The bounds of a quotient's scale.
const (
	minSignificant  = 16
	maxDisplayScale = 1000
	groupDigits     = 4 // PostgreSQL computes with groups of four digits
)

// Div returns x / y with the scale that PostgreSQL gives a quotient. ok is false for a
// division by zero.
func Div(x, y Num) (q Num, ok bool) {
	switch {
	case x.kind == nan || y.kind == nan:
		return NaN, true
	case y.kind == finite && y.Sign() == 0:
		return Num{}, false
	case x.kind != finite && y.kind != finite:
		return NaN, true
	case x.kind != finite:
		return mulSpecial(x, Num{c: int64(y.Sign())}), true
	case y.kind != finite:
		return Num{}, true
	}
	scale := divScale(x, y)
	// coefficient = x.coef * 10^(scale - x.scale + y.scale) / y.coef
	n, d := new(big.Int).Set(x.coef()), new(big.Int).Set(y.coef())
	if shift := scale - x.scale + y.scale; shift >= 0 {
		n.Mul(n, pow10(shift))
	} else {
		d.Mul(d, pow10(-shift))
	}
	return fromBig(divRound(n, d), scale), true
}

// divRound returns n/d rounded half away from zero.
func divRound(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Abs(r).Lsh(r, 1).CmpAbs(d) >= 0 {
		if (n.Sign() < 0) != (d.Sign() < 0) {
			return q.Sub(q, big.NewInt(1))
		}
		return q.Add(q, big.NewInt(1))
	}
	return q
}

// divScale returns the scale of a quotient: at least 16 significant digits, by groups of
// four, and not less than either operand has.
func divScale(x, y Num) int32 {
	xw, xd := x.leading()
	yw, yd := y.leading()
	w := xw - yw
	if xd <= yd {
		w--
	}
	return min(max(minSignificant-w*groupDigits, x.scale, y.scale, 0), maxDisplayScale)
}

// leading returns the place of the first group of four digits that is not zero, counted
// from the point, and its value.
func (x Num) leading() (weight, group int32) {
	if x.Sign() == 0 {
		return 0, 0
	}
	text := x.Abs().AppendText(nil)
	point := len(text)
	for i, c := range text {
		if c == '.' {
			point = i
			break
		}
	}
	first := 0
	for text[first] == '0' || text[first] == '.' {
		first++
	}
	place := int32(point - 1 - first) // power of ten of the first digit
	if first > point {
		place++
	}
	weight = place / groupDigits
	if place < 0 {
		weight = -((-place + groupDigits - 1) / groupDigits)
	}
	// The group holds the digits from the first one down to power 4*weight.
	for p := place; p >= weight*groupDigits; p-- {
		group *= 10
		if first < len(text) && text[first] == '.' {
			first++
		}
		if first < len(text) {
			group += int32(text[first] - '0')
			first++
		}
	}
	return weight, group
}

// Mod returns the remainder of x / y with the sign of x. ok is false for y = 0.
func Mod(x, y Num) (r Num, ok bool) {
	switch {
	case x.kind == nan || y.kind == nan:
		return NaN, true
	case y.kind == finite && y.Sign() == 0:
		return Num{}, false
	case x.kind != finite:
		return NaN, true
	case y.kind != finite:
		return x, true
	}
	x, y = align(x, y)
	if x.big == nil && y.big == nil {
		if y.c == -1 {
			return Num{scale: x.scale}, true
		}
		return Num{c: x.c % y.c, scale: x.scale}, true
	}
	return fromBig(new(big.Int).Rem(x.coef(), y.coef()), x.scale), true
}

// Round returns x rounded to scale digits behind the point, half away from zero. A
// negative scale rounds before the point. The result shows max(scale, 0) digits.
func (x Num) Round(scale int32) Num { return x.cut(scale, divRound) }

// Trunc is Round towards zero.
func (x Num) Trunc(scale int32) Num {
	return x.cut(scale, func(n, d *big.Int) *big.Int { return new(big.Int).Quo(n, d) })
}

func (x Num) cut(scale int32, div func(n, d *big.Int) *big.Int) Num {
	if x.kind != finite {
		return x
	}
	scale = max(min(scale, MaxScale), -maxInt)
	if scale >= x.scale {
		return x.rescale(scale)
	}
	q := fromBig(div(x.coef(), pow10(x.scale-scale)), scale)
	if scale < 0 {
		q = q.rescale(0)
	}
	return q
}

// Floor returns the largest integer that is not above x.
func (x Num) Floor() Num {
	t := x.Trunc(0)
	if Cmp(t, x) > 0 {
		return Sub(t, Int(1))
	}
	return t
}

// Ceil returns the smallest integer that is not below x.
func (x Num) Ceil() Num {
	t := x.Trunc(0)
	if Cmp(t, x) < 0 {
		return Add(t, Int(1))
	}
	return t
}
