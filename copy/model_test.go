package copy

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// modelOptions are what the model test draws.
type modelOptions struct {
	delim, quote, escape byte
	null                 string
	header               int
	forceNull, forceNot  bool
	types                []string
	notNull              bool // of the first column
}

func (o *modelOptions) options() []Option {
	word := func(name, v string) Option {
		return Option{Name: name, Values: []OptionValue{{Kind: String, Text: v}}}
	}
	list := []Option{
		word("format", "csv"), word("delimiter", string(o.delim)), word("quote", string(o.quote)), word("escape", string(o.escape)), word("null", o.null),
		{Name: "header", Values: []OptionValue{{Kind: Number, Text: strconv.Itoa(o.header)}}},
	}
	star := []OptionValue{{Kind: Star, Text: "*"}}
	if o.forceNull {
		list = append(list, Option{Name: "force_null", Values: star})
	}
	if o.forceNot {
		list = append(list, Option{Name: "force_not_null", Values: star})
	}
	return list
}

// modelResult is what a COPY of the model's comes to.
type modelResult struct {
	rows  [][]string
	state string // SQLSTATE of the error, "" if there is none
	line  int
	row   int // of the failing record
}

// model reads b record by record, byte by byte.
func (o *modelOptions) model(b []byte) modelResult {
	var res modelResult
	b = bytes.TrimPrefix(b, byteOrderMark)
	style, line := "", 1
	breaks := func(s string) int {
		if style == "\r" {
			return strings.Count(s, "\r")
		}
		return strings.Count(s, "\n")
	}
	for skip := o.header; len(b) > 0; skip-- {
		// Cut one record off.
		state, end, stop := 0, len(b), ""
		fail := ""
		n := 0
	scan:
		for n < len(b) && fail == "" {
			c := b[n]
			if c == 0 || c >= 0x80 && !utf8.FullRune(b[n:]) {
				fail = "22021"
				break
			}
			if c >= 0x80 {
				r, size := utf8.DecodeRune(b[n:])
				if r == utf8.RuneError && size == 1 {
					fail = "22021"
					break
				}
				if state == 2 {
					state = 1
				}
				n += size
				continue
			}
			switch {
			case state == 0 && (c == '\n' || c == '\r'):
				stop = string(c)
				if c == '\r' && n+1 < len(b) && b[n+1] == '\n' && style != "\r" && style != "\n" {
					stop = "\r\n"
				}
				if style == "" {
					style = stop
				}
				if stop != style {
					fail = "22P04"
				}
				end = n
				break scan
			case state == 0 && c == o.quote:
				state = 1
			case state == 1 && c == o.escape && o.escape != o.quote:
				state = 2
			case state == 1 && c == o.quote:
				state = 0
			case state == 2:
				state = 1
			}
			n++
		}
		if fail == "" && state != 0 {
			fail, end = "22P04", len(b)
		}
		record := string(b[:end])
		if fail != "" {
			res.state, res.line, res.row = fail, line+breaks(string(b[:n])), len(res.rows)
			return res
		}
		next := line + breaks(record+stop)
		at := line + breaks(record)
		line = next
		b = b[end+len(stop):]
		if skip > 0 {
			continue
		}
		row, state2 := o.row(naiveCSV([]byte(record), o.delim, o.quote, o.escape))
		if state2 != "" {
			res.state, res.line, res.row = state2, at, len(res.rows)
			return res
		}
		res.rows = append(res.rows, row)
	}
	return res
}

// row converts one record, which naiveCSV has read.
func (o *modelOptions) row(records [][]naiveField) ([]string, string) {
	fields := []naiveField{{}}
	if len(records) > 0 {
		fields = records[0]
		for _, more := range records[1:] { // a line break that is data for this style only in quotes
			fields = append(fields, more...)
		}
	}
	if len(fields) > len(o.types) {
		return nil, "22P04"
	}
	row := make([]string, len(fields))
	for i, f := range fields {
		isNull := !f.quoted && f.raw == o.null
		if isNull && o.forceNot {
			isNull = false
		} else if f.quoted && o.forceNull && f.text == o.null {
			isNull = true
		}
		if isNull {
			row[i] = null
			continue
		}
		row[i] = f.text
		switch o.types[i] {
		case "int4":
			v, st := pgtext.Int([]byte(f.text), 32)
			switch st {
			case pgtext.OK:
			case pgtext.Range:
				return nil, "22003"
			default:
				return nil, "22P02"
			}
			row[i] = strconv.FormatInt(v, 10)
		case "bool":
			v, st := pgtext.Bool([]byte(f.text))
			if st != pgtext.OK {
				return nil, "22P02"
			}
			row[i] = strconv.FormatBool(v)[:1]
		}
	}
	if len(fields) < len(o.types) {
		return nil, "22P04" // what is there is converted first
	}
	if o.notNull && row[0] == null {
		return nil, "23502"
	}
	return row, ""
}

// drawOptions draws options that ParseFromOptions takes.
func drawOptions(r *rand.Rand) *modelOptions {
	o := &modelOptions{delim: ",;|\t "[r.IntN(5)], quote: "\"\"\"'3"[r.IntN(5)], null: []string{"", "", "", "NUL", "-1", "1"}[r.IntN(6)], header: r.IntN(4) / 2}
	o.escape = o.quote
	if r.IntN(3) == 0 {
		o.escape = '\\'
	}
	if r.IntN(4) == 0 {
		o.forceNull = true
	}
	if r.IntN(4) == 0 {
		o.forceNot = true
	}
	o.notNull = r.IntN(6) == 0
	for range 1 + r.IntN(4) {
		o.types = append(o.types, []string{"text", "int4", "text", "bool"}[r.IntN(4)])
	}
	return o
}

// drawInput draws bytes that are mostly right under o.
func drawInput(r *rand.Rand, o *modelOptions) []byte {
	eol := []string{"\n", "\r\n", "\r", "\n"}[r.IntN(4)]
	var b bytes.Buffer
	if r.IntN(8) == 0 {
		b.Write(byteOrderMark)
	}
	wrong := r.IntN(3) == 0
	pieces := []string{"a", "xyz", "é", "日本", "1", "\n", "\r", "\r\n", string(o.delim), string(o.quote), string(o.escape), "\\", "", " ", "a long piece of text that needs more than a vector"}
	quoted := func(s string) string {
		var q strings.Builder
		q.WriteByte(o.quote)
		for i := range len(s) {
			if s[i] == o.quote || s[i] == o.escape {
				q.WriteByte(o.escape)
			}
			q.WriteByte(s[i])
		}
		q.WriteByte(o.quote)
		return q.String()
	}
	n := r.IntN(300)
	for k := range n {
		for i, typ := range o.types {
			if i > 0 {
				b.WriteByte(o.delim)
			}
			var f string
			switch typ {
			case "int4":
				f = strconv.Itoa(int(int32(r.Uint64()) >> r.IntN(32)))
			case "bool":
				f = []string{"t", "false", "1", "0", "TRUE", "Y", "off"}[r.IntN(7)]
			default:
				for range r.IntN(4) {
					f += pieces[r.IntN(len(pieces))]
				}
			}
			switch x := r.IntN(10); {
			case x == 0:
				b.WriteString(o.null)
			case x == 1:
				b.WriteString(quoted(o.null))
			case x < 5 || strings.ContainsAny(f, "\r\n"+string(o.delim)+string(o.quote)+string(o.escape)):
				b.WriteString(quoted(f))
			default:
				b.WriteString(f)
			}
		}
		if k < n-1 || r.IntN(2) == 0 {
			b.WriteString(eol)
		}
		if wrong && r.IntN(30) == 0 {
			b.WriteString([]string{"\n", "\r", "\r\n", string(o.delim), string(o.quote), "zz", "\x00", "\xff", "\xe2\x82", "9999999999"}[r.IntN(10)])
		}
	}
	return b.Bytes()
}

// TestModel compares the pipeline with the model on random input under random options,
// with every way to read it.
func TestModel(t *testing.T) {
	store := newStore(t)
	dir := t.TempDir()
	n := 400
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		modelOnce(t, store, dir, seed)
	}
}

func modelOnce(t *testing.T, store *columnar.Store, dir string, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	o := drawOptions(r)
	checkModel(t, store, dir, r, o, drawInput(r, o), fmt.Sprintf("seed %d", seed))
}

func checkModel(t *testing.T, store *columnar.Store, dir string, r *rand.Rand, o *modelOptions, b []byte, what string) {
	t.Helper()
	want := o.model(b)
	opt, err := ParseFromOptions(o.options())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.csv")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"file", "split", "split", "split", "stream"} {
		env := Env{Files: AnyFile(), MaxWorkers: 1 + r.IntN(9), BlockSize: 1 << r.IntN(12), smallBytes: -1, readBytes: r.IntN(2) << r.IntN(12), MemoryLimit: int64(r.IntN(2) << r.IntN(14))}
		src := FromFiles(path)
		switch mode {
		case "file":
			env.smallBytes = 0
		case "stream":
			src = FromReader(iotest.HalfReader(bytes.NewReader(b)), "stdin")
		}
		schema := &columnar.Schema{Name: "t"}
		for i, typ := range o.types {
			schema.Columns = append(schema.Columns, columnar.Column{Name: fmt.Sprint("c", i), Type: parseType(t, typ), NotNull: o.notNull && i == 0})
		}
		target := createTable(t, store, schema)
		res, err := From(context.Background(), store, target, src, opt, env)
		got := readTable(t, store)
		dropTable(t, store)
		label := fmt.Sprintf("%s, %s, %d workers, block %d, options %+v, input %q", what, mode, env.MaxWorkers, env.BlockSize, *o, b)
		if want.state != "" {
			e, ok := err.(*Error)
			if !ok || e.SQLState != want.state || e.Line != int64(want.line) {
				t.Fatalf("%s:\nerror %v, want %s at line %d (row %d)", label, err, want.state, want.line, want.row)
			}
			if len(got) > 0 {
				t.Fatalf("%s: %d rows after an error", label, len(got))
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s:\nerror %v, want %d rows", label, err, len(want.rows))
		}
		if int(res.Rows) != len(want.rows) || len(got) != len(want.rows) {
			t.Fatalf("%s:\n%d rows, %d in the table, want %d", label, res.Rows, len(got), len(want.rows))
		}
		for i := range got {
			if !slices.Equal(got[i], want.rows[i]) {
				t.Fatalf("%s:\nrow %d is %q, want %q", label, i, got[i], want.rows[i])
			}
		}
	}
}

func dropTable(t testing.TB, store *columnar.Store) {
	t.Helper()
	txn, err := store.BeginWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := txn.DropTable("t"); err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
}
