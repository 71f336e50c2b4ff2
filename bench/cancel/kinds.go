package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
)

// kind is a kind of load.
type kind struct {
	name    string
	create  string // the table
	rows    int    // or fields, of a record
	write   func(w *bufio.Writer, rows int) error
	options string // of the COPY
	before  bool   // the file was loaded before
	fails   bool   // the load ends with an error
}

var kinds = []kind{
	{name: "ints10", create: strings.Replace(inputs.Schema("ints10"), "ints10", "t", 1), rows: 5_000_000,
		write:   func(w *bufio.Writer, rows int) error { return inputs.Write(w, "ints10", rows) },
		options: ", HEADER"},
	{name: "shuffled", create: "CREATE TABLE t (k int8 PRIMARY KEY, v int4)", rows: 6_000_000, write: shuffled("")},
	{name: "again", create: "CREATE TABLE t (k int8 PRIMARY KEY, v int4)", rows: 6_000_000, write: shuffled(""),
		options: ", ON_CONFLICT ignore", before: true},
	{name: "replace", create: "CREATE TABLE t (k int8 PRIMARY KEY, v int4)", rows: 3_000_000, write: shuffled(""),
		options: ", ON_CONFLICT replace", before: true},
	{name: "text", create: "CREATE TABLE t (k text PRIMARY KEY, v int4)", rows: 2_000_000, write: shuffled("customer-")},
	{name: "record", create: "CREATE TABLE t (k int8, v text)", rows: 3_000_000, write: record, fails: true},
}

func kindNames() string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return strings.Join(names, ",")
}

// writeFile makes the input.
func (k *kind) writeFile(path string, rows int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := k.write(w, rows); err != nil {
		return err
	}
	return w.Flush()
}

// shuffled returns a writer of rows whose keys, with a prefix, are in random order: a
// bijection of 32 bits of the row's number.
func shuffled(prefix string) func(w *bufio.Writer, rows int) error {
	return func(w *bufio.Writer, rows int) error {
		b := make([]byte, 0, 64)
		for i := range uint32(rows) {
			x := i * 0x9e3779b1
			x ^= x >> 15
			x *= 0x85ebca6b
			x ^= x >> 13
			b = append(b[:0], prefix...)
			b = strconv.AppendUint(b, uint64(x), 10)
			b = append(b, ',')
			b = strconv.AppendUint(b, uint64(i), 10)
			b = append(b, '\n')
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}
}

// record writes one record: a key that is no number, and a quoted text with a quote in
// every tenth place.
func record(w *bufio.Writer, fields int) error {
	if _, err := io.WriteString(w, "no number,\""); err != nil {
		return err
	}
	for range fields {
		if _, err := io.WriteString(w, "eightchr\"\""); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\"\n")
	return err
}
