package kernels

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/internal/guard"
)

// columnKernel is one column kernel with its reference, its values as bytes.
type columnKernel struct {
	name  string
	width int // bytes of a value; 0 for bits

	// kernel stores values in dst, which has n of them and is aligned to 8 bytes.
	kernel func(dst []byte, n int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32)

	// ref returns the value's bytes, little-endian, and whether field is one.
	ref func(field []byte) ([]byte, bool)

	field func(r *rand.Rand) string
}

// typed makes a kernel of values of type T one of bytes.
func typed[T any](k func(dst []T, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32)) func([]byte, int, []uint64, []uint64, []byte, []uint32, int, int, uint32) {
	return func(dst []byte, n int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
		values := make([]T, n)
		if _, err := binary.Decode(dst, binary.LittleEndian, values); err != nil {
			panic(err)
		}
		k(values, null, slow, b, seps, stride, col, trim)
		if _, err := binary.Encode(dst, binary.LittleEndian, values); err != nil {
			panic(err)
		}
	}
}

// typedRef makes a reference for values of type T one of bytes.
func typedRef[T any](ref func([]byte) (T, bool)) func([]byte) ([]byte, bool) {
	return func(field []byte) ([]byte, bool) {
		v, ok := ref(field)
		out, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			panic(err)
		}
		return out, ok
	}
}

// bytes16 returns v as 16 bytes, little-endian two's complement.
func bytes16(v *big.Int) []byte {
	out := make([]byte, 16)
	new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))).FillBytes(out)
	for i := range 8 {
		out[i], out[15-i] = out[15-i], out[i]
	}
	return out
}

var columnKernels = func() []columnKernel {
	ks := []columnKernel{
		{"float64", 8, typed(ParseFloat64Column), typedRef(float64Ref), randomNumber},
		{"float32", 4, typed(ParseFloat32Column), typedRef(float32Ref), randomNumber},
		{"date", 4, typed(ParseDateColumn), typedRef(dateRef), randomDate},
		{"timestamp", 8, typed(ParseTimestampColumn), typedRef(timestampRef), randomTimestamp},
		{"uuid", 16, func(dst []byte, _ int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
			ParseUUIDColumn(dst, null, slow, b, seps, stride, col, trim)
		}, typedRef(uuidRef), randomUUID},
		{"bool", 0, func(dst []byte, n int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
			values := make([]uint64, (n+63)/64)
			ParseBoolColumn(values, n, null, slow, b, seps, stride, col, trim)
			for r := range n {
				dst[r] = byte(values[r/64] >> (r % 64) & 1)
			}
			if n%64 != 0 && values[n/64]>>(n%64) != 0 {
				panic("bool: a bit past the records is set")
			}
		}, typedRef(boolRef), randomBool},
	}
	for _, bare := range []bool{false, true} {
		ks = append(ks, columnKernel{fmt.Sprintf("timestamptz/bare=%v", bare), 8,
			typed(func(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
				ParseTimestampTZColumn(dst, null, slow, b, seps, stride, col, trim, bare)
			}),
			typedRef(func(field []byte) (int64, bool) { return timestampTZRef(field, bare) }), randomTimestamp})
	}
	for _, d := range []struct{ precision, scale int }{{1, 0}, {9, 0}, {9, 2}, {9, 9}, {12, 4}, {18, 0}, {18, 2}, {18, 18}} {
		ks = append(ks, columnKernel{fmt.Sprintf("decimal64(%d,%d)", d.precision, d.scale), 8,
			typed(func(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
				ParseDecimal64Column(dst, null, slow, b, seps, stride, col, trim, d.precision, d.scale)
			}),
			typedRef(func(field []byte) (int64, bool) { return decimalRef(field, d.precision, d.scale) }), randomNumber})
		if d.precision > maxPrecision32 {
			continue
		}
		ks = append(ks, columnKernel{fmt.Sprintf("decimal32(%d,%d)", d.precision, d.scale), 4,
			typed(func(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
				ParseDecimal32Column(dst, null, slow, b, seps, stride, col, trim, d.precision, d.scale)
			}),
			typedRef(func(field []byte) (int32, bool) {
				v, ok := decimalRef(field, d.precision, d.scale)
				return int32(v), ok
			}), randomNumber})
	}
	for _, d := range []struct{ precision, scale int }{{1, 1}, {18, 3}, {30, 10}, {38, 0}, {38, 19}, {38, 38}} {
		ks = append(ks, columnKernel{fmt.Sprintf("decimal128(%d,%d)", d.precision, d.scale), 16,
			func(dst []byte, _ int, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
				ParseDecimal128Column(dst, null, slow, b, seps, stride, col, trim, d.precision, d.scale)
			},
			func(field []byte) ([]byte, bool) {
				v, ok := decimal128Ref(field, d.precision, d.scale)
				if !ok {
					return nil, false
				}
				return bytes16(v), true
			}, randomWide})
	}
	return ks
}()

// check compares the kernel with the reference for n records: values, null and slow
// bits, zeros in values that are neither, and what stands behind all three.
func (k columnKernel) check(t *testing.T, what string, b []byte, seps []uint32, n, stride, col int, trim uint32) {
	t.Helper()
	width, words := max(k.width, 1), (n+63)/64
	dst, null, slow := make([]byte, n*width), make([]uint64, words+1), make([]uint64, words+1)
	for i := range dst {
		dst[i] = 0x5a
	}
	for i := range null {
		null[i], slow[i] = 0x5a5a, 0xa5a5
	}
	k.kernel(dst, n, null, slow, b, seps, stride, col, trim)
	if null[words] != 0x5a5a || slow[words] != 0xa5a5 {
		t.Fatalf("%s %s: wrote past the words of %d records", k.name, what, n)
	}
	zero := make([]byte, width)
	for r := range n {
		start, end := seps[r*stride+col]+1, seps[r*stride+col+1]-trim
		value, isNull, isSlow := zero, 0, 0
		switch {
		case start > end || uint64(end) > uint64(len(b)):
			isSlow = 1
		case start == end:
			isNull = 1
		default:
			v, ok := k.ref(b[start:end])
			if ok {
				value = v
			} else {
				isSlow = 1
			}
		}
		got := dst[r*width : (r+1)*width]
		if string(got) != string(value) || int(null[r/64]>>(r%64)&1) != isNull || int(slow[r/64]>>(r%64)&1) != isSlow {
			field := "outside"
			if isSlow == 0 || start <= end && uint64(end) <= uint64(len(b)) {
				field = fmt.Sprintf("%q", b[start:end])
			}
			t.Fatalf("%s %s: record %d of %d, [%d:%d] of %d bytes, %s: %x null %d slow %d; want %x null %d slow %d", k.name, what, r, n, start, end, len(b), field,
				got, null[r/64]>>(r%64)&1, slow[r/64]>>(r%64)&1, value, isNull, isSlow)
		}
	}
	if n%64 != 0 && (null[words-1]|slow[words-1])>>(n%64) != 0 {
		t.Fatalf("%s %s: bits past %d records: null %#x slow %#x", k.name, what, n, null[words-1], slow[words-1])
	}
}

func digitString(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(r.IntN(10))
	}
	return string(b)
}

// spoiled returns s with one byte changed, added or removed.
func spoiled(r *rand.Rand, s string) string {
	b := []byte(s)
	i := r.IntN(len(b) + 1)
	const set = "0123456789+-.eE:TZ _/\x00\xb0\xff"
	c := set[r.IntN(len(set))]
	switch {
	case i == len(b) || r.IntN(3) == 0:
		return string(b[:i]) + string(c) + string(b[i:])
	case r.IntN(2) == 0:
		return string(b[:i]) + string(b[i+1:])
	}
	b[i] = c
	return string(b)
}

// either returns a random field that valid makes, or now and then one spoiled or empty.
func either(valid func(r *rand.Rand) string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		switch r.IntN(6) {
		case 0:
			return ""
		case 1:
			return spoiled(r, valid(r))
		}
		return valid(r)
	}
}

var randomNumber = either(func(r *rand.Rand) string {
	s := []string{"", "", "-", "+"}[r.IntN(4)] + strings.Repeat("0", max(0, r.IntN(20)-15)) + digitString(r, r.IntN(21))
	if r.IntN(3) > 0 {
		s += "." + strings.Repeat("0", max(0, r.IntN(20)-15)) + digitString(r, r.IntN(20-min(len(s), 18)))
	}
	if r.IntN(3) == 0 {
		s += []string{"e", "E", "e-", "e+"}[r.IntN(4)] + digitString(r, r.IntN(5))
	}
	return s
})

var randomWide = either(func(r *rand.Rand) string {
	return []string{"", "", "-", "+"}[r.IntN(4)] + strings.Repeat("0", max(0, r.IntN(20)-15)) + digitString(r, r.IntN(36)) + []string{"", "."}[r.IntN(2)] + digitString(r, r.IntN(35))
})

func randomDay(r *rand.Rand) string {
	year := r.IntN(10000)
	if r.IntN(2) == 0 {
		year = 1900 + r.IntN(200)
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, r.IntN(14), r.IntN(33))
}

var randomDate = either(randomDay)

var randomTimestamp = either(func(r *rand.Rand) string {
	s := randomDay(r) + []string{" ", "T"}[r.IntN(2)] + fmt.Sprintf("%02d:%02d:%02d", r.IntN(25), r.IntN(61), r.IntN(61))
	if r.IntN(2) == 0 {
		s += "." + digitString(r, r.IntN(8))
	}
	switch r.IntN(6) {
	case 0:
		s += "Z"
	case 1:
		s += fmt.Sprintf("%c%02d", "+-"[r.IntN(2)], r.IntN(17))
	case 2:
		s += fmt.Sprintf("%c%02d%02d", "+-"[r.IntN(2)], r.IntN(17), r.IntN(62))
	case 3:
		s += fmt.Sprintf("%c%02d:%02d", "+-"[r.IntN(2)], r.IntN(17), r.IntN(62))
	}
	return s
})

var randomUUID = either(func(r *rand.Rand) string {
	s := fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Int64N(1<<48))
	if r.IntN(3) == 0 {
		s = strings.ToUpper(s)
	}
	if r.IntN(8) == 0 {
		b := []byte(s)
		b[r.IntN(len(b))] = byte(r.Uint32())
		s = string(b)
	}
	return s
})

func randomBool(r *rand.Rand) string {
	words := []string{"", "t", "f", "true", "false", "0", "1", "T", "F", "yes", "no", "True", "tru", "truex", "falsey", "t\x00", "\x00", "\x00\x00\x00\x00\x00", "on", "01", " t"}
	return words[r.IntN(len(words))]
}

// TestColumnLengths parses blocks of random fields against unreadable pages.
func TestColumnLengths(t *testing.T) {
	forEachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 42))
		for _, k := range columnKernels {
			for _, n := range []int{0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500} {
				stride := 1 + r.IntN(3)
				trim := uint32(n % 2)
				var text strings.Builder
				for i := range n * stride {
					text.WriteString(strings.NewReplacer(",", "", "\n", "", "\"", "").Replace(k.field(r)))
					switch {
					case i%stride < stride-1:
						text.WriteByte(',')
					case trim == 1:
						text.WriteString("\r\n")
					default:
						text.WriteByte('\n')
					}
				}
				block := []byte(text.String())
				seps := separators(block)
				// Without the last line break the last field ends where the block does.
				if n > 0 {
					block = block[:len(block)-1]
				}
				end, start := guard.New(len(block)), guard.NewAtStart(len(block))
				copy(end.Bytes(), block)
				copy(start.Bytes(), block)
				for c := range stride {
					last := uint32(0)
					if c == stride-1 {
						last = trim
					}
					k.check(t, fmt.Sprintf("seed 41,42 n=%d at end", n), end.Bytes(), seps, n, stride, c, last)
					k.check(t, fmt.Sprintf("seed 41,42 n=%d at start", n), start.Bytes(), seps, n, stride, c, last)
				}
				closeAll(t, end, start)
			}
		}
	})
}

// TestColumnBounds gives every start and end in blocks of 0 to 70 bytes, wrapped and
// reversed ranges and ends outside the block among them.
func TestColumnBounds(t *testing.T) {
	texts := map[string]string{
		"float64": "-1234.56e-7", "float32": "-1234.56e-7", "date": "2024-02-29", "timestamp": "2024-02-29 23:59:58.123456",
		"uuid": "01234567-89ab-cdef-ABCD-EF0123456789", "bool": "truefalse01t",
		"timestamptz/bare=false": "2024-02-29 23:59:58.5+01:30", "timestamptz/bare=true": "2024-02-29T23:59:58Z",
	}
	forEachLevel(t, func(t *testing.T) {
		for _, k := range columnKernels {
			text, ok := texts[k.name]
			if !ok {
				text = "-12.345678901"
			}
			text = strings.Repeat(text, 20)
			sizes := []int{0, 1, 2, 9, 10, 15, 16, 17, 31, 32, 33, 36, 37, 48, 63, 64, 65, 70}
			if strings.HasPrefix(k.name, "decimal") {
				sizes = []int{0, 1, 33} // they read fields as floats do
			}
			for _, n := range sizes {
				end, start := guard.New(n), guard.NewAtStart(n)
				copy(end.Bytes(), text)
				copy(start.Bytes(), text)
				part := []byte(text)[:n]
				var seps []uint32
				for before := range uint32(n + 12) {
					for after := range uint32(n + 12) {
						seps = append(seps, before-6, after-6)
					}
				}
				for _, far := range []uint32{1<<31 - 1, 1 << 31, 1<<32 - 40, 1<<32 - 33} {
					seps = append(seps, far, 5, far, far+20, 3, far)
				}
				records := len(seps) / 2
				seps = append(seps, 0)
				for trim := range uint32(2) {
					what := fmt.Sprintf("bounds n=%d trim=%d", n, trim)
					k.check(t, what, end.Bytes(), seps, records, 2, 0, trim)
					k.check(t, what, start.Bytes(), seps, records, 2, 0, trim)
					k.check(t, what, part, seps, records, 2, 0, trim)
				}
				closeAll(t, end, start)
			}
		}
	})
}

// checkFields compares the kernel with the reference on fields alone and behind enough
// bytes to be read by their ends.
func (k columnKernel) checkFields(t *testing.T, what string, fields []string) {
	t.Helper()
	for _, before := range []string{"", strings.Repeat("9", 70)} {
		b := []byte(before)
		seps := []uint32{uint32(len(b)) - 1}
		for _, f := range fields {
			b = append(b, f...)
			seps = append(seps, uint32(len(b)))
			b = append(b, ',')
		}
		k.check(t, what, b, seps, len(fields), 1, 0, 0)
	}
}

func TestColumnMisuse(t *testing.T) {
	words, seps, b := make([]uint64, 2), make([]uint32, 131), make([]byte, 9)
	for _, k := range columnKernels {
		run := func(n int, null, slow []uint64, seps []uint32, stride, col int) func() {
			return func() { k.kernel(make([]byte, n*max(k.width, 1)), n, null, slow, b, seps, stride, col, 0) }
		}
		run(65, words, words, seps, 2, 1)()
		run(0, nil, nil, seps[:1], 2, 1)()
		for name, f := range map[string]func(){
			"stride 0":     run(65, words, words, seps, 0, 0),
			"col < 0":      run(65, words, words, seps, 2, -1),
			"col = stride": run(65, words, words, seps, 2, 2),
			"short null":   run(65, words[:1], words, seps, 2, 0),
			"short slow":   run(65, words, words[:1], seps, 2, 0),
			"short seps":   run(65, words, words, seps[:130], 2, 0),
			"no seps":      run(0, nil, nil, nil, 2, 0),
		} {
			mustPanic(t, k.name+": "+name, f)
		}
	}
	dst := make([]int64, 1)
	for _, d := range [][2]int{{0, 0}, {19, 0}, {5, -1}, {5, 6}} {
		mustPanic(t, fmt.Sprint("decimal", d), func() { ParseDecimal64Column(dst, words, words, b, seps, 2, 0, 0, d[0], d[1]) })
	}
	mustPanic(t, "decimal32(10,0)", func() { ParseDecimal32Column(nil, nil, nil, b, seps, 2, 0, 0, 10, 0) })
	mustPanic(t, "decimal128(39,0)", func() { ParseDecimal128Column(nil, nil, nil, b, seps, 2, 0, 0, 39, 0) })
	mustPanic(t, "17 bytes", func() { ParseDecimal128Column(b, words, words, b, seps, 2, 0, 0, 38, 0) })
	mustPanic(t, "9 bytes", func() { ParseUUIDColumn(b, words, words, b, seps, 2, 0, 0) })
	mustPanic(t, "bool n < 0", func() { ParseBoolColumn(words, -1, words, words, b, seps, 2, 0, 0) })
	mustPanic(t, "bool short dst", func() { ParseBoolColumn(words[:1], 65, words, words, b, seps, 2, 0, 0) })
}

// kernelNamed returns the column kernel of that name.
func kernelNamed(t testing.TB, name string) columnKernel {
	t.Helper()
	for _, k := range columnKernels {
		if k.name == name {
			return k
		}
	}
	t.Fatalf("no column kernel %q", name)
	return columnKernel{}
}

// TestColumnAllocations runs every kernel on fields it takes and on fields it does not.
func TestColumnAllocations(t *testing.T) {
	const n = 100
	b := []byte(strings.Repeat("1.25,2024-02-29,2024-02-29 01:02:03.5+01,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,true,12345678901234567890.1\n", n))
	seps := separators(b)
	const stride = 6
	null, slow, bits := make([]uint64, 2), make([]uint64, 2), make([]uint64, 2)
	f64, f32, i64, i32, b16 := make([]float64, n), make([]float32, n), make([]int64, n), make([]int32, n), make([]byte, 16*n)
	text, offsets := make([]byte, len(b)+CopySlack), make([]int32, n+1)
	forEachLevel(t, func(t *testing.T) {
		allocs := testing.AllocsPerRun(2, func() {
			for col := range stride {
				ParseFloat64Column(f64, null, slow, b, seps, stride, col, 0)
				ParseFloat32Column(f32, null, slow, b, seps, stride, col, 0)
				ParseDecimal64Column(i64, null, slow, b, seps, stride, col, 0, 18, 2)
				ParseDecimal32Column(i32, null, slow, b, seps, stride, col, 0, 9, 2)
				ParseDecimal128Column(b16, null, slow, b, seps, stride, col, 0, 38, 2)
				ParseDateColumn(i32, null, slow, b, seps, stride, col, 0)
				ParseTimestampColumn(i64, null, slow, b, seps, stride, col, 0)
				ParseTimestampTZColumn(i64, null, slow, b, seps, stride, col, 0, true)
				ParseUUIDColumn(b16, null, slow, b, seps, stride, col, 0)
				ParseBoolColumn(bits, n, null, slow, b, seps, stride, col, 0)
				CopyFields(text, offsets, null, b, seps, stride, col, 0)
			}
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}
