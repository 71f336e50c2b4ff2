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
)

// textModel is the text format read one byte at a time, as its description has it.
type textModel struct {
	delim  byte
	null   string
	header int
	types  []string // text or int4
}

// textResult is what a COPY of the model's comes to.
type textResult struct {
	rows  [][]string
	state string // SQLSTATE of the error, "" if there is none
	line  int
}

func (m *textModel) read(b []byte) (res textResult) {
	style, line := "", 1
	for record := 0; len(b) > 0; record++ {
		var fields []string
		field, n, end, lf, cr := 0, 0, "", 0, 0
		breaks := func() int { // in the record
			if style == "\r" {
				return cr
			}
			return lf
		}
		fail := func(state string) textResult {
			res.state, res.line = state, line+breaks()
			return res
		}
		for n < len(b) && end == "" {
			c := b[n]
			r, size := utf8.DecodeRune(b[n:])
			switch {
			case c == 0 || r == utf8.RuneError && size == 1:
				return fail("22021")
			case c == '\\' && n+1 < len(b) && b[n+1] == '.':
				rest := string(b[n+2:])
				stop := style
				if stop == "" {
					stop = rest[:min(len(rest), 1)]
				}
				if n == 0 && stop != "" && strings.HasPrefix(rest, stop) && (stop == "\n" || stop == "\r" || stop == "\r\n") {
					return res
				}
				return fail("22P04")
			case c == '\\':
				n++
				if n < len(b) && b[n] < 0x80 {
					if b[n] == 0 {
						return fail("22021")
					}
					if b[n] == '\n' {
						lf++
					} else if b[n] == '\r' {
						cr++
					}
					n++
				}
			case c == '\n' || c == '\r':
				end = string(c)
				if c == '\r' && style != "\r" && style != "\n" && n+1 < len(b) && b[n+1] == '\n' {
					end = "\r\n"
				}
				if style == "" {
					style = end
				}
				if end != style {
					return fail("22P04")
				}
			case c == m.delim:
				fields = append(fields, string(b[field:n]))
				n++
				field = n
			default:
				n += size
			}
		}
		last := string(b[field:n])
		if end == "" && oddRun(b[:n]) {
			last = last[:len(last)-1]
		}
		fields = append(fields, last)
		b = b[n+len(end):]
		var values []string
		for _, raw := range fields {
			v, ok := m.value(raw)
			if !ok {
				return fail("22021")
			}
			values = append(values, v)
		}
		if record >= m.header {
			if len(fields) > len(m.types) {
				return fail("22P04")
			}
			for i, v := range values {
				if v == null || m.types[i] == "text" {
					continue
				}
				k, err := strconv.ParseInt(strings.Trim(v, " \t\n\r\v\f"), 10, 32)
				switch {
				case err != nil && strings.Contains(err.Error(), "range"):
					return fail("22003")
				case err != nil:
					return fail("22P02")
				}
				values[i] = strconv.FormatInt(k, 10)
			}
			if len(fields) < len(m.types) {
				return fail("22P04") // what is there is converted first
			}
			res.rows = append(res.rows, values)
		}
		line += breaks() + 1
	}
	return res
}

func (m *textModel) value(raw string) (string, bool) {
	if raw == m.null {
		return null, true
	}
	var v []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			v = append(v, raw[i])
			continue
		}
		if i++; i == len(raw) {
			break
		}
		digits := func(set string, most, base int) {
			n := 0
			for n < most && i+n < len(raw) && strings.IndexByte(set, raw[i+n]) >= 0 {
				n++
			}
			k, _ := strconv.ParseUint(raw[i:i+n], base, 32)
			v = append(v, byte(k))
			i += n - 1
		}
		switch c := raw[i]; {
		case strings.IndexByte("bfnrtv", c) >= 0:
			v = append(v, "\b\f\n\r\t\v"[strings.IndexByte("bfnrtv", c)])
		case c >= '0' && c <= '7':
			digits("01234567", 3, 8)
		case c == 'x' && i+1 < len(raw) && strings.IndexByte("0123456789abcdefABCDEF", raw[i+1]) >= 0:
			i++
			digits("0123456789abcdefABCDEF", 2, 16)
		default:
			v = append(v, c)
		}
	}
	return string(v), utf8.Valid(v) && bytes.IndexByte(v, 0) < 0
}

func (m *textModel) options() []Option {
	word := func(name, v string) Option {
		return Option{Name: name, Values: []OptionValue{{Kind: String, Text: v}}}
	}
	return []Option{
		word("format", "text"), word("delimiter", string(m.delim)), word("null", m.null),
		{Name: "header", Values: []OptionValue{{Kind: Number, Text: strconv.Itoa(m.header)}}},
	}
}

func drawTextModel(r *rand.Rand) *textModel {
	m := &textModel{delim: "\t\t,|"[r.IntN(4)], null: []string{`\N`, `\N`, "", "1", `\0`}[r.IntN(5)], header: r.IntN(4) / 2}
	for range 1 + r.IntN(4) {
		m.types = append(m.types, []string{"text", "text", "int4"}[r.IntN(3)])
	}
	return m
}

// drawTextInput draws bytes that are mostly right under m.
func drawTextInput(r *rand.Rand, m *textModel) []byte {
	eol := []string{"\n", "\n", "\r\n", "\r"}[r.IntN(4)]
	pieces := []string{"a", "xyz", "é", "日本", "1", `\\`, `\\\\`, `\n`, `\t`, `\` + string(m.delim), "\\\n", "\\\r", `\x41`, `\x4`, `\x`, `\101`, `\7`, `\q`, `\é`, `\xc3\xa9`, "", " ", "a long piece of text that needs more than a vector"}
	wrongs := []string{"\n", "\r", "\r\n", string(m.delim), `\.`, `\.` + eol, eol + `\.` + eol, "zz", "\x00", "\xff", `\xff`, `\0`, "\xe2\x82", "9999999999", `\`}
	wrong := r.IntN(3) == 0
	var b bytes.Buffer
	n := r.IntN(200)
	for k := range n {
		for i, typ := range m.types {
			if i > 0 {
				b.WriteByte(m.delim)
			}
			switch {
			case r.IntN(10) == 0:
				b.WriteString(m.null)
			case typ == "int4":
				b.WriteString(strconv.Itoa(int(int32(r.Uint64()) >> r.IntN(32))))
			default:
				for range r.IntN(4) {
					b.WriteString(pieces[r.IntN(len(pieces))])
				}
			}
		}
		if k < n-1 || r.IntN(2) == 0 {
			b.WriteString(eol)
		}
		if wrong && r.IntN(60) == 0 {
			b.WriteString(wrongs[r.IntN(len(wrongs))])
		}
	}
	if r.IntN(8) == 0 {
		b.WriteString(eol + `\.` + eol + "\x00 not looked at")
	}
	if r.IntN(8) == 0 {
		b.WriteString(`\`)
	}
	return b.Bytes()
}

// TestTextModel compares the pipeline with the model on random input under random
// options, with every way to read it.
func TestTextModel(t *testing.T) {
	store := newStore(t)
	dir := t.TempDir()
	n := 300
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := drawTextModel(r)
		checkTextModel(t, store, dir, r, m, drawTextInput(r, m), fmt.Sprintf("seed %d", seed))
	}
}

func checkTextModel(t *testing.T, store *columnar.Store, dir string, r *rand.Rand, m *textModel, b []byte, what string) {
	t.Helper()
	want := m.read(b)
	opt, err := ParseFromOptions(m.options())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.txt")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	columns := make([]string, len(m.types))
	for i, typ := range m.types {
		columns[i] = fmt.Sprintf("c%d %s", i, typ)
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
		target := createTable(t, store, textSchema(t, strings.Join(columns, ", ")))
		res, err := From(context.Background(), store, target, src, opt, env)
		got := readTable(t, store)
		dropTable(t, store)
		label := fmt.Sprintf("%s, %s, %d workers, block %d, read %d, %+v, input %q", what, mode, env.MaxWorkers, env.BlockSize, env.readBytes, *m, b)
		if want.state != "" {
			e, ok := err.(*Error)
			if !ok || e.SQLState != want.state || e.Line != int64(want.line) {
				t.Fatalf("%s:\nerror %v, want %s at line %d", label, err, want.state, want.line)
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
