package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// statement is one COPY: its text and the data to register before it, if it loads any.
type statement struct {
	table *table
	text  string
	data  arrow.Table
}

// workload is the tables, and for each document its statements.
type workload struct {
	nodes      []table
	edges      []edgeTable
	statements [][]statement
}

// newWorkload makes the data of the documents whose numbers are given, of all for none. The
// same number always has the same data.
func newWorkload(numbers ...int) *workload {
	w := &workload{nodes: nodeTables(), edges: edgeTables(), statements: make([][]statement, len(documents))}
	if len(numbers) == 0 {
		for i := range documents {
			numbers = append(numbers, i)
		}
	}
	for _, n := range numbers {
		w.statements[n] = w.document(n)
	}
	return w
}

// document makes the statements of document number, those of nodes first. Edges are between
// nodes of the document. Which of the tables of edges that reach no table without a node are
// filled changes from document to document.
func (w *workload) document(number int) []statement {
	d := &documents[number]
	m := maker{rand.New(rand.NewPCG(uint64(number), 0x696e676f74))}
	first := int64(number) << 32 // of the document's keys
	var out []statement
	for i, rows := range d.nodes {
		t := &w.nodes[i]
		out = append(out, statement{t, t.copy(), m.table(t, rows, func(_, row int) int64 { return first + int64(row) })})
	}
	usable := 0
	for usable < len(w.edges) && max(w.edges[usable].from, w.edges[usable].to) < len(d.nodes) {
		usable++
	}
	for i, rows := range d.edges {
		e := &w.edges[(i+29*number)%usable]
		ends := []int{d.nodes[e.from], d.nodes[e.to]}
		out = append(out, statement{&e.table, e.copy(), m.table(&e.table, rows, func(col, _ int) int64 {
			return first + int64(m.IntN(ends[col]))
		})})
	}
	return out
}

// maker makes values.
type maker struct{ *rand.Rand }

// table makes rows rows for t; key gives the keys.
func (m *maker) table(t *table, rows int, key func(col, row int) int64) arrow.Table {
	b := array.NewRecordBuilder(memory.DefaultAllocator, t.schema())
	defer b.Release()
	for i := range t.columns {
		c := &t.columns[i]
		for row := range rows {
			if m.IntN(100) < c.percent {
				b.Field(i).AppendNull()
				continue
			}
			switch f := b.Field(i).(type) {
			case *array.Int64Builder:
				if b.Schema().Field(i).Nullable {
					f.Append(m.Int64N(1 << 40))
				} else {
					f.Append(key(i, row))
				}
			case *array.StringBuilder:
				f.Append(m.text())
			case *array.BooleanBuilder:
				f.Append(m.IntN(2) == 1)
			case *array.Float64Builder:
				f.Append(float64(m.IntN(1_000_000)) / 128)
			case *array.Int32Builder:
				f.Append(m.Int32N(1_000_000))
			case *array.TimestampBuilder:
				f.Append(arrow.Timestamp(1_600_000_000_000_000 + m.Int64N(1<<50)))
			case *array.Date32Builder:
				f.Append(arrow.Date32(m.Int32N(25_000)))
			}
		}
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	return array.NewTableFromRecords(rec.Schema(), []arrow.RecordBatch{rec})
}

// words are what texts are made of.
var words = []string{"article", "clause", "section", "amends", "refers to", "définition", "party", "2024/17", "annex", "§ 4", "effective", "notice"}

// text returns one to five words.
func (m *maker) text() string {
	s := words[m.IntN(len(words))]
	for range m.IntN(5) {
		s += " " + words[m.IntN(len(words))]
	}
	return s
}

// check returns an error unless number is that of a document.
func check(number int) error {
	if number < 0 || number >= len(documents) {
		return fmt.Errorf("there is no document %d: want 0 to %d", number, len(documents)-1)
	}
	return nil
}
