package ndjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/kernels"
)

// The model reads a record with encoding/json and what that lets pass by itself: it
// replaces bytes that are no text and lone surrogates, and does not mind depth.

// modelColumns has a column of every way in which values are converted.
var modelColumns = []Column{
	{Name: "i", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "s", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "k\n", Type: columnar.Type{Kind: columnar.Int2}},
	{Name: "f", Type: columnar.Type{Kind: columnar.Float8}},
	{Name: "j", Type: columnar.Type{Kind: columnar.JSON}},
	{Name: "a", Type: columnar.Type{Kind: columnar.Text, Array: true}},
	{Name: "ja", Type: columnar.Type{Kind: columnar.JSON, Array: true}},
	{Name: "n", Type: columnar.Type{Kind: columnar.Numeric}},
	{Name: "c", Type: columnar.Type{Kind: columnar.Decimal, Precision: 9, Scale: 2}},
	{Name: "v", Type: columnar.Type{Kind: columnar.Varchar, Length: 3}},
	{Name: "b", Type: columnar.Type{Kind: columnar.Bool}},
	{Name: "d", Type: columnar.Type{Kind: columnar.Date}},
	{Name: "h", Type: columnar.Type{Kind: columnar.Time}},
	{Name: "t", Type: columnar.Type{Kind: columnar.TimestampTZ}},
	{Name: "x", Type: columnar.Type{Kind: columnar.Bytea}},
	{Name: "ü", Type: columnar.Type{Kind: columnar.UUID}},
}

// modelRecord is what the model reads: for each column its text, nil for NULL; or no record.
type modelRecord struct {
	wrong bool
	texts []*string
}

func modelRead(record []byte) (m modelRecord) {
	m.wrong = true
	m.texts = make([]*string, len(modelColumns))
	if !utf8.Valid(record) || !json.Valid(record) || lonely(record) || depthOf(record) > MaxDepth {
		return m
	}
	d := json.NewDecoder(bytes.NewReader(record))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return m
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return m
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return m
		}
		for i := range modelColumns {
			if modelColumns[i].Name != key {
				continue
			}
			text, ok := modelText(modelColumns[i].Type, raw)
			if !ok {
				return m
			}
			m.texts[i] = text
		}
	}
	m.wrong = false
	return m
}

// modelText returns the text that a value is for a column, and false if none can hold it.
func modelText(t columnar.Type, raw json.RawMessage) (*string, bool) {
	text := string(raw)
	switch {
	case text == "null":
		return nil, true
	case t.Kind == columnar.JSON && !t.Array:
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil || strings.IndexByte(text, 0) >= 0 {
			return nil, false
		}
	case t.Array && raw[0] == '[':
		text = modelArray(raw, t.Kind == columnar.JSON)
	}
	return &text, true
}

func modelArray(raw json.RawMessage, whole bool) string {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		panic(err)
	}
	var parts []string
	for _, v := range list {
		text := string(v)
		switch {
		case text == "null":
			parts = append(parts, "NULL")
			continue
		case v[0] == '[':
			parts = append(parts, modelArray(v, whole))
			continue
		case v[0] == '"' && !whole:
			if err := json.Unmarshal(v, &text); err != nil {
				panic(err)
			}
		}
		parts = append(parts, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var (
	escapes    = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|.)`)
	surrogates = regexp.MustCompile(`^(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*$`)
)

// lonely reports whether JSON has an escape of half a surrogate pair. What is between
// escapes that follow each other becomes a blank.
func lonely(record []byte) bool {
	var halves []byte
	end := 0
	for _, at := range escapes.FindAllIndex(record, -1) {
		if at[0] != end {
			halves = append(halves, ' ')
		}
		e := record[at[0]:at[1]]
		if end = at[1]; len(e) == 6 && e[2]|0x20 == 'd' && e[3] >= '8' {
			halves = append(halves, e...)
		} else {
			halves = append(halves, ' ')
		}
	}
	for part := range bytes.FieldsSeq(halves) {
		if !surrogates.Match(part) {
			return true
		}
	}
	return false
}

// depthOf returns how deep JSON is nested.
func depthOf(record []byte) (deepest int) {
	depth, str := 0, false
	for i := 0; i < len(record); i++ {
		switch c := record[i]; {
		case str && c == '\\':
			i++
		case c == '"':
			str = !str
		case str:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// decoded is what became of an input: rows, and whether the record behind them fails.
type decoded struct {
	rows *testRows
	n    int
	bad  bool
	at   int // where the failing record starts, or blanks before it
}

// decodeAll decodes an input in blocks of at least size bytes and batches of at most most
// records, as package copy does.
func decodeAll(in []byte, array bool, size, most int, forgive bool) (out decoded) {
	out.rows = newTestRows(modelColumns, bytes.Count(in, []byte("{"))+1)
	out.rows.forgive = forgive
	d := NewDecoder(modelColumns, time.UTC)
	d.Begin(array)
	block := size
	for {
		end := min(out.at+block, len(in))
		b := append(make([]byte, 0, end-out.at+2), in[out.at:end]...)
		ready, bad := d.Index(b, end == len(in))
		for k := 0; k < ready; {
			n, ok := d.Decode(out.rows, min(most, ready-k))
			k += n
			out.n += n
			out.rows.at += n
			if !ok {
				out.at += d.End(k)
				out.bad = true
				return out
			}
		}
		out.at += d.End(ready)
		switch {
		case bad:
			out.bad = true
			return out
		case ready > 0:
			block = size
		case end == len(in):
			return out
		default:
			block *= 2
		}
	}
}

// checkInput decodes lines in several ways and compares each with the model. array
// puts the lines into an array instead.
func checkInput(t *testing.T, in []byte, array bool, sizes ...int) {
	t.Helper()
	var records [][]byte
	var want []expected
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		if !blank(line) && (len(want) == 0 || !want[len(want)-1].wrong) {
			want = append(want, expect(t, line))
		}
		if !blank(line) {
			records = append(records, line)
		}
	}
	if array {
		in = append(append([]byte("[\n"), bytes.Join(records, []byte("\r\n,\t"))...), " ]\n"...)
	}
	for _, l := range kernels.Levels() {
		undo := kernels.SetLevelForTest(l)
		for _, size := range sizes {
			for _, most := range []int{1, 64, 1 << 20} {
				what := fmt.Sprintf("level %s, size %d, most %d, array %t, input %q", l, size, most, array, in)
				compareModel(t, what, decodeAll(in, array, size, most, true), in, want, array)
			}
		}
		undo()
	}
}

// expected is what a record becomes.
type expected struct {
	record []byte
	wrong  bool
	texts  []*string // of the values; nil for NULL
}

// expect reads a record with the model, compares what Explain says, and has the types read
// the texts: what they do not take is NULL.
func expect(t *testing.T, record []byte) expected {
	t.Helper()
	m := modelRead(record)
	fields, at, e := Explain(record, Line, modelColumns)
	if (e != nil) != m.wrong || at > len(record) {
		t.Fatalf("%q: explained by %v at %d; the model finds it wrong: %t", record, e, at, m.wrong)
	}
	x := expected{record, m.wrong, make([]*string, len(modelColumns))}
	if m.wrong {
		return x
	}
	for i := range modelColumns {
		text := m.texts[i]
		if fields[i].Null != (text == nil) {
			t.Fatalf("%q: column %d: explained as %+v", record, i, fields[i])
		}
		if text == nil {
			continue
		}
		one := newTestRows(modelColumns[i:i+1], 1)
		one.cols[0].Valid[0] = 1
		if one.Parse(0, 0, []byte(*text)) {
			value, _ := one.text(0, 0)
			x.texts[i] = &value
		}
		again := newTestRows(modelColumns[i:i+1], 1)
		again.cols[0].Valid[0] = 1
		if ok := again.Parse(0, 0, fields[i].Text); ok != (x.texts[i] != nil) {
			t.Fatalf("%q: column %d: explained as %q, want %q", record, i, fields[i].Text, *text)
		} else if value, _ := again.text(0, 0); ok && value != *x.texts[i] {
			t.Fatalf("%q: column %d: explained as %q, want %q", record, i, fields[i].Text, *text)
		}
	}
	return x
}

func compareModel(t *testing.T, what string, got decoded, in []byte, want []expected, array bool) {
	t.Helper()
	for k, x := range want {
		if x.wrong {
			if got.n != k || !got.bad {
				t.Fatalf("%s: record %d is wrong, %d decoded, bad %t", what, k, got.n, got.bad)
			}
			if behind := in[got.at:]; !array && bytes.Contains(behind, []byte("\n")) && !bytes.Contains(behind, x.record) {
				t.Fatalf("%s: record %d is said to be at %d", what, k, got.at)
			}
			return
		}
		if k >= got.n {
			t.Fatalf("%s: record %d is right, %d decoded, bad %t", what, k, got.n, got.bad)
		}
		for i, want := range x.texts {
			text, present := got.rows.text(i, k)
			if present != (want != nil) || present && text != *want {
				t.Fatalf("%s: record %d column %d is %q (%t), want %v", what, k, i, text, present, want)
			}
		}
	}
	if got.n != len(want) || got.bad {
		t.Fatalf("%s: %d records decoded of %d, bad %t", what, got.n, len(want), got.bad)
	}
}

// randomValue returns JSON, mostly of the kind that column c takes.
func randomValue(r *rand.Rand, c Column, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if r.IntN(6) > 0 {
		switch {
		case c.Type.Array && r.IntN(3) > 0:
			return pick(`[]`, `["a","b\"c"]`, `[1,null,"x"]`, `[ [1,2] , [3,4] ]`, `[[1],[2,3]]`, `{"a":[]}`, `[{"k":"v"},"NULL",""]`, `"{1,2}"`)
		case c.Type.Kind == columnar.Bool:
			return pick("true", "false", `"t"`, "1", "0", `"on"`, "null")
		case c.Type.Kind == columnar.Date:
			return pick(`"2024-02-29"`, `"1999-01-08 "`, `"\u0032024-01-01"`, `"infinity"`, "20240101")
		case c.Type.Kind == columnar.Time:
			return pick(`"12:30"`, `"24:00:00"`, `"1"`)
		case c.Type.Kind == columnar.TimestampTZ:
			return pick(`"2024-02-29T12:00:00Z"`, `"2024-01-01 00:00:00.1234567+02"`, `"2024-01-01"`)
		case c.Type.Kind == columnar.UUID:
			return pick(`"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`, `"{a0eebc999c0b4ef8bb6d6bb9bd380a11}"`, `"x"`)
		case c.Type.Kind == columnar.Bytea:
			return pick(`"\\x00ff"`, `"abc"`, `"\\x0"`)
		case c.Type.Kind == columnar.JSON, c.Type.Kind == columnar.Text, c.Type.Kind == columnar.Varchar:
		default:
			return pick("0", "-0", "1", "-17", "123456", "9223372036854775807", "9223372036854775808", "1.5", "-0.25", "1e3", "1E-7",
				"12345678901234567890.5", `"12"`, `"-1.5"`, `"NaN"`, `""`, `" 7 "`, `"1_000"`, "null")
		}
	}
	if depth > 3 {
		return "1"
	}
	switch r.IntN(8) {
	case 0:
		return "{" + randomPairs(r, depth+1) + "}"
	case 1:
		return "[" + randomValue(r, c, depth+1) + pick("", ",", " , ") + randomValue(r, c, depth+1) + pick("]", " ]")
	case 2:
		return pick("null", "true", "false", "nul", "tru", "True", "NaN", "-", "01", "1.", ".5", "+1", "1e", "")
	}
	text := ""
	for range r.IntN(5) {
		text += pick("a", "bc", "ü", "😀", " ", `\"`, `\\`, `\/`, `\n`, `\u00e4`, `\ud83d\ude00`, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "},{\\\"")
		if r.IntN(200) == 0 {
			text += pick(`\ud83d`, `\ude00`, `\u0000`, `\x`, "\t", "\xff", `\u12`, `\`)
		}
	}
	return `"` + text + `"`
}

func randomPairs(r *rand.Rand, depth int) string {
	var parts []string
	blank := func() string { return []string{"", "", "", "", " ", "\t", "\r", "  "}[r.IntN(8)] }
	for range r.IntN(5) {
		c := modelColumns[r.IntN(len(modelColumns))]
		key, _ := json.Marshal(c.Name)
		switch r.IntN(8) {
		case 0:
			key = []byte(`"` + c.Name[:1] + `"`)
		case 1:
			key = []byte(`"\u0069"`)
		}
		parts = append(parts, blank()+string(key)+blank()+":"+blank()+randomValue(r, c, depth)+blank())
	}
	return strings.Join(parts, ",")
}

// randomLines returns lines: records that are alike, and others.
func randomLines(r *rand.Rand) []byte {
	var b []byte
	for range r.IntN(12) {
		switch r.IntN(12) {
		case 0:
			b = append(b, "  \r"...)
		case 1:
			for _, c := range modelColumns[:4] {
				b = fmt.Appendf(b, "%s%q:%s", map[bool]string{true: "{", false: ","}[c.Name == "i"], c.Name, randomValue(r, c, 0))
			}
			b = append(b, "} "...)
		default:
			b = append(b, "{"+randomPairs(r, 0)+"}"...)
		}
		if r.IntN(60) == 0 && len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		b = append(b, []string{"\n", "\r\n", "\n\n"}[r.IntN(3)]...)
	}
	if r.IntN(3) == 0 {
		b = bytes.TrimRight(b, "\r\n")
	}
	return b
}

// TestModel compares random inputs, at every level and in blocks and batches of all sizes,
// with the model.
func TestModel(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		in := randomLines(r)
		checkInput(t, in, false, 1, 1+r.IntN(200), 1<<16)
		if arrayable(in) {
			checkInput(t, in, true, 1, 1+r.IntN(200), 1<<16)
		}
	}
}

// arrayable reports whether the lines of an input are the elements of an array too: the
// walk for elements finds the same ends in them.
func arrayable(in []byte) bool {
	for line := range bytes.SplitSeq(in, []byte("\n")) {
		end, step := element(append([]byte{'['}, line...), 0)
		if !blank(line) && (step != Enough || !blank(line[end-1:])) {
			return false
		}
	}
	return true
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(42, 0))
	for range 50 {
		f.Add(randomLines(r), 1+r.IntN(100))
	}
	f.Add([]byte(`{"i":1,"s":"a"}`+"\n"+`{"i":1,"s":"\ud83d"}`), 3)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		if size < 1 || len(in) > 1<<11 {
			return
		}
		checkInput(t, in, false, size, 1<<16)
		if arrayable(in) {
			checkInput(t, in, true, size, 1<<16)
		}
	})
}
