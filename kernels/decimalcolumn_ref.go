package kernels

import "math/big"

// decimalRef returns the unscaled value of field and true if it is a decimal as
// ParseDecimal64Column takes it. It is the definition of that and of
// ParseDecimal32Column.
func decimalRef(field []byte, precision, scale int) (int64, bool) {
	if _, ok := numberRef(field, false); !ok {
		return 0, false
	}
	v, ok := unscaledRef(field, precision, scale)
	if !ok {
		return 0, false
	}
	return v.Int64(), true
}

// decimal128Ref is the definition of ParseDecimal128Column.
func decimal128Ref(field []byte, precision, scale int) (*big.Int, bool) {
	digits, point := 0, 0
	for i, c := range field {
		switch {
		case isDigit(c):
			digits++
		case c == '.':
			point++
		case i > 0 || !isSign(c):
			return nil, false
		}
	}
	if len(field) > maxDecimalLength || digits == 0 || point > 1 {
		return nil, false
	}
	return unscaledRef(field, precision, scale)
}

// unscaledRef returns field * 10**scale rounded half away from zero and whether its
// magnitude is below 10**precision.
func unscaledRef(field []byte, precision, scale int) (*big.Int, bool) {
	x, ok := new(big.Rat).SetString(string(field))
	if !ok {
		return nil, false
	}
	ten := big.NewInt(10)
	power := func(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }
	x.Mul(x, new(big.Rat).SetInt(power(scale)))
	// |x| rounded half up is floor(|x| + 1/2).
	magnitude := new(big.Rat).Abs(x)
	magnitude.Add(magnitude, big.NewRat(1, 2))
	v := new(big.Int).Quo(magnitude.Num(), magnitude.Denom())
	if v.Cmp(power(precision)) >= 0 {
		return nil, false
	}
	if x.Sign() < 0 {
		v.Neg(v)
	}
	return v, true
}
