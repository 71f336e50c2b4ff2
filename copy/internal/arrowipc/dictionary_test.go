package arrowipc

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// dictionaryBatches has two columns, of text and of lists of text, both in dictionaries
// that differ from batch to batch.
func dictionaryBatches(t *testing.T, dicts ...string) []arrow.RecordBatch {
	t.Helper()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ, Nullable: true}, {Name: "l", Type: arrow.ListOf(typ), Nullable: true}}, nil)
	var out []arrow.RecordBatch
	for _, values := range dicts {
		dict, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(values))
		if err != nil {
			t.Fatal(err)
		}
		index, _, err := array.FromJSON(memory.DefaultAllocator, typ.IndexType, strings.NewReader(fmt.Sprintf("[0, null, %d, 1]", dict.Len()-1)))
		if err != nil {
			t.Fatal(err)
		}
		a := array.NewDictionaryArray(typ, index, dict)
		offsets := memory.NewBufferBytes([]byte{0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0})
		l := array.NewListData(array.NewData(arrow.ListOf(typ), 4, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{a.Data()}, 0, 0))
		out = append(out, array.NewRecordBatch(schema, []arrow.Array{a, l}, 4))
	}
	return out
}

// flatText returns the values of both columns, lists from their elements.
func flatText(arrays []arrow.Array) (out []string) {
	var add func(a arrow.Array, i int) string
	add = func(a arrow.Array, i int) string {
		switch a := a.(type) {
		case *array.List:
			from, to := a.ValueOffsets(i)
			var elems []string
			for k := from; k < to; k++ {
				elems = append(elems, add(a.ListValues(), int(k)))
			}
			return fmt.Sprint(elems)
		}
		if a.IsNull(i) {
			return "null"
		}
		return a.ValueStr(i)
	}
	for i := range arrays[0].Len() {
		for _, a := range arrays {
			out = append(out, add(a, i))
		}
	}
	return out
}

// TestDictionaries reads streams whose dictionaries are added to or replaced between
// batches, front to back and in any order.
func TestDictionaries(t *testing.T) {
	for name, tc := range map[string]struct {
		dicts []string
		opts  []ipc.Option
	}{
		"the same":    {[]string{`["x", "y"]`, `["x", "y"]`}, nil},
		"replaced":    {[]string{`["x", "y"]`, `["z", "y", "x"]`, `["q", "r"]`}, nil},
		"added to":    {[]string{`["x", "y"]`, `["x", "y", "z"]`, `["x", "y", "z", "u", "v"]`}, []ipc.Option{ipc.WithDictionaryDeltas(true)}},
		"both":        {[]string{`["x", "y"]`, `["x", "y", "z"]`, `["a", "b"]`, `["a", "b", "c"]`}, []ipc.Option{ipc.WithDictionaryDeltas(true)}},
		"nulls in it": {[]string{`["x", null, "y"]`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			batches := dictionaryBatches(t, tc.dicts...)
			b := encode(t, false, batches, tc.opts...)
			var want [][]string
			for _, rec := range batches {
				want = append(want, flatText(rec.Columns()))
			}
			s, err := OpenStream(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			var kept []*Batch
			for {
				batch, err := s.Next([]int{0, 1})
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				kept = append(kept, batch)
			}
			for i, batch := range kept {
				if arrays, err := batch.Read(0, 4); err != nil || !slices.Equal(flatText(arrays), want[i]) {
					t.Errorf("stream, batch %d: %v, want %q", i, err, want[i])
				}
			}
			x, err := Open(bytes.NewReader(b), int64(len(b)))
			if err != nil || len(x.Blocks()) != len(want) {
				t.Fatal(len(x.Blocks()), err)
			}
			for i := len(want) - 1; i >= 0; i-- {
				batch, err := x.Batch(i, []int{0, 1})
				if err != nil {
					t.Fatal(err)
				}
				if arrays, err := batch.Read(0, 4); err != nil || !slices.Equal(flatText(arrays), want[i]) {
					t.Errorf("file, batch %d: %v, want %q", i, err, want[i])
				}
			}
		})
	}
}

// TestDictionaryIndex refuses indexes that are not in their dictionary, negative ones of a
// dictionary larger than the index type among them, unless their row is null.
func TestDictionaryIndex(t *testing.T) {
	values := "[" + strings.Repeat(`"v", `, 299) + `"w"]`
	dict, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(values))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		index arrow.DataType
		raw   []byte
		valid byte
		good  bool
	}{
		{arrow.PrimitiveTypes.Int8, []byte{0, 127}, 3, true},
		{arrow.PrimitiveTypes.Int8, []byte{0, 255}, 3, false},
		{arrow.PrimitiveTypes.Int8, []byte{0, 255}, 1, true},
		{arrow.PrimitiveTypes.Uint8, []byte{0, 255}, 3, true},
		{arrow.PrimitiveTypes.Int16, []byte{43, 1, 0, 0}, 3, true},
		{arrow.PrimitiveTypes.Int16, []byte{44, 1, 0, 0}, 3, false},
		{arrow.PrimitiveTypes.Int16, []byte{0, 128, 0, 0}, 3, false},
		{arrow.PrimitiveTypes.Uint64, []byte{0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0}, 3, false},
		{arrow.PrimitiveTypes.Int64, []byte{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}, 3, false},
		{arrow.PrimitiveTypes.Int64, []byte{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}, 2, true},
	} {
		typ := &arrow.DictionaryType{IndexType: tc.index, ValueType: arrow.BinaryTypes.String}
		data := array.NewDataWithDictionary(typ, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{tc.valid}), memory.NewBufferBytes(tc.raw)}, array.UnknownNullCount, 0, dict.Data().(*array.Data))
		schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ, Nullable: true}}, nil)
		b := encode(t, true, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(data)}, 2)})
		_, _, err := readAll(b, 64)
		if tc.good != (err == nil) || err != nil && (pgerr.From(err).SQLState != pgerr.BadCopyFileFormat || pgerr.From(err).Column != "a") {
			t.Errorf("%s %v: %v", tc.index, tc.raw, err)
		}
	}
}

// TestForgottenDictionaries looks at what a stream keeps of its dictionaries while each
// batch replaces them or adds to them.
func TestForgottenDictionaries(t *testing.T) {
	grown := []string{`["x", "y"]`}
	for i := range 100 {
		grown = append(grown, strings.TrimSuffix(grown[i], "]")+fmt.Sprintf(`, "v%d"]`, i))
	}
	var replaced []string
	for i := range 100 {
		replaced = append(replaced, fmt.Sprintf(`["a%d", "b"]`, i))
	}
	for name, tc := range map[string]struct {
		dicts []string
		opts  []ipc.Option
	}{
		"replaced": {replaced, nil},
		"added to": {grown, []ipc.Option{ipc.WithDictionaryDeltas(true)}},
	} {
		s, err := OpenStream(bytes.NewReader(encode(t, false, dictionaryBatches(t, tc.dicts...), tc.opts...)))
		if err != nil {
			t.Fatal(err)
		}
		for range tc.dicts {
			if _, err := s.Next([]int{0, 1}); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.dicts.count(); n < len(tc.dicts) {
			t.Errorf("%s: only %d dictionaries in the stream", name, n)
		}
		for id, list := range s.dicts.byID {
			if len(list) != 1 || list[0].lay != nil {
				t.Errorf("%s: %d pieces of dictionary %d are kept", name, len(list), id)
			}
		}
	}
}

// TestNestedDictionary reads a dictionary whose values are in another one, which is
// replaced before the first batch: values mean what they meant where they stand.
func TestNestedDictionary(t *testing.T) {
	indexes := func(id int64, values *field) *field {
		return &field{name: "a", kind: typeInt, width: 1, dict: id, values: values, words: "dictionary of " + values.words,
			typ: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values.typ}}
	}
	texts := &field{kind: typeUtf8, typ: arrow.BinaryTypes.String, width: 4, words: "utf8"}
	lists := &field{kind: typeList, width: 4, children: []*field{indexes(0, texts)}, words: "list of dictionary of utf8"}
	lists.typ = arrow.ListOf(lists.children[0].typ)
	schema := &schema{fields: []*field{indexes(1, lists)}, dicts: map[int64]*field{0: texts, 1: lists}}

	var in bytes.Buffer
	put := func(kind int, id int64, nodes, buffers []int64, bytes ...byte) {
		w := newBuilder()
		w.message(kind, int64(len(bytes)), func(from int) {
			if kind == messageDictionary {
				from = w.table(from, i64(id), ref)[1]
			}
			w.batch(from, 1, nodes, buffers, Uncompressed)
		})
		in.Write(append(w.framed(0), bytes...))
	}
	text := func(c byte) {
		put(messageDictionary, 0, []int64{1, 0}, []int64{0, 0, 0, 8, 8, 1}, 0, 0, 0, 0, 1, 0, 0, 0, c)
	}
	text('x')
	put(messageDictionary, 1, []int64{1, 0, 1, 0}, []int64{0, 0, 0, 8, 8, 0, 8, 1}, 0, 0, 0, 0, 1, 0, 0, 0, 0)
	text('y')
	put(messageBatch, 0, []int64{1, 0}, []int64{0, 0, 0, 1}, 0)
	s := &Stream{r: &in, schema: schema, dicts: newDictionaries(schema)}
	b, err := s.Next([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := b.Read(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := arrays[0].ValueStr(0); got != `["x"]` {
		t.Errorf("the value is %s", got)
	}
}
