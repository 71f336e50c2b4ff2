package copy

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// bytes converts text to text and bytes to bytes, between the ways in which Arrow has them.
func (a *arrowColumn) bytes(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	if a.typ.Kind == columnar.UUID {
		return a.uuids(arr)
	}
	text := a.typ.Kind == columnar.Text || a.typ.Kind == columnar.Varchar && a.typ.Length == 0
	if !text && a.typ.Kind != columnar.Bytea {
		return v, false, nil
	}
	switch x := arr.(type) {
	case *array.LargeString:
		if text {
			v, done, err = a.large(arr, x.ValueOffsets(), x.ValueBytes())
		}
	case *array.LargeBinary:
		if !text {
			v, done, err = a.large(arr, x.ValueOffsets(), x.ValueBytes())
		}
	case *array.StringView:
		if text {
			v, done, err = gather(a, arr, x.Value)
		}
	case *array.BinaryView:
		if !text {
			v, done, err = gather(a, arr, x.Value)
		}
	case *array.FixedSizeBinary:
		if !text {
			v, done, err = gather(a, arr, x.Value)
		}
	}
	if done && err == nil && text {
		err = a.isText8(&v)
	}
	return v, done, err
}

// uuids takes values of sixteen bytes.
func (a *arrowColumn) uuids(arr arrow.Array) (v columnar.Vec, done bool, err error) {
	x, ok := arr.(interface{ Value(i int) []byte })
	if !ok {
		return v, false, nil
	}
	v, err = a.fixedRows(arr, func(fixed []byte, i int) bool {
		b := x.Value(i)
		return copy(fixed[16*i:16*i+16], b) == len(b) && len(b) == 16
	})
	return v, true, err
}

// tooLong is the error for an array whose values together do not fit into one vector.
func (a *arrowColumn) tooLong() *Error {
	return a.fail(0, pgerr.New(pgerr.ProgramLimitExceeded, "values of column \"%s\" exceed 2 GiB in a batch", a.name))
}

// large returns values between 64-bit offsets, over the same bytes. offsets are those of
// the rows, and bytes starts with the first.
func (a *arrowColumn) large(arr arrow.Array, offsets []int64, bytes []byte) (v columnar.Vec, done bool, err error) {
	n := arr.Len()
	out := make([]int32, n+1)
	if n > 0 {
		first := offsets[0]
		if offsets[n]-first > math.MaxInt32 {
			return v, false, a.tooLong()
		}
		for i := range out {
			out[i] = int32(offsets[i] - first)
		}
	}
	return columnar.MakeVec(a.typ, n, validWords(arr), nil, nil, out, bytes, nil), true, nil
}

// gather copies the values of arr, one behind the other.
func gather[T string | []byte](a *arrowColumn, arr arrow.Array, value func(i int) T) (v columnar.Vec, done bool, err error) {
	n := arr.Len()
	valid := validWords(arr)
	offsets := make([]int32, n+1)
	total := 0
	for i := range n {
		if valid == nil || valid[i>>6]>>(i&63)&1 != 0 {
			if total += len(value(i)); total > math.MaxInt32 {
				return v, false, a.tooLong()
			}
		}
		offsets[i+1] = int32(total)
	}
	data := make([]byte, 0, total)
	for i := range n {
		if offsets[i+1] > offsets[i] {
			data = append(data, value(i)...)
		}
	}
	return columnar.MakeVec(a.typ, n, valid, nil, nil, offsets, data, nil), true, nil
}

// dictionary converts the values of a dictionary once, and then looks rows up in them. A
// value that the column does not take matters to the rows that have it only.
func (a *arrowColumn) dictionary(d *array.Dictionary) (columnar.Vec, error) {
	values := d.Dictionary()
	if a.dict == nil || a.dict != values.Data() {
		bad := map[int]*Error{}
		inner := arrowColumn{parser: a.parser, name: a.name, typ: a.typ, trusted: true,
			reject: func(i int, e *Error) error { bad[i] = e; return nil }}
		v, err := inner.vec(values)
		if err != nil {
			return v, err
		}
		a.dict, a.dictVec, a.dictBad = values.Data(), v, bad
	}
	n := d.Len()
	index := make([]int32, n) // -1 is null
	for i := range index {
		if index[i] = -1; d.IsNull(i) {
			continue
		}
		k := d.GetValueIndex(i)
		if e := a.dictBad[k]; e != nil {
			again := *e
			if err := a.refuse(i, &again); err != nil {
				return columnar.Vec{}, err
			}
		} else if !a.dictVec.IsNull(k) {
			index[i] = int32(k)
		}
	}
	return a.take(index)
}

// take returns the rows of a.dictVec that index names.
func (a *arrowColumn) take(index []int32) (columnar.Vec, error) {
	n := len(index)
	words := make([]uint64, 2*((n+63)/64))
	valid, bits := words[:len(words)/2], words[len(words)/2:]
	for i, k := range index {
		if k >= 0 {
			valid[i>>6] |= 1 << (i & 63)
		}
	}
	from := &a.dictVec
	switch w := a.typ.Width(); {
	case a.typ.Variable():
		offsets := make([]int32, n+1)
		total := int64(0)
		o := from.Offsets()
		for i, k := range index {
			if k >= 0 {
				total += int64(o[k+1] - o[k])
			}
			if total > math.MaxInt32 {
				return columnar.Vec{}, a.tooLong()
			}
			offsets[i+1] = int32(total)
		}
		data := make([]byte, 0, total)
		for _, k := range index {
			if k >= 0 {
				data = append(data, from.Data()[o[k]:o[k+1]]...)
			}
		}
		return columnar.MakeVec(a.typ, n, valid, nil, nil, offsets, data, nil), nil
	case w == 0:
		for i, k := range index {
			if k >= 0 && from.Bool(int(k)) {
				bits[i>>6] |= 1 << (i & 63)
			}
		}
		return columnar.MakeVec(a.typ, n, valid, nil, bits, nil, nil, nil), nil
	default:
		fixed := alignedBytes(n * w)
		src := from.Fixed()
		for i, k := range index {
			if k >= 0 {
				copy(fixed[i*w:(i+1)*w], src[int(k)*w:])
			}
		}
		return columnar.MakeVec(a.typ, n, valid, fixed, nil, nil, nil, a.takeNaN(index)), nil
	}
}

// takeNaN is take for what is beside a Decimal; nil if no value is NaN.
func (a *arrowColumn) takeNaN(index []int32) []uint64 {
	if !a.dictVec.HasNaN() {
		return nil
	}
	words := make([]uint64, (len(index)+63)/64)
	for i, k := range index {
		if k < 0 {
			continue
		}
		if _, _, nan := a.dictVec.Decimal(int(k)); nan {
			words[i>>6] |= 1 << (i & 63)
		}
	}
	return words
}
