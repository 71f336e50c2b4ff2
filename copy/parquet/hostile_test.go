package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// forged is a file of one column whose metadata say what a test wants.
type forged struct {
	phys     int32
	width    int32
	logical  int16
	list     bool
	optional bool
	codec    int32
	encoding int32
	dict     []byte // a dictionary page, if dictN is not negative
	dictN    int32
	body     []byte
	values   int32 // of the page
	size     int32 // uncompressed, of the page; 0: what body has
	v2       bool
	defBytes int32
	repBytes int32

	rows   int64 // of the row group
	chunk  int64 // values of the chunk
	length int64 // compressed, of the chunk; 0: what it has
	groups int
}

// flat returns a forged file of n rows with one page of the body.
func flat(phys, encoding int32, n int, body []byte) forged {
	return forged{phys: phys, encoding: encoding, dictN: -1, body: body, values: int32(n), rows: int64(n), chunk: int64(n), groups: 1}
}

func (f *forged) page(w *thriftWriter, typ int32, values, encoding, size int32, body []byte) {
	w.open()
	w.i32(1, typ)
	w.i32(2, size)
	w.i32(3, int32(len(body)))
	fields := func() {
		w.i32(1, values)
		w.i32(2, encoding)
		if typ == pageData {
			w.i32(3, encRLE)
			w.i32(4, encRLE)
		}
	}
	switch typ {
	case pageDictionary:
		w.structure(7, fields)
	case pageDataV2:
		w.structure(8, func() {
			w.i32(1, values)
			w.i32(2, 0)
			w.i32(3, values)
			w.i32(4, encoding)
			w.i32(5, f.defBytes)
			w.i32(6, f.repBytes)
		})
	default:
		w.structure(5, fields)
	}
	w.close()
	w.b = append(w.b, body...)
}

func (f *forged) bytes() []byte {
	w := &thriftWriter{b: []byte(magic)}
	dictAt, at := int64(0), int64(len(w.b))
	if f.dictN >= 0 {
		dictAt = at
		f.page(w, pageDictionary, f.dictN, encPlain, int32(len(f.dict)), f.dict)
	}
	dataAt := int64(len(w.b))
	typ, size := int32(pageData), f.size
	if f.v2 {
		typ = pageDataV2
	}
	if size == 0 {
		size = int32(len(f.body))
	}
	f.page(w, typ, f.values, f.encoding, size, f.body)
	end := int64(len(w.b))
	foot := &thriftWriter{}
	foot.open()
	foot.i32(1, 2)
	l := layout{name: "c", phys: f.phys, width: int(f.width), optional: f.optional, list: f.list, converted: convertedNone, logical: logicalType{kind: f.logical}}
	foot.list(2, 1+l.elementCount(), thriftStruct)
	foot.open()
	foot.string(4, "schema")
	foot.i32(5, 1)
	foot.close()
	l.elements(foot)
	foot.i64(3, f.rows*int64(f.groups))
	foot.list(4, f.groups, thriftStruct)
	for range f.groups {
		foot.open()
		foot.list(1, 1, thriftStruct)
		foot.open()
		foot.structure(3, func() {
			foot.i32(1, f.phys)
			foot.i32(4, f.codec)
			foot.i64(5, f.chunk)
			length := f.length
			if length == 0 {
				length = end - at
			}
			foot.i64(6, length)
			foot.i64(7, length)
			foot.i64(9, dataAt)
			if dictAt > 0 {
				foot.i64(11, dictAt)
			}
		})
		foot.close()
		foot.i64(2, end-at)
		foot.i64(3, f.rows)
		foot.close()
	}
	foot.close()
	b := append(w.b, foot.b...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(foot.b))), magic...)
}

// read reads the file and returns its error and what was allocated.
func (f *forged) read() (rows int, allocated uint64, err error) {
	return readForged(f.bytes())
}

func readForged(b []byte) (rows int, allocated uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, failed, err := readFields(b, func(_ *field, _ columnar.Vec, n int) { rows += n })
	for _, e := range failed {
		err = e
	}
	runtime.ReadMemStats(&after)
	return rows, after.TotalAlloc - before.TotalAlloc, err
}

func lengths(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(p))), p...)
	}
	return b
}

// TestForged reads files that claim what they do not have. Each ends with an error that says
// so, and takes little memory.
func TestForged(t *testing.T) {
	const huge = 1<<31 - 1
	zeros, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := zeros.EncodeAll(make([]byte, 1<<20), nil)
	run := func(n uint64, v byte) []byte { return append(binary.AppendUvarint(nil, n<<1), v) }
	for name, f := range map[string]forged{
		"rows of a file":            {phys: physInt64, dictN: -1, body: make([]byte, 80), values: 10, rows: 1 << 40, chunk: 1 << 40, groups: 1},
		"rows of a group":           {phys: physInt64, dictN: -1, body: make([]byte, 80), values: 10, rows: 1000, chunk: 1000, groups: 1},
		"values of a chunk":         {phys: physInt64, dictN: -1, body: make([]byte, 80), values: 10, rows: 10, chunk: 11, groups: 1},
		"values of a page":          {phys: physInt64, dictN: -1, body: make([]byte, 80), values: huge, rows: 10, chunk: 10, groups: 1},
		"negative values":           {phys: physInt64, dictN: -1, body: make([]byte, 80), values: -1, rows: 10, chunk: 10, groups: 1},
		"bytes of a chunk":          {phys: physInt64, dictN: -1, body: make([]byte, 80), values: 10, rows: 10, chunk: 10, length: 1 << 40, groups: 1},
		"bytes of a snappy page":    {phys: physInt64, dictN: -1, codec: codecSnappy, body: append(binary.AppendUvarint(nil, 1<<30-1), 0), size: 1<<30 - 1, values: 10, rows: 10, chunk: 10, groups: 1},
		"snappy that is none":       {phys: physInt64, dictN: -1, codec: codecSnappy, body: []byte{80, 1, 2, 3}, size: 80, values: 10, rows: 10, chunk: 10, groups: 1},
		"bytes of a gzip page":      {phys: physInt64, dictN: -1, codec: codecGzip, body: make([]byte, 30), size: 1<<30 - 1, values: 10, rows: 10, chunk: 10, groups: 1},
		"bytes of a zstd page":      {phys: physInt64, dictN: -1, codec: codecZstd, body: bomb, size: 1 << 30, values: 10, rows: 10, chunk: 10, groups: 1},
		"bytes of a brotli page":    {phys: physInt64, dictN: -1, codec: codecBrotli, body: make([]byte, 30), size: 1 << 30, values: 10, rows: 10, chunk: 10, groups: 1},
		"bytes of an lz4 page":      {phys: physInt64, dictN: -1, codec: codecLZ4Raw, body: make([]byte, 30), size: 1 << 30, values: 10, rows: 10, chunk: 10, groups: 1},
		"bytes of a hadoop page":    {phys: physInt64, dictN: -1, codec: codecLZ4, body: make([]byte, 30), size: 1 << 30, values: 10, rows: 10, chunk: 10, groups: 1},
		"a page that is too short":  flat(physInt64, encPlain, 11, make([]byte, 80)),
		"a value beyond its page":   flat(physByteArray, encPlain, 1, []byte{255, 255, 255, 127, 1}),
		"a value of 4 GB":           flat(physByteArray, encPlain, 1, []byte{255, 255, 255, 255, 1}),
		"a length that is cut":      flat(physByteArray, encPlain, 1, []byte{255, 255}),
		"no dictionary":             flat(physByteArray, encDictionary, 1, []byte{0}),
		"too wide an index":         {phys: physInt32, encoding: encDictionary, dict: make([]byte, 4), dictN: 1, body: []byte{33, 2, 0}, values: 1, rows: 1, chunk: 1, groups: 1},
		"an index out of range":     {phys: physInt32, encoding: encDictionary, dict: make([]byte, 4), dictN: 1, body: append([]byte{8}, run(1, 1)...), values: 1, rows: 1, chunk: 1, groups: 1},
		"entries of a dictionary":   {phys: physInt32, encoding: encDictionary, dict: make([]byte, 4), dictN: huge, body: append([]byte{8}, run(1, 1)...), values: 1, rows: 1, chunk: 1, groups: 1},
		"a dictionary of long":      {phys: physByteArray, encoding: encDictionary, dict: []byte{255, 255, 255, 127}, dictN: 1, body: append([]byte{8}, run(1, 0)...), values: 1, rows: 1, chunk: 1, groups: 1},
		"levels longer than a page": {phys: physInt32, optional: true, dictN: -1, body: []byte{255, 0, 0, 0, 1}, values: 1, rows: 1, chunk: 1, groups: 1},
		"levels that end":           {phys: physInt32, optional: true, dictN: -1, body: append(lengths(run(1, 1)), make([]byte, 80)...), values: 2, rows: 2, chunk: 2, groups: 1},
		"v2 levels":                 {phys: physInt32, optional: true, v2: true, dictN: -1, defBytes: huge, body: make([]byte, 80), values: 1, rows: 1, chunk: 1, groups: 1},
		"v2 negative levels":        {phys: physInt32, optional: true, v2: true, dictN: -1, defBytes: -5, body: make([]byte, 80), values: 1, rows: 1, chunk: 1, groups: 1},
		"a list that goes on":       {phys: physInt32, list: true, dictN: -1, body: append(lengths(run(1, 1), run(1, 2)), make([]byte, 4)...), values: 1, rows: 1, chunk: 1, groups: 1},
		"levels beyond the schema":  {phys: physInt32, list: true, dictN: -1, body: append(lengths(run(1, 0), run(1, 3)), make([]byte, 4)...), values: 1, rows: 1, chunk: 1, groups: 1},
		"a delta block of 4 GB":     flat(physInt64, encDelta, 10, binary.AppendUvarint(nil, 1<<32)),
		"deltas that end":           flat(physInt64, encDelta, 10, []byte{128, 1, 4, 10, 0, 0, 64, 64, 64, 64, 1}),
		"delta values":              flat(physInt64, encDelta, 10, []byte{128, 1, 4, 255, 255, 255, 255, 7, 0}),
		"delta lengths":             flat(physByteArray, encDeltaLength, 2, []byte{128, 1, 4, 2, 255, 255, 255, 7, 0, 0, 0, 0, 0}),
		"a prefix of nothing":       flat(physByteArray, encDeltaBytes, 1, []byte{128, 1, 4, 1, 20, 128, 1, 4, 1, 0}),
		"split":                     flat(physDouble, encSplit, 2, make([]byte, 8)),
		"booleans":                  flat(physBoolean, encPlain, 9, make([]byte, 1)),
		"boolean runs":              flat(physBoolean, encRLE, 9, lengths(run(8, 1))),
		"an encoding":               flat(physInt64, 77, 1, make([]byte, 8)),
		"a width of 2 GB":           {phys: physFixed, width: huge, dictN: -1, body: make([]byte, 8), values: 1, rows: 1, chunk: 1, groups: 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, allocated, err := f.read()
			switch code := pgerr.Code(err); code {
			case pgerr.BadCopyFileFormat, pgerr.DataCorrupted, pgerr.FeatureNotSupported:
			default:
				t.Errorf("error %v (%s)", err, code)
			}
			if allocated > 4<<20 {
				t.Errorf("%d kB were allocated", allocated>>10)
			}
		})
	}
}

// TestForgedFooters reads footers whose lists and lengths are longer than they are.
func TestForgedFooters(t *testing.T) {
	file := func(foot ...byte) []byte {
		b := append([]byte(magic), foot...)
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(foot))), magic...)
	}
	deep := bytes.Repeat([]byte{0x1c}, 100_000)
	good := flat(physInt64, encPlain, 1, make([]byte, 8))
	whole := good.bytes()
	tests := map[string][]byte{
		"nothing":            {},
		"no footer":          []byte("PAR1PAR1"),
		"a footer of 4 GB":   append([]byte("PAR1\xff\xff\xff\xff"), magic...),
		"an empty footer":    file(),
		"a list of 2^31":     file(0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07),
		"a string of 2^31":   file(0x15, 2, 0x19, 0x1c, 0x48, 0xff, 0xff, 0xff, 0xff, 0x07),
		"a map of 2^60":      file(0xcb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x88),
		"too many bytes":     file(0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"deep":               file(deep...),
		"lists of booleans":  file(0xc9, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07),
		"no end":             whole[:len(whole)-1],
		"another end":        append(whole[:len(whole):len(whole)], 'x'),
		"text":               []byte("id,name\n1,one\n2,two\n"),
		"encrypted":          append([]byte("PARE"), "\x01\x00\x00\x00\x00PARE"...),
		"many empty groups":  file(append([]byte{0x49, 0xfc, 0xe8, 0x07}, make([]byte, 1000)...)...),
		"many empty columns": file(append([]byte{0x49, 0x1c, 0x19, 0xfc, 0xe8, 0x07}, make([]byte, 1000)...)...),
	}
	for i := range len(whole) - 8 {
		tests[fmt.Sprint("cut at ", i)] = whole[:i]
	}
	for name, b := range tests {
		_, allocated, err := readForged(b)
		if code := pgerr.Code(err); code != pgerr.BadCopyFileFormat && code != pgerr.FeatureNotSupported {
			t.Errorf("%s: %v", name, err)
		}
		if allocated > 1<<20 {
			t.Errorf("%s: %d kB were allocated", name, allocated>>10)
		}
	}
	if rows, _, err := readForged(whole); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestRunsOfNulls reads rows that a few bytes back: as many as a page may claim.
func TestRunsOfNulls(t *testing.T) {
	const n = 1 << 20
	f := forged{phys: physInt64, optional: true, dictN: -1, body: lengths(append(binary.AppendUvarint(nil, n<<1), 0)), values: n, rows: n, chunk: n, groups: 1}
	rows, allocated, err := f.read()
	if err != nil || rows != n || allocated > 2<<20 {
		t.Errorf("%d rows, %d kB, %v", rows, allocated>>10, err)
	}
	f.rows, f.chunk, f.values = 1<<30, 1<<30, 1<<30
	if _, _, err = f.read(); pgerr.Code(err) != pgerr.BadCopyFileFormat {
		t.Errorf("2^30 rows of nothing: %v", err)
	}
}

// TestFlippedFiles reads a file with each of its bytes changed. Pages have checksums, so
// that what is read is never wrong.
func TestFlippedFiles(t *testing.T) {
	typ := kind(columnar.Text)
	texts := []string{"one", "two", "~", "two", "three"}
	b := writeColumns(t, []layout{newLayout("c", typ, false)}, []columnar.Vec{vecOf(t, typ, texts)}, codecNone, 100, 100)
	end := bytes.Index(b, []byte("schema"))
	for i := range b {
		for _, flip := range []byte{1, 0x80, 0xff} {
			c := bytes.Clone(b)
			c[i] ^= flip
			var got []string
			f, failed, err := readFields(c, func(_ *field, v columnar.Vec, n int) {
				for r := range n {
					if v.IsNull(r) {
						got = append(got, "~")
					} else {
						got = append(got, string(v.Bytes(r)))
					}
				}
			})
			if err != nil || len(failed) > 0 || i >= end || len(f.fields) == 0 {
				continue
			}
			if fmt.Sprint(got) != fmt.Sprint(texts) {
				t.Errorf("byte %d: read %q", i, got)
			}
		}
	}
}

// FuzzFile reads whole files.
func FuzzFile(f *testing.F) {
	types := []columnar.Type{kind(columnar.Int4), kind(columnar.Text), kind(columnar.Bool), arrayOf(kind(columnar.Text)), decimal(20, 2)}
	var layouts []layout
	var cols []columnar.Vec
	for i, typ := range types {
		layouts = append(layouts, newLayout(fmt.Sprint("c", i), typ, false))
		text := map[columnar.Kind]string{columnar.Int4: "7", columnar.Text: "x", columnar.Bool: "t", columnar.Decimal: "1.25"}[typ.Kind]
		if typ.Array {
			text = "{x,NULL}"
		}
		cols = append(cols, vecOf(f, typ, []string{text, "~", text, text}))
	}
	for _, codec := range []int32{codecNone, codecSnappy, codecGzip, codecZstd} {
		f.Add(writeColumns(f, layouts, cols, codec, 3, 2))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, allocated, _ := readForged(b)
		if allocated > 64<<20 {
			t.Errorf("%d MB for %d bytes", allocated>>20, len(b))
		}
	})
}

// FuzzPage reads one page of any encoding, which a whole file around it makes valid but for
// itself, and its dictionary.
func FuzzPage(f *testing.F) {
	f.Add(uint8(physInt32), uint8(encPlain), uint8(0), uint16(2), []byte{1, 0, 0, 0, 2, 0, 0, 0}, []byte{})
	f.Add(uint8(physByteArray), uint8(encDictionary), uint8(1), uint16(3), append(lengths([]byte{6, 1}), 1, 6, 0), lengths([]byte("abc")))
	f.Add(uint8(physInt64), uint8(encDelta), uint8(0), uint16(3), []byte{128, 1, 4, 3, 2, 2, 0, 0, 0, 0}, []byte{})
	f.Add(uint8(physByteArray), uint8(encDeltaBytes), uint8(0), uint16(1), []byte{128, 1, 4, 1, 0, 128, 1, 4, 1, 2, 'x'}, []byte{})
	f.Add(uint8(physBoolean), uint8(encRLE), uint8(4), uint16(8), lengths([]byte{16, 1}), []byte{})
	f.Add(uint8(physDouble), uint8(encSplit), uint8(2), uint16(1), append(lengths([]byte{2, 0}, []byte{2, 2}), make([]byte, 8)...), []byte{})
	f.Add(uint8(physByteArray), uint8(encPlain), uint8(16), uint16(1), snappy.Encode(nil, lengths([]byte("abc"))), []byte{})
	f.Fuzz(func(t *testing.T, phys, encoding, flags uint8, n uint16, body, dict []byte) {
		g := flat(int32(phys%8), int32(encoding%10), int(n), body)
		g.optional, g.list, g.v2 = flags&1 != 0, flags&2 != 0, flags&4 != 0
		g.logical = int16(flags >> 5 & 7)
		if g.phys == physFixed {
			g.width = int32(flags>>5)*2 + 1
		}
		if flags&16 != 0 {
			g.codec = int32(flags>>5) % 8
			g.size = int32(n) * 4
		}
		if flags&8 != 0 {
			g.dict, g.dictN = dict, int32(len(dict)/8)
		}
		if g.v2 {
			g.defBytes = int32(len(dict))
		}
		_, allocated, _ := g.read()
		if allocated > 64<<20 {
			t.Errorf("%d MB", allocated>>20)
		}
	})
}
