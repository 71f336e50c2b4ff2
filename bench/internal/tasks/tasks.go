// Package tasks says what is asked of a loaded input: files to write and queries to answer.
// bench/load and bench/peers ask the same, in the same words.
//
//	task                input   what
//	csv, binary         both    the whole table to a file: COPY TO, or what a peer has for it
//	parquet, ndjson,
//	arrow               mixed   the same
//	sums                ints10  a count and two sums
//	filter              ints10  a count where two columns are between bounds: a twentieth of the rows
//	group               mixed   count and sum of every category
//	like                mixed   a count of the notes that hold a word
//
// Every query is SQL that ingot, DuckDB, ClickHouse and PostgreSQL understand alike. Sums are
// of integers, and rows are ordered by bytes, so answers are equal to the byte.
package tasks

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Task is one thing to do with the table of an input, which has the input's name.
type Task struct {
	Input string
	Name  string
	Query string // the text of a query; empty for a file to write, in the format Name
}

// All are the tasks, in the order in which they are measured: queries before files, so that a
// file is written from a table that was read before.
var All = []Task{
	{"ints10", "sums", "SELECT count(*), sum(c1), sum(c5) FROM ints10"},
	{"ints10", "filter", "SELECT count(*) FROM ints10 WHERE c2 < 33554432 AND c6 >= 107374182"},
	{"ints10", "csv", ""},
	{"ints10", "binary", ""},
	{"mixed", "group", "SELECT category, count(*), sum(quantity) FROM mixed GROUP BY category ORDER BY category"},
	{"mixed", "like", "SELECT count(*) FROM mixed WHERE note LIKE '%river%'"},
	{"mixed", "csv", ""},
	{"mixed", "binary", ""},
	{"mixed", "parquet", ""},
	{"mixed", "ndjson", ""},
	{"mixed", "arrow", ""},
}

// Of returns the tasks of an input whose names are in names, in the order of All; an error if
// there is one that does not exist.
func Of(input string, names []string) ([]Task, error) {
	var found []Task
	for _, t := range All {
		if t.Input == input && slices.Contains(names, t.Name) {
			found = append(found, t)
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(All, func(t Task) bool { return t.Input == input && t.Name == n }) {
			return nil, fmt.Errorf("tasks: %s has no task %q", input, n)
		}
	}
	return found, nil
}

// Answer returns a short form of the rows that a query has given, each a list of fields as
// text. Equal rows have equal answers.
func Answer(rows [][]string) string {
	if len(rows) == 1 {
		return strings.Join(rows[0], " ")
	}
	h := fnv.New64a()
	for _, r := range rows {
		fmt.Fprintf(h, "%q\n", r)
	}
	return fmt.Sprintf("%d rows, %016x", len(rows), h.Sum64())
}
