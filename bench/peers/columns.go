package main

import (
	"fmt"
	"strings"
)

// column is a column of an input: name, type as PostgreSQL words it, and whether the
// input has nulls in it.
type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
}

// parseColumns reads the columns of a CREATE TABLE statement of package inputs. Of its
// inputs only mixed has nulls.
func parseColumns(ddl string) ([]column, error) {
	head, body, ok := strings.Cut(ddl, " (")
	table, isTable := strings.CutPrefix(head, "CREATE TABLE ")
	if !ok || !isTable {
		return nil, fmt.Errorf("no input: %q", ddl)
	}
	var columns []column
	for _, def := range strings.Split(strings.TrimSuffix(body, ")"), ", ") {
		name, typ, ok := strings.Cut(def, " ")
		if !ok {
			return nil, fmt.Errorf("column without a type: %q", def)
		}
		columns = append(columns, column{name, typ, table == "mixed"})
	}
	return columns, nil
}

// createTable returns the statement that makes the table of j, with kind before TABLE.
func createTable(j *job, kind string) string {
	defs := make([]string, len(j.Columns))
	for i, c := range j.Columns {
		defs[i] = c.Name + " " + c.Type
	}
	return "CREATE " + kind + "TABLE " + j.Table + " (" + strings.Join(defs, ", ") + ")"
}

// quoted returns s as an SQL string.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
