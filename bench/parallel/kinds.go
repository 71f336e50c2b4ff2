package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
)

// kind is a kind of input.
type kind struct {
	name  string
	rows  int
	ddl   string // CREATE TABLE t
	write func(w io.Writer, rows int) error
}

var kinds = []kind{
	{"narrow", 5_000_000, "CREATE TABLE t (a bigint, b integer)", writeNarrow},
	{"wide", 100_000, strings.Replace(inputs.Schema("small89"), "small89", "t", 1), func(w io.Writer, rows int) error {
		return inputs.Write(w, "small89", rows)
	}},
	{"quotes", 1_000_000, "CREATE TABLE t (a text, b text, c text, d text, e text)", writeQuotes},
	{"long", 300, "CREATE TABLE t (a integer, b text)", writeLong},
}

// longRows is the rows of the kind long with -long.
const longRows = 10_000

// writeNarrow writes numbers of all lengths: a step that has no factor with 2^32 visits
// all of them.
func writeNarrow(w io.Writer, rows int) error {
	b := []byte("a,b\n")
	x := uint32(1)
	for i := range rows {
		x += 2654435769
		b = strconv.AppendInt(b, int64(i), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(x>>(8+x%20)), 10)
		b = append(b, '\n')
		if len(b) > 64<<10 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(b)
	return err
}

// quoted are the fields of the kind quotes.
var quoted = []string{`"plain"`, `"a, b"`, `"said ""yes"" and ""no"""`, "\"two\nlines\"", `""""`, `"x"`, `"end,"`}

func writeQuotes(w io.Writer, rows int) error {
	if _, err := io.WriteString(w, "a,b,c,d,e\n"); err != nil {
		return err
	}
	var b []byte
	for i := range rows {
		b = b[:0]
		for f := range 5 {
			if f > 0 {
				b = append(b, ',')
			}
			b = append(b, quoted[(i*5+f*3+i/7)%len(quoted)]...)
		}
		b = append(b, '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// writeLong writes rows of a million bytes of prose.
func writeLong(w io.Writer, rows int) error {
	text := strings.Repeat("a record may be longer than any buffer, and then it is read in pieces; ", 1_000_000/71)
	if _, err := io.WriteString(w, "a,b\n"); err != nil {
		return err
	}
	for i := range rows {
		if _, err := fmt.Fprintf(w, "%d,\"%s\"\n", i, text); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes rows rows of k to path and returns the file's size.
func (k *kind) writeFile(path string, rows int) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(k.write(w, rows), w.Flush()); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	st, err := f.Stat()
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	return st.Size(), f.Close()
}
