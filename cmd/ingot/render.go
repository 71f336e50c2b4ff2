package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// modes are the values of --mode, the default first.
var modes = []string{"box", "csv", "json", "ndjson", "markdown", "line"}

// pageRows is how many rows one box holds: the width of its columns is known only when
// the last of them has been seen, so a longer result is printed as several boxes.
const pageRows = 10_000

// column is a column of a query's result.
type column struct {
	name string
	typ  columnar.Type
}

// renderer prints one query's result. rows is called any number of times; cols are only
// valid during the call.
type renderer interface {
	rows(n int, cols []columnar.Vec) error
	end() error
}

// newRenderer returns the renderer of a mode but csv, which is COPY's. It writes to w, which the caller flushes;
// loc is the zone of timestamptz values.
func newRenderer(mode string, w *bufio.Writer, cols []column, loc *time.Location) renderer {
	p := printer{w: w, cols: cols, loc: loc}
	switch mode {
	case "json":
		return &jsonMode{printer: p, array: true}
	case "ndjson":
		return &jsonMode{printer: p}
	case "markdown":
		return newMarkdown(p)
	case "line":
		return &lineMode{printer: p}
	}
	return &boxMode{printer: p}
}

// printer is what all renderers have: where to, and a buffer for one value.
type printer struct {
	w    *bufio.Writer
	cols []column
	loc  *time.Location
	buf  []byte
}

// text returns a value as PostgreSQL prints it. The result is valid until the next call.
func (p *printer) text(v *columnar.Vec, i int) []byte {
	p.buf = v.AppendText(p.buf[:0], i, p.loc)
	return p.buf
}

// null is how box, markdown and line show NULL.
const null = "NULL"

// visible returns b with control characters but newline and tab written as \xNN, so that
// data cannot drive the terminal.
func visible(b []byte) string {
	if bytes.IndexFunc(b, hidden) < 0 {
		return string(b)
	}
	var out strings.Builder
	for _, r := range string(b) {
		if hidden(r) {
			fmt.Fprintf(&out, `\x%02x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}

// number reports whether values of t are printed as numbers: aligned right, and not
// quoted in JSON.
func number(t columnar.Type) bool {
	if t.Array {
		return false
	}
	switch t.Kind {
	case columnar.Int2, columnar.Int4, columnar.Int8, columnar.Float4, columnar.Float8,
		columnar.Decimal, columnar.Numeric:
		return true
	}
	return false
}

// boxMode draws a table with lines around it.
type boxMode struct {
	printer
	page []table.Row
	any  bool
}

func (m *boxMode) rows(n int, cols []columnar.Vec) error {
	for i := range n {
		row := make(table.Row, len(cols))
		for c := range cols {
			if cols[c].IsNull(i) {
				row[c] = null
			} else {
				row[c] = visible(m.text(&cols[c], i))
			}
		}
		if m.page = append(m.page, row); len(m.page) == pageRows {
			if err := m.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *boxMode) end() error {
	if m.any && len(m.page) == 0 {
		return nil
	}
	return m.flush()
}

// flush draws the rows collected so far.
func (m *boxMode) flush() error {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	head := make(table.Row, len(m.cols))
	config := make([]table.ColumnConfig, len(m.cols))
	for i, c := range m.cols {
		head[i] = visible([]byte(c.name))
		config[i] = table.ColumnConfig{Number: i + 1}
		if number(c.typ) {
			config[i].Align, config[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	t.AppendHeader(head)
	t.SetColumnConfigs(config)
	t.AppendRows(m.page)
	m.page, m.any = m.page[:0], true
	_, err := io.WriteString(m.w, t.Render()+"\n")
	return err
}

// jsonMode writes objects with the columns as keys: one per line, or one array of them.
type jsonMode struct {
	printer
	array bool
	n     int64
	keys  [][]byte
	line  []byte
}

func (m *jsonMode) rows(n int, cols []columnar.Vec) error {
	if m.keys == nil {
		m.keys = make([][]byte, len(m.cols))
		for i, c := range m.cols {
			m.keys[i] = append(appendJSONString(nil, []byte(c.name)), ':')
		}
	}
	for i := range n {
		b := m.line[:0]
		switch {
		case m.array && m.n == 0:
			b = append(b, '[')
		case m.array:
			b = append(b, ",\n "...)
		}
		b = append(b, '{')
		for c := range cols {
			if c > 0 {
				b = append(b, ',')
			}
			b = m.appendValue(append(b, m.keys[c]...), &cols[c], i)
		}
		b = append(b, '}')
		if !m.array {
			b = append(b, '\n')
		}
		m.n++
		m.line = b
		if _, err := m.w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// appendValue appends a value as JSON. Numbers keep every digit; NaN and the infinities,
// which JSON has not, are strings.
func (m *jsonMode) appendValue(b []byte, v *columnar.Vec, i int) []byte {
	if v.IsNull(i) {
		return append(b, "null"...)
	}
	t := v.Type()
	switch {
	case t.Kind == columnar.Bool && !t.Array:
		return strconv.AppendBool(b, v.Bool(i))
	case t.Kind == columnar.JSON && !t.Array:
		return append(b, oneLine(m.text(v, i))...)
	case number(t):
		s := m.text(v, i)
		if c := s[len(s)-1]; c >= '0' && c <= '9' {
			return append(b, s...)
		}
		return appendJSONString(b, s)
	}
	return appendJSONString(b, m.text(v, i))
}

// oneLine replaces the line ends of a JSON document by spaces, in place: they would break
// ndjson, and JSON has them between tokens only.
func oneLine(doc []byte) []byte {
	for i, c := range doc {
		if c == '\n' || c == '\r' {
			doc[i] = ' '
		}
	}
	return doc
}

func (m *jsonMode) end() error {
	if !m.array {
		return nil
	}
	tail := "]\n"
	if m.n == 0 {
		tail = "[]\n"
	}
	_, err := m.w.WriteString(tail)
	return err
}

// appendJSONString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendJSONString(b, s []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
		s = s[n:]
	}
	return append(b, '"')
}

// markdownMode writes a pipe table.
type markdownMode struct {
	printer
	err error
}

func newMarkdown(p printer) *markdownMode {
	m := &markdownMode{printer: p}
	var head, rule strings.Builder
	for _, c := range p.cols {
		head.WriteString("| " + markdown([]byte(c.name)) + " ")
		if number(c.typ) {
			rule.WriteString("|---:")
		} else {
			rule.WriteString("|:---")
		}
	}
	_, m.err = m.w.WriteString(head.String() + "|\n" + rule.String() + "|\n")
	return m
}

func (m *markdownMode) rows(n int, cols []columnar.Vec) error {
	for i := range n {
		for c := range cols {
			cell := null
			if !cols[c].IsNull(i) {
				cell = markdown(m.text(&cols[c], i))
			}
			if _, err := m.w.WriteString("| " + cell + " "); err != nil {
				return err
			}
		}
		if _, err := m.w.WriteString("|\n"); err != nil {
			return err
		}
	}
	return m.err
}

func (m *markdownMode) end() error { return m.err }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", "<br>", "\n", "<br>", "<", "&lt;")

// markdown returns b as the text of a table cell.
func markdown(b []byte) string { return visible([]byte(markdownEscapes.Replace(string(b)))) }

// lineMode writes one "name = value" line per value and an empty line between rows.
type lineMode struct {
	printer
	any bool
}

func (m *lineMode) rows(n int, cols []columnar.Vec) error {
	width := 0
	for _, c := range m.cols {
		width = max(width, text.StringWidthWithoutEscSequences(c.name))
	}
	for i := range n {
		if m.any {
			if err := m.w.WriteByte('\n'); err != nil {
				return err
			}
		}
		m.any = true
		for c := range cols {
			value := null
			if !cols[c].IsNull(i) {
				value = visible(m.text(&cols[c], i))
			}
			name := text.AlignRight.Apply(visible([]byte(m.cols[c].name)), width)
			if _, err := m.w.WriteString(name + " = " + value + "\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *lineMode) end() error { return nil }
