package copy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// arrowTable makes a table of one column from its JSON.
func arrowTable(t testing.TB, typ arrow.DataType, json string, chunks int) arrow.Table {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
	arr, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(json))
	if err != nil {
		t.Fatal(err)
	}
	var recs []arrow.RecordBatch
	for k := range chunks {
		from, to := int64(arr.Len()*k/chunks), int64(arr.Len()*(k+1)/chunks)
		part := array.NewSlice(arr, from, to)
		recs = append(recs, array.NewRecordBatch(schema, []arrow.Array{part}, to-from))
	}
	return array.NewTableFromRecords(schema, recs)
}

// TestArrowTypes loads each Arrow type into columns of several types, whole and in slices
// that start in the middle of words.
func TestArrowTypes(t *testing.T) {
	utc := &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}
	tests := []struct {
		arrow arrow.DataType
		json  string
		to    string
		want  []string // or a SQLSTATE
	}{
		{arrow.PrimitiveTypes.Int64, `[1, null, -3]`, "int8", []string{"1", null, "-3"}},
		{arrow.PrimitiveTypes.Int64, `[1, null, -3]`, "int2", []string{"1", null, "-3"}},
		{arrow.PrimitiveTypes.Int64, `[1, 32768]`, "int2", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Int64, `[1, -2147483649]`, "int4", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Uint64, `[1, 18446744073709551615]`, "int8", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Uint64, `[1, 18446744073709551615]`, "numeric(20,0)", []string{"1", "18446744073709551615"}},
		{arrow.PrimitiveTypes.Uint8, `[255, null]`, "int2", []string{"255", null}},
		{arrow.PrimitiveTypes.Int8, `[-128, 127]`, "int8", []string{"-128", "127"}},
		{arrow.PrimitiveTypes.Int32, `[5, 6]`, "numeric(3,1)", []string{"5.0", "6.0"}},
		{arrow.PrimitiveTypes.Int32, `[5, 600]`, "numeric(3,1)", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Int32, `[5, null]`, "text", []string{"5", null}},
		{arrow.FixedWidthTypes.Boolean, `[true, null, false]`, "bool", []string{"t", null, "f"}},
		{arrow.PrimitiveTypes.Float64, `[1.5, null]`, "float8", []string{"1.5", null}},
		{arrow.PrimitiveTypes.Float64, `[1.5, 1e300]`, "float4", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Float64, `[2.0]`, "int4", []string{"2"}},
		{arrow.PrimitiveTypes.Float64, `[2.5]`, "int4", []string{pgerr.InvalidTextRepresentation}},
		{arrow.PrimitiveTypes.Float32, `[0.5]`, "float8", []string{"0.5"}},
		{arrow.BinaryTypes.String, `["x", null, "", "é"]`, "text", []string{"x", null, "", "é"}},
		{arrow.BinaryTypes.LargeString, `["x", null]`, "text", []string{"x", null}},
		{arrow.BinaryTypes.StringView, `["a longer string than fits into a view", null]`, "text", []string{"a longer string than fits into a view", null}},
		{arrow.BinaryTypes.String, `["abc", "abcd"]`, "varchar(3)", []string{pgerr.StringDataRightTruncation}},
		{arrow.BinaryTypes.String, `["12", "x"]`, "int4", []string{pgerr.InvalidTextRepresentation}},
		{arrow.BinaryTypes.String, `["{\"a\": 1}"]`, "json", []string{`{"a": 1}`}},
		{arrow.BinaryTypes.Binary, `["AP8="]`, "bytea", []string{`\x00ff`}},
		{arrow.BinaryTypes.LargeBinary, `["AP8="]`, "bytea", []string{`\x00ff`}},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, `["1.25", null, "-3.10"]`, "numeric(10,2)", []string{"1.25", null, "-3.10"}},
		{&arrow.Decimal128Type{Precision: 30, Scale: 2}, `["1.25", null]`, "numeric(30,2)", []string{"1.25", null}},
		{&arrow.Decimal128Type{Precision: 30, Scale: 2}, `["1.25"]`, "numeric", []string{"1.25"}},
		{&arrow.Decimal32Type{Precision: 5, Scale: 2}, `["1.25", null]`, "numeric(5,2)", []string{"1.25", null}},
		{&arrow.Decimal256Type{Precision: 60, Scale: 1}, `["1234.5"]`, "numeric(5,1)", []string{"1234.5"}},
		{&arrow.Decimal256Type{Precision: 60, Scale: 1}, `["12345.5"]`, "numeric(5,1)", []string{pgerr.NumericValueOutOfRange}},
		{arrow.FixedWidthTypes.Date32, `["1969-12-31", null]`, "date", []string{"1969-12-31", null}},
		{arrow.FixedWidthTypes.Date64, `["1969-12-31", null]`, "date", []string{"1969-12-31", null}},
		{arrow.FixedWidthTypes.Time32s, `["12:34:56"]`, "time", []string{"12:34:56"}},
		{arrow.FixedWidthTypes.Time64us, `["12:34:56.000001"]`, "time", []string{"12:34:56.000001"}},
		{arrow.FixedWidthTypes.Time64ns, `["12:34:56.000001500"]`, "time", []string{"12:34:56.000002"}},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, `["2001-02-03 04:05:06.000007", null]`, "timestamp", []string{"2001-02-03 04:05:06.000007", null}},
		{&arrow.TimestampType{Unit: arrow.Millisecond}, `["2001-02-03 04:05:06.007"]`, "timestamp", []string{"2001-02-03 04:05:06.007"}},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, `["1960-02-03 04:05:06.000000500"]`, "timestamp", []string{"1960-02-03 04:05:06"}},
		{utc, `["2001-02-03 04:05:06Z"]`, "timestamptz", []string{"2001-02-03 04:05:06+00"}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["x", null, "y", "x"]`, "text", []string{"x", null, "y", "x"}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 16}, `["ABEiM0RVZneImaq7zN3u/w=="]`, "uuid", []string{"00112233-4455-6677-8899-aabbccddeeff"}},
		{arrow.Null, `[null, null]`, "int4", []string{null, null}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1]]`, "int4", []string{pgerr.DatatypeMismatch}},
	}
	for _, tc := range tests {
		for chunks := 1; chunks <= 2; chunks++ {
			t.Run(fmt.Sprintf("%s to %s in %d", tc.arrow, tc.to, chunks), func(t *testing.T) {
				table := arrowTable(t, tc.arrow, tc.json, chunks)
				store := newStore(t)
				target := createTable(t, store, textSchema(t, "c "+tc.to))
				opt, err := ParseRowsOptions(nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := From(context.Background(), store, target, FromArrowTable(table), opt, Env{})
				if len(tc.want[0]) == 5 && err != nil {
					if e := wantState(t, err, tc.want[0]); e.SQLState != pgerr.DatatypeMismatch && (e.Column != "c" || !strings.Contains(e.Detail, "row ")) {
						t.Errorf("%+v", e)
					}
					return
				}
				if err != nil || res.Cardinality != Exact {
					t.Fatal(res, err)
				}
				var want [][]string
				for _, v := range tc.want {
					want = append(want, []string{v})
				}
				compareRows(t, readTable(t, store), want)
			})
		}
	}
}

// TestArrowConversions converts one array, whole and a row at a time, without a store.
func TestArrowConversions(t *testing.T) {
	for _, tc := range []struct {
		arrow arrow.DataType
		json  string
		to    string
		want  []string // or a SQLSTATE
	}{
		{arrow.PrimitiveTypes.Int64, `[1, null, 99]`, "numeric(2,0)", []string{"1", null, "99"}},
		{arrow.PrimitiveTypes.Uint64, `[9223372036854775807, 9223372036854775808]`, "int8", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Uint32, `[4294967295, 0]`, "int8", []string{"4294967295", "0"}},
		{arrow.PrimitiveTypes.Uint16, `[65535]`, "int2", []string{pgerr.NumericValueOutOfRange}},
		{arrow.PrimitiveTypes.Uint16, `[65535, 1]`, "float4", []string{"65535", "1"}},
		{arrow.FixedWidthTypes.Float16, `[1.5, null]`, "float8", []string{"1.5", null}},
		{arrow.PrimitiveTypes.Float32, `[0.1]`, "float8", []string{"0.10000000149011612"}},
		{arrow.PrimitiveTypes.Float64, `[1e-60]`, "float4", []string{pgerr.NumericValueOutOfRange}},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["1.25", null, "-99999.99"]`, "numeric(7,2)", []string{"1.25", null, "-99999.99"}},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, `["100000.00"]`, "numeric(7,2)", []string{pgerr.NumericValueOutOfRange}},
		{&arrow.Decimal128Type{Precision: 10, Scale: 3}, `["1.255", "-1.255"]`, "numeric(7,2)", []string{"1.26", "-1.26"}},
		{&arrow.Decimal64Type{Precision: 12, Scale: 1}, `["5.5"]`, "numeric(30,1)", []string{"5.5"}},
		{arrow.BinaryTypes.String, `["ab ", "äöü", null]`, "varchar(3)", []string{"ab ", "äöü", null}},
		{arrow.BinaryTypes.String, `["abc  "]`, "varchar(3)", []string{"abc"}},
		{arrow.BinaryTypes.BinaryView, `["AP8=", null]`, "bytea", []string{`\x00ff`, null}},
		{arrow.BinaryTypes.LargeBinary, `["ABEiM0RVZneImaq7zN3u/w==", null]`, "uuid", []string{"00112233-4455-6677-8899-aabbccddeeff", null}},
		{arrow.BinaryTypes.Binary, `["ABEiM0RVZneImaq7zN3u"]`, "uuid", []string{pgerr.InvalidTextRepresentation}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 17}, `["ABEiM0RVZneImaq7zN3u//8="]`, "uuid", []string{pgerr.InvalidTextRepresentation}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AP8=", null]`, "bytea", []string{`\x00ff`, null}},
		{&arrow.TimestampType{Unit: arrow.Second}, `["2001-02-03 04:05:06", null]`, "timestamptz", []string{"2001-02-03 04:05:06+00", null}},
		{&arrow.TimestampType{Unit: arrow.Millisecond}, `["2001-02-03 04:05:06.007"]`, "timestamp", []string{"2001-02-03 04:05:06.007"}},
		{dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `["x", null, "y", "x"]`, "varchar(1)", []string{"x", null, "y", "x"}},
		{dictionaryOf(arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64), `[7, null, 40000]`, "int2", []string{pgerr.NumericValueOutOfRange}},
		{dictionaryOf(arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64), `[7, null, -7]`, "int2", []string{"7", null, "-7"}},
		{dictionaryOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String), `["NaN", "2.5", null]`, "numeric(5,1)", []string{"NaN", "2.5", null}},
		{arrow.Null, `[null, null]`, "int4", []string{null, null}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1, null, -3], null, []]`, "int4[]", []string{"{1,NULL,-3}", null, "{}"}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1], [40000]]`, "int2[]", []string{pgerr.NumericValueOutOfRange}},
		{arrow.LargeListOf(arrow.BinaryTypes.String), `[["a b", "NULL", "\"", ""], [null]]`, "text[]", []string{`{"a b","NULL","\"",""}`, "{NULL}"}},
		{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64), `[[1.5, 2], null]`, "float8[]", []string{"{1.5,2}", null}},
		{arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), `[[[1, 2], [3, 4]], [[5]]]`, "int4[]", []string{"{{1,2},{3,4}}", "{{5}}"}},
		{arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), `[[[1, 2], [3]]]`, "int4[]", []string{pgerr.InvalidTextRepresentation}},
		{arrow.ListOf(dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String)), `[["x", "y"], ["x"]]`, "text[]", []string{"{x,y}", "{x}"}},
	} {
		t.Run(fmt.Sprint(tc.arrow, " to ", tc.to), func(t *testing.T) {
			arr, _, err := array.FromJSON(memory.DefaultAllocator, tc.arrow, strings.NewReader(tc.json))
			if err != nil {
				t.Fatal(err)
			}
			typ := parseType(t, tc.to)
			var got []string
			for from := int64(0); from < int64(arr.Len()) && err == nil; from++ {
				a := arrowColumn{name: "c", typ: typ}
				var v columnar.Vec
				if v, err = a.vec(array.NewSlice(arr, from, from+1)); err == nil {
					got = append(got, vecText(&v)...)
				}
			}
			a := arrowColumn{name: "c", typ: typ}
			v, whole := a.vec(arr)
			if len(tc.want[0]) == 5 && (err != nil || whole != nil) {
				wantState(t, err, tc.want[0])
				wantState(t, whole, tc.want[0])
				return
			}
			if err != nil || whole != nil {
				t.Fatal(err, whole)
			}
			if !slices.Equal(got, tc.want) || !slices.Equal(vecText(&v), tc.want) {
				t.Errorf("got %q row by row, %q whole, want %q", got, vecText(&v), tc.want)
			}
		})
	}
}

// vecText returns the rows of v as text.
func vecText(v *columnar.Vec) []string {
	out := make([]string, v.Len())
	for i := range out {
		if out[i] = null; !v.IsNull(i) {
			out[i] = string(v.AppendText(nil, i, time.UTC))
		}
	}
	return out
}

// TestArrowRefused converts values that columns do not take, which then are NULL: the rows
// are told in order, of dictionaries only those that are used.
func TestArrowRefused(t *testing.T) {
	for _, tc := range []struct {
		arrow arrow.DataType
		json  string
		to    string
		bad   string
	}{
		{arrow.PrimitiveTypes.Int64, `[1, 40000, null, -40000, 5]`, "int2", "[1 3]"},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, 3]`, "int8", "[0]"},
		{arrow.BinaryTypes.String, `["1", "x", null, "2"]`, "int4", "[1]"},
		{arrow.BinaryTypes.String, `["abc", "abcd", null]`, "varchar(3)", "[1]"},
		{dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `["1", "x", null, "x", "2"]`, "int4", "[1 3]"},
		{&arrow.Decimal64Type{Precision: 18, Scale: 0}, `["1", "100", "-100", "99"]`, "numeric(2,0)", "[1 2]"},
		{&arrow.Decimal32Type{Precision: 9, Scale: 0}, `["1", "100"]`, "numeric(9,0)", "[]"},
		{&arrow.TimestampType{Unit: arrow.Second}, `["2000-01-01 00:00:00", null]`, "timestamp", "[]"},
		{arrow.PrimitiveTypes.Float64, `[1, 1e300]`, "float4", "[1]"},
		{arrow.ListOf(arrow.PrimitiveTypes.Int32), `[[1], [40000], [2]]`, "int2[]", "[1]"},
	} {
		t.Run(fmt.Sprint(tc.arrow, " to ", tc.to), func(t *testing.T) {
			arr, _, err := array.FromJSON(memory.DefaultAllocator, tc.arrow, strings.NewReader(tc.json))
			if err != nil {
				t.Fatal(err)
			}
			bad := []int{}
			a := arrowColumn{name: "c", typ: parseType(t, tc.to)}
			a.reject = func(i int, e *Error) error {
				if bad = append(bad, i); e.SQLState == "" || e.Column != "c" {
					t.Errorf("row %d: %+v", i, e)
				}
				return nil
			}
			v, err := a.vec(arr)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(bad) != tc.bad {
				t.Errorf("refused %v, want %s", bad, tc.bad)
			}
			for i := range arr.Len() {
				if refused := slices.Contains(bad, i); v.IsNull(i) != (refused || arr.IsNull(i)) {
					t.Errorf("row %d is null: %v", i, v.IsNull(i))
				}
			}
		})
	}
}

// TestArrowDecimalDigits refuses a decimal with more digits than its own type says.
func TestArrowDecimalDigits(t *testing.T) {
	typ := &arrow.Decimal32Type{Precision: 3, Scale: 0}
	arr := array.NewDecimal32Data(array.NewData(typ, 2, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{231, 3, 0, 0, 232, 3, 0, 0})}, nil, 0, 0))
	a := arrowColumn{name: "c", typ: columnar.Type{Kind: columnar.Decimal, Precision: 3}}
	_, err := a.vec(arr)
	if e := wantState(t, err, pgerr.NumericValueOutOfRange); !strings.Contains(e.Detail, "row 2") {
		t.Errorf("%+v", e)
	}
}

// dictionaryOf returns a dictionary type.
func dictionaryOf(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

// TestArrowDamaged loads arrays that claim what they do not have.
func TestArrowDamaged(t *testing.T) {
	schema := func(typ arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
	}
	buffer := func(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }
	text := func(offsets *memory.Buffer, data string, n int) arrow.Array {
		return array.NewStringData(array.NewData(arrow.BinaryTypes.String, n, []*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte(data))}, nil, 0, 0))
	}
	dict, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(`["x"]`))
	if err != nil {
		t.Fatal(err)
	}
	index, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int8, strings.NewReader(`[0, 7]`))
	if err != nil {
		t.Fatal(err)
	}
	dictType := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	for name, tc := range map[string]struct {
		arr   arrow.Array
		state string
	}{
		"text that is none":        {text(buffer(0, 0, 0, 0, 2, 0, 0, 0), "a\xff", 1), pgerr.CharacterNotInRepertoire},
		"a character cut by a row": {text(buffer(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0), "é", 2), pgerr.CharacterNotInRepertoire},
		"a zero byte":              {text(buffer(0, 0, 0, 0, 1, 0, 0, 0), "\x00", 1), pgerr.CharacterNotInRepertoire},
		"a dictionary index":       {array.NewDictionaryArray(dictType, index, dict), pgerr.DataCorrupted},
		"a date beyond all dates": {array.NewDate32Data(array.NewData(arrow.FixedWidthTypes.Date32, 1,
			[]*memory.Buffer{nil, buffer(0xff, 0xff, 0xff, 0x7f)}, nil, 0, 0)), pgerr.DatetimeFieldOverflow},
	} {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			columns := "c text"
			if tc.state == pgerr.DatetimeFieldOverflow {
				columns = "c date"
			}
			target := createTable(t, store, textSchema(t, columns))
			rec := array.NewRecordBatch(schema(tc.arr.DataType()), []arrow.Array{tc.arr}, int64(tc.arr.Len()))
			r, err := array.NewRecordReader(rec.Schema(), []arrow.RecordBatch{rec})
			if err != nil {
				t.Fatal(err)
			}
			opt, _ := ParseRowsOptions(nil)
			_, err = From(context.Background(), store, target, FromArrow(r, -1), opt, Env{})
			wantState(t, err, tc.state)
		})
	}
}

// TestStageArrow reads a staged table and checks that it is the same memory.
func TestStageArrow(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "i", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String},
	}, nil)
	const rows = 300_000
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range rows {
		if i%7 == 0 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
		}
		b.Field(1).(*array.BooleanBuilder).Append(i%3 == 0)
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprint("s", i%10))
	}
	whole := b.NewRecordBatch()
	cut := whole.NewSlice(5, rows)
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{cut})
	staged, err := StageArrow("s", table)
	if err != nil {
		t.Fatal(err)
	}
	if staged.Rows() != rows-5 || staged.Groups() != 3 {
		t.Fatalf("%d rows in %d groups", staged.Rows(), staged.Groups())
	}
	at := 5
	for batch, err := range staged.Scan(context.Background(), columnar.ScanOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if at == 5 && &batch.Cols[0].Int64s()[0] != &whole.Column(0).(*array.Int64).Int64Values()[5] {
			t.Error("the integers were copied")
		}
		for i := range batch.Rows {
			k := at + i
			if batch.Cols[0].IsNull(i) != (k%7 == 0) || k%7 != 0 && batch.Cols[0].Int64s()[i] != int64(k) ||
				batch.Cols[1].Bool(i) != (k%3 == 0) || string(batch.Cols[2].Bytes(i)) != fmt.Sprint("s", k%10) {
				t.Fatalf("row %d is wrong", k)
			}
		}
		at += batch.Rows
	}
	if at != rows {
		t.Errorf("%d rows", at)
	}
	if allocs := testing.AllocsPerRun(3, func() {
		if _, err := StageArrow("s", table); err != nil {
			t.Fatal(err)
		}
	}); allocs > 200 {
		t.Errorf("%v allocations", allocs)
	}
	for in, want := range map[arrow.DataType]string{
		arrow.PrimitiveTypes.Uint64: "numeric(20,0)", &arrow.Decimal256Type{Precision: 70, Scale: 1}: "numeric", arrow.FixedWidthTypes.Float16: "float4",
	} {
		if typ, ok := arrowType(in); !ok || typ.String() != want {
			t.Errorf("%s is %s, want %s", in, typ, want)
		}
	}
}
