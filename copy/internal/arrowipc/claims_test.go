package arrowipc

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// inputOf returns a stream with the given columns and one batch whose metadata says what
// nodes, buffers and body say, and whose body is the given bytes.
func inputOf(t *testing.T, fields []arrow.Field, rows int64, nodes, buffers []int64, claimed int64, codec Codec, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := NewWriter(&out, fields, false); err != nil {
		t.Fatal(err)
	}
	w := newBuilder()
	w.message(messageBatch, claimed, func(from int) { w.batch(from, rows, nodes, buffers, codec) })
	out.Write(w.framed(0))
	out.Write(body)
	return out.Bytes()
}

// TestClaims reads inputs that claim far more than their bytes hold: an error, for next to
// no memory.
func TestClaims(t *testing.T) {
	ints := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}
	text := []arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}}
	list := []arrow.Field{{Name: "a", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}
	claim := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), 1, 2, 3, 4, 5, 6, 7, 8) }
	const huge = 1 << 40
	body := make([]byte, 64)
	offsets := make([]byte, 64)
	binary.LittleEndian.PutUint32(offsets[4:], math.MaxInt32)
	for name, b := range map[string][]byte{
		"rows":              inputOf(t, ints, huge, []int64{huge, 0}, []int64{0, 0, 0, 64}, 64, Uncompressed, body),
		"rows overflow":     inputOf(t, ints, math.MaxInt64, []int64{math.MaxInt64, 0}, []int64{0, 0, 0, 64}, 64, Uncompressed, body),
		"a body":            inputOf(t, ints, 8, []int64{8, 0}, []int64{0, 0, 0, 64}, huge, Uncompressed, body),
		"a buffer":          inputOf(t, ints, 8, []int64{8, 0}, []int64{0, 0, 0, huge}, 64, Uncompressed, body),
		"offsets":           inputOf(t, text, 1, []int64{1, 0}, []int64{0, 0, 0, 8, 8, 56}, 64, Uncompressed, offsets),
		"a list":            inputOf(t, list, 1, []int64{1, 0, huge, 0}, []int64{0, 0, 0, 8, 0, 0, 8, 56}, 64, Uncompressed, offsets),
		"zstd":              inputOf(t, ints, 8, []int64{8, 0}, []int64{0, 0, 0, 16}, 16, Zstd, claim(huge)),
		"lz4":               inputOf(t, ints, 8, []int64{8, 0}, []int64{0, 0, 0, 16}, 16, LZ4, claim(huge)),
		"zstd that fits":    inputOf(t, ints, 8, []int64{8, 0}, []int64{0, 0, 0, 16}, 16, Zstd, claim(64)),
		"compressed rows":   inputOf(t, ints, huge, []int64{huge, 0}, []int64{0, 0, 0, 16}, 16, LZ4, claim(8*huge)),
		"metadata":          {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3},
		"metadata, as once": {0xff, 0xff, 0xff, 0x7f, 1, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			for _, read := range []func() error{
				func() error { _, _, err := readAll(b, 64); return err },
				func() error { _, err := readStream(struct{ io.Reader }{bytes.NewReader(b)}); return err },
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := read()
				runtime.ReadMemStats(&after)
				if err == nil || pgerr.From(err).SQLState != pgerr.BadCopyFileFormat {
					t.Errorf("%v", err)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
					t.Errorf("%d bytes were allocated", used)
				}
			}
		})
	}
}

// TestSharedReferences reads a schema in which all 16 children of a field are the same one,
// eight levels deep: a kilobyte that would be 16**8 fields.
func TestSharedReferences(t *testing.T) {
	w := newBuilder()
	w.message(messageSchema, 0, func(from int) {
		refs := w.refs(w.table(from, absent, ref)[1], 1)
		for level := range 9 {
			kind := typeStruct
			if level == 8 {
				kind = typeNull
			}
			at := w.table(refs[0], absent, absent, u8(kind), ref, absent, ref)
			field := refs[0] + int(binary.LittleEndian.Uint32(w.b[refs[0]:]))
			for _, r := range refs {
				w.refer(r, field)
			}
			w.table(at[3])
			if refs = nil; kind == typeStruct {
				refs = w.refs(at[5], 16)
			} else {
				w.refs(at[5], 0)
			}
		}
	})
	b := w.framed(0)
	if _, err := Open(bytes.NewReader(b), int64(len(b))); pgerr.Code(err) != pgerr.BadCopyFileFormat {
		t.Errorf("%d bytes: %v", len(b), err)
	}
}

// TestNothingButNulls bounds the rows of columns that take no bytes, which a few bytes could
// claim without end.
func TestNothingButNulls(t *testing.T) {
	schema := &schema{fields: []*field{{name: "a", kind: typeNull, typ: arrow.Null}}}
	for rows, good := range map[int64]bool{0: true, freeRows: true, freeRows + 1: false, math.MaxInt64: false} {
		lay := &layout{rows: rows, nodes: []node{{rows, rows}}, codec: codecNone, version: version5}
		if _, err := lay.check(schema.fields, 0); (err == nil) != good {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// TestOneBlockTwice refuses a footer that names a batch twice: a small file could have any
// number of rows.
func TestOneBlockTwice(t *testing.T) {
	a := Block{at: 64, meta: 64, body: 64}
	for _, list := range [][]Block{{a, a}, {a, {at: 128, meta: 8, body: 8}}, {{at: 1 << 40, meta: 8}}, {{at: 64, meta: 8, body: math.MaxInt64}}, {{at: -1, meta: 8}}} {
		if err := disjoint(nil, list, 1000); err == nil {
			t.Errorf("%v was taken", list)
		}
	}
	if err := disjoint([]Block{{at: 192, meta: 8}}, []Block{a}, 1000); err != nil {
		t.Error(err)
	}
}

// shrinking is a file of which after some time only a part is left.
type shrinking struct {
	b    []byte
	left int // reads before it
}

func (s *shrinking) ReadAt(p []byte, off int64) (int, error) {
	if s.left--; s.left < 0 {
		s.b = s.b[:min(len(s.b), 100)]
	}
	return bytes.NewReader(s.b).ReadAt(p, off)
}

// TestShrinking cuts a file while it is read, after any number of reads.
func TestShrinking(t *testing.T) {
	batch := sampleBatch(t, 5000) // its body is not read at once
	b := encode(t, true, []arrow.RecordBatch{batch, batch})
	for left := 0; ; left++ {
		err := func() error {
			x, err := Open(&shrinking{b, left}, int64(len(b)))
			if err != nil {
				return err
			}
			list, _ := readable(x.Columns())
			for i := range x.Blocks() {
				k, err := x.Batch(i, list)
				if err != nil {
					return err
				}
				if _, err := k.Read(64, 1000); err != nil {
					return err
				}
			}
			return nil
		}()
		if err == nil {
			if left < 20 {
				t.Errorf("only %d reads", left)
			}
			return
		}
		if pgerr.From(err).SQLState != pgerr.ObjectNotInState {
			t.Errorf("after %d reads: %v", left, err)
		}
	}
}

// TestUnaligned reads buffers that do not start where values of their width should.
func TestUnaligned(t *testing.T) {
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}
	body := make([]byte, 64)
	binary.LittleEndian.PutUint64(body[3:], 7)
	binary.LittleEndian.PutUint64(body[11:], 8)
	copy(body[21:], []byte{0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 'x', 'y', 'z'})
	b := inputOf(t, fields, 2, []int64{2, 0, 2, 0}, []int64{0, 0, 3, 16, 0, 0, 21, 12, 33, 3}, 64, Uncompressed, body)
	x, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := x.Batch(0, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := k.Read(0, 2)
	if err != nil || arrays[0].ValueStr(0) != "7" || arrays[0].ValueStr(1) != "8" || arrays[1].ValueStr(0) != "x" || arrays[1].ValueStr(1) != "yz" {
		t.Error(arrays, err)
	}
}
