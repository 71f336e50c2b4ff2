// Package inputs writes the files that ingot and its peers are measured with.
//
// An input is a table of made-up rows under a name. The same name and number of rows give
// the same bytes on every machine and with every version of Go: the random numbers are this
// package's own, and floats are made by single divisions and multiplications, which all
// machines round alike. The rows of a short file are the first rows of a long one.
//
// All are CSV as PostgreSQL reads it with HEADER: fields separated by commas, records ended
// by a line feed, a field quoted only where it must be, a quote in it doubled, an unquoted
// empty field for null and a quoted one for the empty string.
//
//	name      rows       columns  bytes of a row, about
//	ints10    5,000,000  10       92: 8.2 digits a field, four bigint and six integer
//	ints30    1,000,000  30       204: 5.8 digits a field
//	mixed     3,000,000  10       147: nine types, nulls, quotes, line feeds, other scripts
//	wide      3,000      2        100,000: prose
//	flights   3,000,000  5        35: the values of real departures, in their proportions
//	small89   100        89       933: bigint
package inputs

import (
	"fmt"
	"io"
	"strings"
)

// input describes one file.
type input struct {
	name    string
	rows    int // as the benchmarks use it
	columns []column

	// start returns the function that appends one record after the other to b, with its line
	// feed. It draws from s.
	start func(s *stream) func(b []byte) []byte
}

// column is a column's name and its type in CREATE TABLE.
type column struct{ name, typ string }

var all = []input{
	{"ints10", 5_000_000, intColumns(10, 4), intRows(10, 27)},
	{"ints30", 1_000_000, intColumns(30, 0), intRows(30, 19)},
	{"mixed", 3_000_000, mixedColumns, mixedRows},
	{"wide", 3_000, wideColumns, wideRows},
	{"flights", 3_000_000, flightColumns, flightRows},
	{"small89", 100, intColumns(89, 89), intRows(89, 31)},
}

func find(name string) (input, bool) {
	for _, in := range all {
		if in.name == name {
			return in, true
		}
	}
	return input{}, false
}

// Names returns the names of all inputs.
func Names() []string {
	names := make([]string, len(all))
	for i, in := range all {
		names[i] = in.name
	}
	return names
}

// DefaultRows returns the number of rows that the benchmarks use of the named input, 0 if
// there is no such input.
func DefaultRows(name string) int {
	in, _ := find(name)
	return in.rows
}

// Schema returns the CREATE TABLE statement, without a semicolon, of a table with the name and
// the columns of the input; the empty string if there is no such input.
func Schema(name string) string {
	in, ok := find(name)
	if !ok {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (", in.name)
	for i, c := range in.columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.name + " " + c.typ)
	}
	b.WriteString(")")
	return b.String()
}

// flushBytes is the size of the buffer above which it is written out.
const flushBytes = 256 << 10

// Write writes the header and the first rows rows of the named input to w, in writes of about
// 256 KiB. It fails if there is no such input, if rows is negative, or if w fails.
func Write(w io.Writer, name string, rows int) error {
	in, ok := find(name)
	if !ok {
		return fmt.Errorf("inputs: no input is called %q; there are %s", name, strings.Join(Names(), ", "))
	}
	if rows < 0 {
		return fmt.Errorf("inputs: %d rows", rows)
	}
	var b []byte
	for i, c := range in.columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, c.name...)
	}
	b = append(b, '\n')
	appendRow := in.start(newStream(name))
	for range rows {
		b = appendRow(b)
		if len(b) >= flushBytes {
			if _, err := w.Write(b); err != nil {
				return fmt.Errorf("inputs: %w", err)
			}
			b = b[:0]
		}
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	return nil
}
