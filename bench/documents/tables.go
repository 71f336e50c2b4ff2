package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// stagedName is the name that Arrow data is registered under.
const stagedName = "staged"

// widths are the numbers of columns of the tables of nodes.
var widths = []int{40, 89, 18, 66, 9, 84, 31, 75, 47, 86, 55, 60}

// table is a table of the store.
type table struct {
	name    string
	columns []column
}

// column is a column of a table. The first of a table of nodes and the first two of a table
// of edges are keys.
type column struct {
	name    string
	typ     string // in CREATE TABLE, with constraints
	arrow   arrow.DataType
	percent int // of values that are null
}

// properties are the types of columns that are no keys, in the order in which they come
// again and again.
var properties = []struct {
	typ   string
	arrow arrow.DataType
}{
	{"text", arrow.BinaryTypes.String},
	{"bigint", arrow.PrimitiveTypes.Int64},
	{"boolean", arrow.FixedWidthTypes.Boolean},
	{"text", arrow.BinaryTypes.String},
	{"double precision", arrow.PrimitiveTypes.Float64},
	{"timestamptz", arrow.FixedWidthTypes.Timestamp_us},
	{"text", arrow.BinaryTypes.String},
	{"integer", arrow.PrimitiveTypes.Int32},
	{"date", arrow.FixedWidthTypes.Date32},
}

// nullPercents are how many values of a property are null, in the order in which they come
// again and again.
var nullPercents = []int{0, 5, 40, 0, 90}

// nodeTables returns the tables of nodes.
func nodeTables() []table {
	out := make([]table, len(widths))
	for i, width := range widths {
		t := table{name: fmt.Sprintf("node%02d", i)}
		t.columns = append(t.columns, column{"id", "bigint PRIMARY KEY", arrow.PrimitiveTypes.Int64, 0})
		for k := range width - 1 {
			p := properties[(i+k)%len(properties)]
			t.columns = append(t.columns, column{fmt.Sprintf("property%02d", k), p.typ, p.arrow, nullPercents[k%len(nullPercents)]})
		}
		out[i] = t
	}
	return out
}

// edgeTable is the table of the edges from one table of nodes to another.
type edgeTable struct {
	table
	from, to int
}

// edgeTables returns the tables of edges: those that reach a table of nodes come before
// those that reach a later one.
func edgeTables() []edgeTable {
	var pairs [][2]int
	for i := 1; i < len(widths); i++ {
		pairs = append(pairs, [2]int{0, i}, [2]int{i / 2, i}, [2]int{i, i}, [2]int{i, i / 2})
		if i >= len(widths)-4 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
	}
	pairs = slices.Compact(pairs) // i/2 is 0 for the first
	out := make([]edgeTable, len(pairs))
	for i, p := range pairs {
		out[i] = edgeTable{from: p[0], to: p[1], table: table{
			name: fmt.Sprintf("edge%02dto%02d", p[0], p[1]),
			columns: []column{
				{"from_id", "bigint NOT NULL", arrow.PrimitiveTypes.Int64, 0},
				{"to_id", "bigint NOT NULL", arrow.PrimitiveTypes.Int64, 0},
				{"role", "text", arrow.BinaryTypes.String, 0},
				{"weight", "double precision", arrow.PrimitiveTypes.Float64, 20},
				{"since", "timestamptz", arrow.FixedWidthTypes.Timestamp_us, 50},
			},
		}}
	}
	return out
}

// create returns the statement that makes t.
func (t *table) create() string {
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		list[i] = c.name + " " + c.typ
	}
	return "CREATE TABLE " + t.name + " (" + strings.Join(list, ", ") + ")"
}

// copy returns the statement that loads t from what is staged.
func (t *table) copy() string {
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		list[i] = c.name
	}
	return "COPY " + t.name + " FROM (SELECT " + strings.Join(list, ", ") + " FROM " + stagedName + ")"
}

// schema returns the schema of Arrow data for t.
func (t *table) schema() *arrow.Schema {
	fields := make([]arrow.Field, len(t.columns))
	for i, c := range t.columns {
		fields[i] = arrow.Field{Name: c.name, Type: c.arrow, Nullable: !strings.Contains(c.typ, " KEY") && !strings.Contains(c.typ, " NOT NULL")}
	}
	return arrow.NewSchema(fields, nil)
}
