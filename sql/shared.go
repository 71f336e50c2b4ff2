package sql

import (
	"cmp"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
)

// Shared is what the sessions of one program have in common beside the store: Arrow data
// that queries read by name, and the COPYs that are running. It is safe for concurrent use.
// The zero Shared is ready.
type Shared struct {
	mu      sync.Mutex
	staged  map[string]staged
	running map[int64]running
	last    int64
}

// staged is Arrow data under a name.
type staged struct {
	table *columnar.Table
	from  arrow.Table
}

// running is a COPY at work.
type running struct {
	id       int64
	table    string
	command  string
	source   string
	progress *copy.Progress
}

// RegisterArrow lets queries read t by name, in FROM. The data is not copied where the
// layouts are the same; it is retained until the name is registered again or unregistered,
// by when queries that read it must have ended, and must not be changed until then.
func (s *Shared) RegisterArrow(name string, t arrow.Table) error {
	table, err := copy.StageArrow(name, t)
	if err != nil {
		return err
	}
	t.Retain()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.staged == nil {
		s.staged = make(map[string]staged)
	}
	if old, ok := s.staged[name]; ok {
		old.from.Release()
	}
	s.staged[name] = staged{table, t}
	return nil
}

// UnregisterArrow takes the name back and releases its data. Queries that read it must have
// ended.
func (s *Shared) UnregisterArrow(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.staged[name]
	if !ok {
		return pgerr.New(pgerr.UndefinedTable, "no Arrow data is registered as \"%s\"", name)
	}
	old.from.Release()
	delete(s.staged, name)
	return nil
}

// table returns what is registered under a name, or nil.
func (s *Shared) table(name string) *columnar.Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.staged[name].table
}

// begin adds a COPY to those that are running; end takes it away.
func (s *Shared) begin(r running) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = make(map[int64]running)
	}
	s.last++
	r.id = s.last
	s.running[r.id] = r
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, r.id)
	}
}

// progressColumns are the columns of copy_progress(), named as in pg_stat_progress_copy.
var progressColumns = []columnar.Column{
	{Name: "id", Type: columnar.Type{Kind: columnar.Int8}}, // PostgreSQL has a process: pid
	{Name: "relname", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "command", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "type", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "bytes_processed", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "bytes_total", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "tuples_processed", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "tuples_excluded", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "tuples_skipped", Type: columnar.Type{Kind: columnar.Int8}},
}

// progress returns the running COPYs as a table, the oldest first.
func (s *Shared) progress() (*columnar.Table, error) {
	s.mu.Lock()
	list := make([]running, 0, len(s.running))
	for _, r := range s.running {
		list = append(list, r)
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b running) int { return cmp.Compare(a.id, b.id) })
	cols := make([][]columnar.Value, len(progressColumns))
	for _, r := range list {
		p := r.progress
		for i, v := range []columnar.Value{{I: r.id}, {S: r.table}, {S: r.command}, {S: r.source},
			{I: p.BytesProcessed.Load()}, {I: p.BytesTotal.Load()},
			{I: p.TuplesProcessed.Load()}, {I: p.TuplesExcluded.Load()}, {I: p.TuplesSkipped.Load()}} {
			cols[i] = append(cols[i], v)
		}
	}
	vecs := make([]columnar.Vec, len(cols))
	for i := range cols {
		vecs[i] = expr.FromValues(progressColumns[i].Type, cols[i])
	}
	return columnar.StagedTable(&columnar.Schema{Name: "copy_progress", Columns: slices.Clone(progressColumns)}, [][]columnar.Vec{vecs})
}

// readable returns the table that a query reads: of the store, else what is registered.
func (r *run) readable(v view, name ast.TableName) (*columnar.Table, error) {
	if name.Schema == "" {
		if _, err := v.Table(name.Name); pgerr.Code(err) == pgerr.UndefinedTable {
			if staged := r.opt.Shared.table(name.Name); staged != nil {
				return staged, nil
			}
		}
	}
	return r.table(v, name)
}
