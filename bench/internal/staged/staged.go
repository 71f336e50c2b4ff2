// Package staged is how bench/documents tells the program peers what to load: documents, each
// a list of statements, each a CSV file with a header and the table that it goes into.
//
// Tables of nodes have their key first. Tables of edges begin with the keys of the nodes that
// an edge is from and to.
package staged

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// Workload is the tables and the documents.
type Workload struct {
	Tables    []Table       `json:"tables"`
	Documents [][]Statement `json:"documents"`
}

// Table is a table; From and To are those of nodes, if it is one of edges.
type Table struct {
	Name    string   `json:"name"`
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Columns []Column `json:"columns"`
}

// Column is a column with its type in CREATE TABLE, constraints included.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Statement is one file to load.
type Statement struct {
	Table string `json:"table"`
	File  string `json:"file"`
	Rows  int64  `json:"rows"`
}

// Sample is one load of a document.
type Sample struct {
	Pass     int `json:"pass"` // 0: the first of the process
	Document int `json:"document"`
	measure.Sample
}

// Create returns the statement that makes t.
func (t *Table) Create() string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = c.Name + " " + c.Type
	}
	return "CREATE TABLE " + t.Name + " (" + strings.Join(list, ", ") + ")"
}

// Write writes w to a file.
func (w *Workload) Write(path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return json.NewEncoder(f).Encode(w)
}

// Read reads a file that Write has written.
func Read(path string) (*Workload, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w := new(Workload)
	if err := json.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("staged: %s: %w", path, err)
	}
	return w, nil
}
