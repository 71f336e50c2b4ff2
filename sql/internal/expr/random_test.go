package expr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/parse"
)

// testColumns are a column of every type.
var testColumns = []Column{
	{"k", int2Type}, {"a", int4Type}, {"b", int8Type}, {"r", float4Type}, {"f", float8Type},
	{"n", columnar.Type{Kind: columnar.Decimal, Precision: 9, Scale: 2}},
	{"w", columnar.Type{Kind: columnar.Decimal, Precision: 30, Scale: 5}},
	{"m", numericType}, {"t", textType}, {"v", columnar.Type{Kind: columnar.Varchar, Length: 9}},
	{"x", byteaType}, {"d", dateType}, {"c", timeType}, {"ts", timestampType}, {"tz", timestampTZType},
	{"ok", boolType}, {"u", columnar.Type{Kind: columnar.UUID}}, {"j", jsonType},
}

// testValues has texts of values by column.
var testValues = map[string][]string{
	"k": {"0", "1", "-1", "32767", "-32768", "7"}, "a": {"0", "1", "-1", "2147483647", "-2147483648", "12"},
	"b": {"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1000000007"},
	"r": {"0", "1.5", "-0", "3e38", "NaN", "Infinity"}, "f": {"0", "-2.5", "1e308", "NaN", "-Infinity", "0.1"},
	"n": {"0", "1.50", "-9999999.99", "NaN", "0.01"}, "w": {"0", "1.5", "1234567890123456789012345.12345", "-0.00001"},
	"m": {"0", "1.50", "1.5", "1e30", "NaN", "Infinity", "-0.001"}, "t": {"", "abc", "äöü", "%x_", "12", "2001-02-03", "t"},
	"v": {"", "abc  ", "zz", "1.5"}, "x": {`\x`, `\x00`, `\x0001`, `\x01`, `\x0001ff`}, "d": {"2001-02-03", "infinity", "0044-03-15 BC", "5874897-12-31"},
	"c": {"00:00", "12:34:56.789", "24:00"}, "ts": {"2001-02-03 04:05:06", "infinity", "1969-12-31 23:59:59.5"},
	"tz": {"2001-02-03 04:05:06+02", "-infinity", "2024-06-01 00:00+00"}, "ok": {"t", "f"},
	"u": {"550e8400-e29b-41d4-a716-446655440000", "00000000-0000-0000-0000-000000000000"}, "j": {"{}", "[1, 2]"},
}

// randomColumns returns n rows of the test columns, a fifth of them null.
func randomColumns(t *testing.T, rng *rand.Rand, n int) []columnar.Vec {
	t.Helper()
	out := make([]columnar.Vec, len(testColumns))
	for i, c := range testColumns {
		values := make([]columnar.Value, n)
		for r := range values {
			values[r] = columnar.Value{Type: c.Type, Null: true}
			if rng.IntN(5) == 0 {
				continue
			}
			texts := testValues[c.Name]
			v, err := ParseText([]byte(texts[rng.IntN(len(texts))]), c.Type, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			values[r] = v
		}
		out[i] = FromValues(c.Type, values)
	}
	return out
}

// randomExpr returns the text of an expression, which may be of any type or of none.
func randomExpr(rng *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	if depth == 0 || rng.IntN(6) == 0 {
		if rng.IntN(3) > 0 {
			return testColumns[rng.IntN(len(testColumns))].Name
		}
		return pick("0", "1", "2", "-1", "1.5", "0.001", "32767", "3000000000", "'abc'", "'1'", "''", "NULL", "true",
			"'2001-02-03'", "1e20", "float8 '0.5'", "date '2001-01-01'", "2::int2")
	}
	e := func() string { return randomExpr(rng, depth-1) }
	switch rng.IntN(12) {
	case 0, 1, 2:
		return "(" + e() + pick(" + ", " - ", " * ", " / ", " % ", " || ") + e() + ")"
	case 3, 4:
		return "(" + e() + pick(" = ", " <> ", " < ", " <= ", " > ", " >= ", " IS DISTINCT FROM ") + e() + ")"
	case 5:
		return "(" + e() + pick(" AND ", " OR ") + e() + ")"
	case 6:
		return pick("(NOT ", "(- ", "(+ ", "(~ ") + e() + ")"
	case 7:
		return "CASE WHEN " + e() + " THEN " + e() + pick("", " ELSE "+e()) + " END"
	case 8:
		return "(" + e() + pick(" IS NULL", " IS NOT TRUE", " IN (1, 2)", " BETWEEN 0 AND 10", " LIKE '%b%'", " IN (0, 1, 2, 7, NULL)") + ")"
	case 9:
		return "(" + e() + ")::" + pick("int2", "int4", "int8", "float4", "float8", "numeric", "numeric(6,2)", "text", "varchar(3)", "bool", "date", "timestamp", "timestamptz", "time", "bytea", "uuid", "json")
	case 10:
		return pick("coalesce", "nullif", "greatest", "least", "concat", "mod", "strpos", "round", "left", "date_trunc", "timezone") + "(" + e() + ", " + e() + ")"
	}
	return pick("abs", "round", "floor", "ceil", "sign", "length", "lower", "upper", "btrim", "sqrt", "reverse", "trunc", "to_timestamp", "substr") +
		"(" + e() + ")"
}

// rowText returns row i of v, or null.
func rowText(v *columnar.Vec, i int) string {
	if v.IsNull(i) {
		return "<null>"
	}
	return string(v.AppendText(nil, i, time.UTC))
}

// TestRowsAlone evaluates random expressions over a batch and over each of its rows
// alone: the values are the same, and the batch fails exactly if a row does.
func TestRowsAlone(t *testing.T) {
	const rows = 130
	bound := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		text := randomExpr(rng, 1+rng.IntN(4))
		e, err := parse.Expr(text)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		scope := &Scope{Columns: testColumns, Source: text}
		n, err := scope.Decided(e)
		if err != nil {
			if pgerr.Code(err) == pgerr.InternalError {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			continue
		}
		bound++
		all := randomColumns(t, rng, rows)
		cols := make([]columnar.Vec, len(scope.Refs))
		for i, pos := range scope.Refs {
			cols[i] = all[pos]
		}
		var b Batch
		b.SetColumns(rows, cols)
		var whole columnar.Vec
		v, batchErr := n.Eval(&b, nil)
		if batchErr == nil {
			whole = v.Stored(rows)
		}
		failed := false
		for i := range rows {
			one := make([]columnar.Vec, len(cols))
			for c := range cols {
				one[c] = Gather(&cols[c], []int32{int32(i)})
			}
			b.SetColumns(1, one)
			v, err := n.Eval(&b, nil)
			if err != nil {
				failed = true
				continue
			}
			if batchErr == nil {
				single := v.Stored(1)
				if got, want := rowText(&whole, i), rowText(&single, 0); got != want {
					t.Fatalf("seed %d: %s: row %d is %s in a batch, %s alone", seed, text, i, got, want)
				}
			}
		}
		if failed != (batchErr != nil) {
			t.Fatalf("seed %d: %s: batch gives %v, a row alone fails: %v", seed, text, batchErr, failed)
		}
	}
	if bound < 800 {
		t.Errorf("only %d of the expressions are valid", bound)
	}
}

// TestKeysOrder compares the order of sort keys, and the equality of group keys, with the
// order of the values.
func TestKeysOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	all := randomColumns(t, rng, 120)
	var b Batch
	b.SetColumns(120, all)
	for c := range testColumns {
		if !comparable(testColumns[c].Type, "<") {
			continue
		}
		v := b.Column(c)
		for i := range 120 {
			for j := range 120 {
				if v.IsNull(i) || v.IsNull(j) {
					continue
				}
				want := CompareRows(v, i, v, j)
				for _, desc := range []bool{false, true} {
					got := strings.Compare(string(AppendSortKey(nil, v, i, desc, false)), string(AppendSortKey(nil, v, j, desc, false)))
					if desc {
						got = -got
					}
					if got != want {
						t.Fatalf("%s: sort keys of %v and %v compare as %d, want %d (desc %v)", testColumns[c].Name, v.Value(i), v.Value(j), got, want, desc)
					}
				}
				if same := string(AppendKey(nil, v, i)) == string(AppendKey(nil, v, j)); same != (want == 0) {
					t.Fatalf("%s: group keys of %v and %v are equal: %v", testColumns[c].Name, v.Value(i), v.Value(j), same)
				}
			}
		}
	}
}

// FuzzBind binds and evaluates anything that parses: no panic, and errors have a SQLSTATE.
func FuzzBind(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomExpr(rand.New(rand.NewPCG(seed, 3)), 3))
	}
	f.Add("extract(foo FROM d)")
	f.Add("ARRAY[1] = '{1}'::int[]")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parse.Expr(text)
		if err != nil {
			return
		}
		scope := &Scope{Columns: testColumns, Source: text, Clause: "WHERE"}
		n, err := scope.Decided(e)
		if err == nil {
			all := randomColumns(t, rand.New(rand.NewPCG(1, 1)), 65)
			cols := make([]columnar.Vec, len(scope.Refs))
			for i, pos := range scope.Refs {
				cols[i] = all[pos]
			}
			var b Batch
			b.SetColumns(65, cols)
			var v *Vec
			if v, err = n.Eval(&b, nil); err == nil {
				out := v.Stored(65)
				_ = fmt.Sprint(rowText(&out, 64))
			}
		}
		if err != nil && (pgerr.Code(err) == pgerr.InternalError || len(pgerr.Code(err)) != 5) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}
