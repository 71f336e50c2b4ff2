package copy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// testCase is expect.json of one folder of testdata/cases.
type testCase struct {
	Case    string
	Mode    string
	Columns []struct{ Name, Type string }
	DDL     []string
	Copy    string
	Input   string
	Bytes   string
	Size    int64  `json:"input_bytes"`
	SHA256  string `json:"input_sha256"`
	Result  string
	Rows    string

	Aggregates map[string]string
	AnyOf      []string `json:"any_of"`
	Notices    []string
	Error      struct {
		SQLState []string
		Line     json.RawMessage
		Column   json.RawMessage
		Message  string
	}
	Vary struct {
		Threads    []int
		ChunkBytes []int `json:"chunk_bytes"`
	}
}

func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(dirs) < 40 {
		t.Fatalf("%d cases, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { runCase(t, dir) })
	}
}

func runCase(t *testing.T, dir string) {
	b, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c testCase
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	threads, blocks := []int{1, 2, 8}, []int{1, 7, 64, 0}
	if c.Vary.Threads != nil {
		threads, blocks = c.Vary.Threads, c.Vary.ChunkBytes
	}
	if strings.HasPrefix(c.Mode, "copy_to") {
		runToCase(t, dir, &c)
		return
	}
	input := caseInput(t, dir, &c)
	store := newStore(t)
	for _, workers := range threads {
		for _, block := range blocks {
			for _, small := range []int64{0, -1} {
				t.Run(fmt.Sprintf("workers=%d,block=%d,small=%d", workers, block, small), func(t *testing.T) {
					env := Env{Files: AnyFile(), MaxWorkers: workers, BlockSize: block, smallBytes: small}
					c.run(t, store, dir, FromFiles(input), env)
				})
			}
			if strings.HasSuffix(c.Input, ".gz") {
				continue // it is the files that are decompressed
			}
			t.Run(fmt.Sprintf("workers=%d,block=%d,stream", workers, block), func(t *testing.T) {
				f, err := os.Open(input)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				env := Env{MaxWorkers: workers, BlockSize: block, smallBytes: -1}
				c.run(t, store, dir, FromReader(f, "stdin"), env)
			})
		}
	}
}

// run loads the input once and compares.
func (c *testCase) run(t *testing.T, store *columnar.Store, dir string, src Source, env Env) {
	schema := c.schema(t)
	target := c.create(t, store, schema)
	defer dropTable(t, store)
	opt, err := ParseFromOptions(parseOptions(t, c.Copy))
	if e, ok := err.(*Error); ok && slices.ContainsFunc(c.AnyOf, func(s string) bool { return strings.Contains(s, e.SQLState) }) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	env.Notice = func(n string) { notices = append(notices, n) }
	res, err := From(context.Background(), store, target, src, opt, env)
	if c.Notices != nil && !slices.Equal(notices, c.Notices) {
		t.Errorf("notices %q, want %q", notices, c.Notices)
	}
	if c.Result == "error" {
		c.checkError(t, err)
		if n := len(readTable(t, store)); n != 0 {
			t.Errorf("%d rows after the error", n)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := readTable(t, store)
	if int(res.Rows) != len(rows) {
		t.Errorf("result has %d rows, the table %d", res.Rows, len(rows))
	}
	switch c.Result {
	case "rows":
		want := readExpected(t, filepath.Join(dir, c.Rows))
		compareRows(t, rows, want)
	case "aggregates":
		for expr, want := range c.Aggregates {
			if got := aggregate(t, schema, rows, expr); got != want {
				t.Errorf("%s = %s, want %s", expr, got, want)
			}
		}
	case "any_of":
		for _, part := range strings.Split(c.AnyOf[len(c.AnyOf)-1], ", ") {
			expr, want, _ := strings.Cut(part, "=")
			if got := aggregate(t, schema, rows, expr); got != want {
				t.Errorf("%s = %s, want %s", expr, got, want)
			}
		}
	default:
		t.Fatalf("result %q", c.Result)
	}
}

// create carries out the DDL of the case, or makes the plain table.
func (c *testCase) create(t *testing.T, store *columnar.Store, schema *columnar.Schema) *Target {
	switch ddl := strings.Join(c.DDL, "; "); ddl {
	case "":
	case "CREATE TABLE t (id int4 PRIMARY KEY, v text)":
		schema.Columns[0].NotNull = true
		schema.Constraints = []columnar.Constraint{{Name: "t_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}
	case "CREATE TABLE t (a int4, b int4, c text); ALTER TABLE t DROP COLUMN b":
		whole := &columnar.Schema{Name: "t", Columns: []columnar.Column{
			schema.Columns[0], {Name: "b", Type: columnar.Type{Kind: columnar.Int4}}, schema.Columns[1],
		}}
		target := createTable(t, store, whole)
		less := target.Schema.Clone()
		less.Columns = slices.Delete(less.Columns, 1, 2)
		txn, err := store.BeginWrite(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := txn.AlterTable(less); err != nil {
			t.Fatal(err)
		}
		if _, err := txn.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		return &Target{Schema: less}
	default:
		t.Fatalf("DDL %q", ddl)
	}
	return createTable(t, store, schema)
}

func (c *testCase) checkError(t *testing.T, err error) {
	t.Helper()
	e, ok := err.(*Error)
	if !ok {
		t.Fatalf("error %T %v, want an *Error with %v", err, err, c.Error.SQLState)
	}
	if !slices.Contains(c.Error.SQLState, e.SQLState) {
		t.Errorf("%v: SQLSTATE %s, want %v", e, e.SQLState, c.Error.SQLState)
	}
	if !strings.Contains(e.Message, c.Error.Message) {
		t.Errorf("message %q, want %q", e.Message, c.Error.Message)
	}
	if !oneOf(c.Error.Line, strconv.FormatInt(e.Line, 10)) {
		t.Errorf("%v: line %d, want %s", e, e.Line, c.Error.Line)
	}
	if !oneOf(c.Error.Column, strconv.Quote(e.Column)) {
		t.Errorf("%v: column %q, want %s", e, e.Column, c.Error.Column)
	}
}

// oneOf reports whether got is raw, or in the list raw, or raw says nothing.
func oneOf(raw json.RawMessage, got string) bool {
	var list []json.RawMessage
	if len(raw) == 0 || string(raw) == "null" {
		return true
	}
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	return slices.ContainsFunc(list, func(m json.RawMessage) bool { return string(m) == got })
}

// caseInput returns the path of the input, made from its recipe if it has one.
func caseInput(t *testing.T, dir string, c *testCase) string {
	path := filepath.Join(dir, c.Input)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".recipe.json") {
		b = cookRecipe(t, b)
	}
	if sum := sha256.Sum256(b); c.SHA256 != "" && (int64(len(b)) != c.Size || hex.EncodeToString(sum[:]) != c.SHA256) {
		t.Fatalf("%s has %d bytes, sum %x", path, len(b), sum)
	}
	out := filepath.Join(t.TempDir(), "input.csv")
	if err := os.WriteFile(out, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.Copy, "symlink") {
		link := filepath.Join(t.TempDir(), "link.csv")
		if err := os.Symlink(out, link); err != nil {
			t.Fatal(err)
		}
		return link
	}
	return out
}

func cookRecipe(t *testing.T, recipe []byte) []byte {
	var r struct {
		Segments []struct {
			Text   string
			Hex    string
			Repeat int
			Start  int
		}
	}
	if err := json.Unmarshal(recipe, &r); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, s := range r.Segments {
		for k := range max(1, s.Repeat) {
			b.WriteString(strings.ReplaceAll(s.Text, "{i}", strconv.Itoa(s.Start+k)))
			raw, err := hex.DecodeString(s.Hex)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(raw)
		}
	}
	return b.Bytes()
}

var manyColumns = regexp.MustCompile(`^(\w+)\{(\d+)\.\.(\d+)\}$`)

func (c *testCase) schema(t *testing.T) *columnar.Schema {
	s := &columnar.Schema{Name: "t"}
	for _, col := range c.Columns {
		typ := parseType(t, col.Type)
		m := manyColumns.FindStringSubmatch(col.Name)
		if m == nil {
			s.Columns = append(s.Columns, columnar.Column{Name: col.Name, Type: typ})
			continue
		}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for i := from; i <= to; i++ {
			s.Columns = append(s.Columns, columnar.Column{Name: fmt.Sprint(m[1], i), Type: typ})
		}
	}
	return s
}

var typeArgs = regexp.MustCompile(`^(\w+)\((\d+)(?:,(\d+))?\)$`)

func parseType(t testing.TB, s string) columnar.Type {
	kinds := map[string]columnar.Kind{
		"bool": columnar.Bool, "int2": columnar.Int2, "int4": columnar.Int4, "int8": columnar.Int8,
		"float4": columnar.Float4, "float8": columnar.Float8, "numeric": columnar.Numeric, "text": columnar.Text,
		"varchar": columnar.Varchar, "bytea": columnar.Bytea, "date": columnar.Date, "time": columnar.Time,
		"timestamp": columnar.Timestamp, "timestamptz": columnar.TimestampTZ, "uuid": columnar.UUID, "json": columnar.JSON,
	}
	if elem, isArray := strings.CutSuffix(s, "[]"); isArray {
		typ := parseType(t, elem)
		typ.Array = true
		return typ
	}
	if m := typeArgs.FindStringSubmatch(s); m != nil {
		p, _ := strconv.Atoi(m[2])
		scale, _ := strconv.Atoi(m[3])
		if m[1] == "numeric" {
			return columnar.Type{Kind: columnar.Decimal, Precision: uint8(p), Scale: uint8(scale)}
		}
		return columnar.Type{Kind: columnar.Varchar, Length: int32(p)}
	}
	if k := kinds[s]; k != 0 {
		return columnar.Type{Kind: k}
	}
	t.Fatalf("type %q", s)
	return columnar.Type{}
}

var optionList = regexp.MustCompile(`(?s)WITH \((.*)\)$`)

// parseOptions reads the option list of a COPY statement, as far as the cases go.
func parseOptions(t testing.TB, statement string) []Option {
	m := optionList.FindStringSubmatch(statement)
	if m == nil {
		return nil
	}
	var tokens []OptionValue
	for s := m[1]; s != ""; {
		switch c := s[0]; {
		case c == ' ':
			s = s[1:]
		case c == '\'':
			end := 1 + strings.IndexByte(s[1:], '\'')
			tokens = append(tokens, OptionValue{Kind: String, Text: s[1:end]})
			s = s[end+1:]
		case strings.IndexByte("(),*", c) >= 0:
			tokens = append(tokens, OptionValue{Kind: Star, Text: s[:1]})
			s = s[1:]
		default:
			n := strings.IndexAny(s+" ", " ,()'")
			kind := Word
			if c >= '0' && c <= '9' || c == '-' {
				kind = Number
			}
			tokens = append(tokens, OptionValue{Kind: kind, Text: s[:n]})
			s = s[n:]
		}
	}
	var out []Option
	for i := 0; i < len(tokens); i++ {
		o := Option{Name: tokens[i].Text}
		for i++; i < len(tokens) && (tokens[i].Kind != Star || tokens[i].Text == "*"); i++ {
			o.Values = append(o.Values, tokens[i])
		}
		if i < len(tokens) && tokens[i].Text == "(" {
			o.List = true
			for i++; tokens[i].Text != ")"; i++ {
				if tokens[i].Text != "," {
					o.Values = append(o.Values, tokens[i])
				}
			}
			i++
		}
		out = append(out, o)
	}
	return out
}

func newStore(t testing.TB) *columnar.Store {
	t.Helper()
	s, err := columnar.Open(context.Background(), filepath.Join(t.TempDir(), "store"), columnar.Options{Durability: columnar.None})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// createTable makes the table and returns it as the target of a COPY.
func createTable(t testing.TB, store *columnar.Store, schema *columnar.Schema) *Target {
	t.Helper()
	ctx := context.Background()
	txn, err := store.BeginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := txn.CreateTable(schema); err != nil {
		t.Fatal(err)
	}
	table, err := txn.Table(schema.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	return &Target{Schema: table.Schema()}
}

// null is what readTable gives for NULL; no text of the cases is like it.
const null = "\x00null"

// readTable returns all rows of table t as text.
func readTable(t testing.TB, store *columnar.Store) [][]string {
	t.Helper()
	snap, err := store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	table, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for b, err := range table.Scan(context.Background(), columnar.ScanOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			row := make([]string, len(b.Cols))
			for k := range b.Cols {
				row[k] = null
				if !b.Cols[k].IsNull(i) {
					row[k] = string(b.Cols[k].AppendText(nil, i, time.UTC))
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func compareRows(t *testing.T, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows %q, want %d", len(got), got[:min(10, len(got))], len(want))
	}
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// readExpected reads an expect.csv: a head of name:type, then rows of quoted values;
// a NULL is empty and has no quotes.
func readExpected(t *testing.T, path string) [][]string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records := naiveCSV(b, ',', '"', '"')
	var rows [][]string
	for _, rec := range records[1:] {
		var row []string
		for i, f := range rec {
			switch typ := records[0][i].text; {
			case !f.quoted:
				row = append(row, null)
			case strings.HasSuffix(typ, ":bool"):
				row = append(row, f.text[:1])
			default:
				row = append(row, f.text)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

var aggregateCall = regexp.MustCompile(`^(\w+)\((distinct )?(\*|\w+|length\(\w+\))\)(?: filter \(where (\w+)='(.*)'\))?$`)

// aggregate evaluates one aggregate expression over rows of text.
func aggregate(t *testing.T, s *columnar.Schema, rows [][]string, expr string) string {
	m := aggregateCall.FindStringSubmatch(expr)
	if m == nil {
		t.Fatalf("aggregate %q", expr)
	}
	arg, length := strings.CutPrefix(m[3], "length(")
	arg = strings.TrimSuffix(arg, ")")
	col := s.Lookup(arg)
	sum, n, distinct := new(big.Int), 0, map[string]bool{}
	for _, row := range rows {
		if m[4] != "" && row[s.Lookup(m[4])] != m[5] || col >= 0 && row[col] == null {
			continue
		}
		n++
		if col < 0 {
			continue
		}
		distinct[row[col]] = true
		v := new(big.Int)
		if length {
			v.SetInt64(int64(len([]rune(row[col]))))
		} else {
			v.SetString(row[col], 10)
		}
		sum.Add(sum, v)
	}
	switch {
	case m[1] == "sum":
		return sum.String()
	case m[1] == "count" && m[2] != "":
		return strconv.Itoa(len(distinct))
	case m[1] == "count":
		return strconv.Itoa(n)
	}
	t.Fatalf("aggregate %q", expr)
	return ""
}

// runToCase loads the case's table, writes it, compares the bytes, and loads them again.
func runToCase(t *testing.T, dir string, c *testCase) {
	ctx := context.Background()
	store := newStore(t)
	target := createTable(t, store, c.schema(t))
	from, err := ParseFromOptions(headerOptions)
	if err != nil {
		t.Fatal(err)
	}
	env := Env{Files: AnyFile()}
	if _, err := From(ctx, store, target, FromFiles(caseInput(t, dir, c)), from, env); err != nil {
		t.Fatal(err)
	}
	want := readTable(t, store)
	to, err := ParseToOptions(parseOptions(t, c.Copy))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	if strings.Contains(c.Copy, "/dev/full") {
		out = "/dev/full"
	}
	err = copyTable(t, store, ToFile(out), to, env)
	if c.Result == "error" {
		c.checkError(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if c.Result != "roundtrip" {
		expect, err := os.ReadFile(filepath.Join(dir, c.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, expect) {
			t.Fatalf("wrote %q, want %q", got, expect)
		}
	}
	again := newStore(t)
	options := slices.DeleteFunc(parseOptions(t, c.Copy), func(o Option) bool { return o.Name == "FORCE_QUOTE" })
	if from, err = ParseFromOptions(options); err != nil {
		t.Fatal(err)
	}
	if _, err := From(ctx, again, createTable(t, again, c.schema(t)), FromFiles(out), from, env); err != nil {
		t.Fatal(err)
	}
	compareRows(t, readTable(t, again), want)
}

// copyTable writes table t.
func copyTable(t testing.TB, store *columnar.Store, dst Destination, opt *ToOptions, env Env) error {
	t.Helper()
	snap, err := store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	table, err := snap.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	content, err := TableContent(table, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = To(context.Background(), content, dst, opt, nil, env)
	return err
}
