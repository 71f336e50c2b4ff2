package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// encodedStats is the smallest and the largest value of a column chunk, as the footer has them;
// nil is not known.
type encodedStats struct {
	min, max           []byte
	minExact, maxExact bool
}

// boundBytes is the most that a bound of bytes has.
const boundBytes = 64

// statistics returns the bounds of the values. If coded is true those numbered in distinct are
// all the values that there are.
func (c *builder) statistics(distinct []int, coded bool) (s encodedStats) {
	if c.values == 0 {
		return s
	}
	switch {
	case c.phys == physBoolean:
		ones := kernels.PopCount(c.bools, c.values)
		return exact([]byte{flag01(ones == c.values)}, []byte{flag01(ones > 0)})
	case c.width == 4 || c.width == 8:
		return c.numberBounds()
	}
	n := c.values
	if coded {
		n = len(distinct)
	}
	var low, high []byte
	order := bytes.Compare
	if c.element.Kind == columnar.Decimal {
		order = compareSigned
	}
	for k := range n {
		i := k
		if coded {
			i = distinct[k]
		}
		v := c.value(i)
		if k == 0 || order(v, low) < 0 {
			low = v
		}
		if k == 0 || order(v, high) > 0 {
			high = v
		}
	}
	if c.width > 0 {
		return exact(bytes.Clone(low), bytes.Clone(high))
	}
	return c.byteBounds(low, high)
}

func exact(low, high []byte) encodedStats {
	return encodedStats{min: low, max: high, minExact: true, maxExact: true}
}

func flag01(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// compareSigned orders big-endian two's complements of one length.
func compareSigned(a, b []byte) int {
	if x, y := int8(a[0]), int8(b[0]); x>>7 != y>>7 {
		return int(x>>7) - int(y>>7)
	}
	return bytes.Compare(a, b)
}

// numberBounds is statistics for numbers of 4 and 8 bytes. Floats leave NaN out, and have no
// bounds if there is nothing else; a bound of zero has the sign that makes it a bound
// for both zeros.
func (c *builder) numberBounds() encodedStats {
	b := c.fixed
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 != 0 {
		b = alignedBytes(len(c.fixed))
		copy(b, c.fixed)
	}
	switch c.phys {
	case physInt32:
		low, high, _ := kernels.MinMaxInt32(view[int32](b), nil)
		return exact(binary.LittleEndian.AppendUint32(nil, uint32(low)), binary.LittleEndian.AppendUint32(nil, uint32(high)))
	case physInt64:
		low, high, _ := kernels.MinMaxInt64(view[int64](b), nil)
		return exact(binary.LittleEndian.AppendUint64(nil, uint64(low)), binary.LittleEndian.AppendUint64(nil, uint64(high)))
	case physFloat:
		low, high, ok, _ := kernels.MinMaxFloat32(view[float32](b), nil)
		if !ok {
			return encodedStats{}
		}
		l, h := zeroBounds(float64(low), float64(high))
		return exact(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(l))), binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(h))))
	}
	low, high, ok, _ := kernels.MinMaxFloat64(view[float64](b), nil)
	if !ok {
		return encodedStats{}
	}
	low, high = zeroBounds(low, high)
	return exact(binary.LittleEndian.AppendUint64(nil, math.Float64bits(low)), binary.LittleEndian.AppendUint64(nil, math.Float64bits(high)))
}

func zeroBounds(low, high float64) (float64, float64) {
	if low == 0 {
		low = math.Copysign(0, -1)
	}
	if high == 0 {
		high = 0
	}
	return low, high
}

// byteBounds returns bounds of boundBytes at most: a minimum that is cut is smaller; a
// maximum that is cut has its last byte raised, and is left out if that makes no text.
func (c *builder) byteBounds(low, high []byte) (s encodedStats) {
	s.min, s.minExact = bytes.Clone(cutText(low)), len(low) <= boundBytes
	if len(high) <= boundBytes {
		s.max, s.maxExact = bytes.Clone(high), true
		return s
	}
	most := byte(0x7e) // ASCII stays ASCII
	if c.element.Kind == columnar.Bytea {
		most = 0xfe
	}
	for i := boundBytes - 1; i >= 0; i-- {
		if high[i] <= most {
			s.max = bytes.Clone(high[:i+1])
			s.max[i]++
			return s
		}
	}
	return s
}

// cutText cuts b to boundBytes, between characters if there are any.
func cutText(b []byte) []byte {
	if len(b) <= boundBytes {
		return b
	}
	n := boundBytes
	for n > boundBytes-4 && b[n]&0xc0 == 0x80 {
		n--
	}
	return b[:n]
}
