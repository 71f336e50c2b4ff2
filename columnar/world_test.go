package columnar

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// soak reports whether tests run at their full counts.
func soak() bool { return os.Getenv("INGOT_SOAK") == "1" }

// budget returns the time a test may take in a push run; without end under soak.
func budget(push time.Duration) time.Duration {
	if soak() {
		return math.MaxInt64
	}
	return push
}

// model is what a store should hold. Every cell of a row follows from the row's test id and
// the column's type, so that a model is ids and shapes only.
type model struct {
	tables map[string]*modelTable
	nextID uint64 // of the next row of any table
	parent *model // before the last commit
}

type modelTable struct {
	cols    []modelColumn
	rows    []modelRow
	version int              // counts alters
	nextRow visibility.RowID // row ids given so far
	rel     [2]string        // names of the node tables, if the rows are edges
}

// modelColumn is a column and the version of the table that brought it.
type modelColumn struct {
	Column
	since int
}

type modelRow struct {
	at   visibility.RowID
	id   uint64
	born int // version of the table when the row was loaded
	ends [2]visibility.RowID
}

func newModel() *model { return &model{tables: map[string]*modelTable{}} }

func (m *model) clone() *model {
	c := &model{tables: map[string]*modelTable{}, nextID: m.nextID, parent: m}
	for name, t := range m.tables {
		n := *t
		n.cols, n.rows = slices.Clone(t.cols), slices.Clone(t.rows)
		c.tables[name] = &n
	}
	return c
}

// cell returns what a column holds in the row with a test id. Columns called big... hold
// about 4 KiB of text, one called key the id.
func cell(c *Column, id uint64) Value {
	if c.Name == "key" {
		return Value{Type: c.Type, I: int64(id)}
	}
	if strings.HasPrefix(c.Name, "big") {
		return Value{Type: c.Type, S: string(bytes.Repeat([]byte{'a' + byte(id%26)}, int(3000+id%1777)))}
	}
	return randomValue(c.Type, id, c.NotNull)
}

func (t *modelTable) cell(c *modelColumn, r modelRow) Value {
	if t.rel[0] != "" && c.ID <= toColumn {
		return Value{Type: c.Type, I: int64(r.ends[c.ID-1])}
	}
	if r.born < c.since {
		if c.Missing.Type == (Type{}) {
			return Value{Type: c.Type, Null: true}
		}
		return c.Missing
	}
	return cell(&c.Column, r.id)
}

// digest describes the model: equal for equal contents, row ids included.
func (m *model) digest() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m.tables)) {
		t := m.tables[name]
		hashes := make([]uint64, len(t.rows))
		for i, r := range t.rows {
			hashes[i] = uint64(r.at)
		}
		var shape []string
		for c := range t.cols {
			shape = append(shape, t.cols[c].Name+" "+t.cols[c].Type.String())
			for i, r := range t.rows {
				hashes[i] = hashValue(hashes[i], t.cell(&t.cols[c], r))
			}
		}
		out = append(out, describeTable(name, shape, hashes, t.nextRow))
	}
	return strings.Join(out, "\n")
}

func describeTable(name string, shape []string, rows []uint64, next visibility.RowID) string {
	all := uint64(14695981039346656037)
	for _, h := range rows {
		all = stir(all, h)
	}
	return fmt.Sprintf("%s(%s): %d rows, next %d, hash %016x", name, strings.Join(shape, ", "), len(rows), next, all)
}

func stir(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashValue(h uint64, v Value) uint64 {
	if v.Null {
		return stir(h, 0xdead)
	}
	f := math.Float64bits(v.F)
	if math.IsNaN(v.F) {
		f = 1
	}
	h = stir(stir(stir(h, uint64(v.I)), uint64(v.Hi)), f)
	for i := range len(v.S) {
		h = (h ^ uint64(v.S[i])) * 1099511628211
	}
	return stir(h, uint64(len(v.S)))
}

// digestOf describes a snapshot as model.digest does.
func digestOf(snap *Snapshot) (string, error) {
	var out []string
	for _, t := range snap.Tables() {
		line, err := digestTable(t, ScanOptions{BatchRows: 500})
		if err != nil {
			return "", err
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n"), checkRels(snap)
}

func digestTable(t *Table, opt ScanOptions) (string, error) {
	var hashes []uint64
	err := mmap.Guard(func() error {
		for b, err := range t.Scan(context.Background(), opt) {
			if err != nil {
				return err
			}
			from := len(hashes)
			for r := range b.Rows {
				hashes = append(hashes, uint64(b.First)+uint64(r))
			}
			for c := range b.Cols {
				for r := range b.Rows {
					hashes[from+r] = hashValue(hashes[from+r], b.Cols[c].Value(r))
				}
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if uint64(len(hashes)) != t.Rows() {
		return "", fmt.Errorf("scan of %s gave %d rows, Rows() is %d", t.schema.Name, len(hashes), t.Rows())
	}
	var shape []string
	for i := range t.schema.Columns {
		shape = append(shape, t.schema.Columns[i].Name+" "+t.schema.Columns[i].Type.String())
	}
	return describeTable(t.schema.Name, shape, hashes, t.NextRow()), nil
}

// digestStore describes the latest commit of s.
func digestStore(s *Store) (string, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return "", err
	}
	defer snap.Release()
	return digestOf(snap)
}

// world is a store, what it should hold, and how it is opened again.
type world struct {
	s   *Store
	m   *model
	opt Options
}

func (w *world) open() (err error) {
	w.s, err = Open(context.Background(), "", w.opt)
	return err
}

// close closes the store and keeps quiet about one that is closed.
func (w *world) close() error {
	if w.s == nil {
		return nil
	}
	err := w.s.Close()
	w.s = nil
	return err
}

// change is one write transaction on the store and on the model.
type change struct {
	w  *world
	tx *Txn
	m  *model
}

// commit does what fn does in one transaction; the model follows if it is acknowledged.
func (w *world) commit(fn func(*change) error) error {
	tx, err := w.s.BeginWrite(context.Background())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	c := &change{w: w, tx: tx, m: w.m.clone()}
	if err := fn(c); err != nil {
		return err
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		return err
	}
	w.m = c.m
	return nil
}

// do is a step of a script that commits fn.
func do(fn func(*change) error) func(*world) error {
	return func(w *world) error { return w.commit(fn) }
}

func (c *change) create(s *Schema) error {
	if err := c.tx.CreateTable(s); err != nil {
		return err
	}
	t := &modelTable{}
	for _, col := range s.Columns {
		t.cols = append(t.cols, modelColumn{Column: col})
	}
	c.m.tables[s.Name] = t
	return nil
}

func (c *change) drop(name string) error {
	if len(c.m.rels(name)) > 0 {
		return c.referenced(name, func() error { return c.tx.DropTable(name) })
	}
	delete(c.m.tables, name)
	return c.tx.DropTable(name)
}

func (c *change) truncate(name string) error {
	for _, rel := range c.m.rels(name) {
		if c.m.tables[rel].nextRow > 0 {
			return c.referenced(name, func() error { return c.tx.TruncateTable(name) })
		}
	}
	t := c.m.tables[name]
	t.rows, t.nextRow = nil, 0
	return c.tx.TruncateTable(name)
}

// load appends n rows in fragments of the given size.
func (c *change) load(name string, n, fragment int, planned bool) error {
	if c.m.tables[name].rel[0] != "" {
		return c.connect(name, n, fragment, planned)
	}
	tab, err := c.tx.Table(name)
	if err != nil {
		return err
	}
	l, err := loadRows(c.w.s, tab.Schema(), c.m.nextID, n, fragment, planned)
	if err != nil {
		return err
	}
	defer l.Abort()
	first, err := c.tx.Append(context.Background(), name, l)
	if err != nil {
		return err
	}
	t := c.m.tables[name]
	if first != t.nextRow {
		return fmt.Errorf("load into %s began at row %d, want %d", name, first, t.nextRow)
	}
	for range n {
		t.rows = append(t.rows, modelRow{at: t.nextRow, id: c.m.nextID, born: t.version})
		t.nextRow++
		c.m.nextID++
	}
	return nil
}

// loadRows makes a load of the rows with test ids from first on.
func loadRows(s *Store, schema *Schema, first uint64, n, fragment int, planned bool) (*Load, error) {
	return loadCells(s, schema, first, n, fragment, planned, cell)
}

// loadCells is loadRows with values that cell gives.
func loadCells(s *Store, schema *Schema, first uint64, n, fragment int, planned bool, cell func(*Column, uint64) Value) (_ *Load, err error) {
	p := LoadPlan{Schema: schema}
	var sizes []int
	for left := n; left > 0; left -= fragment {
		sizes = append(sizes, min(left, fragment))
	}
	if planned {
		p.Fragments = sizes
		for i := range schema.Columns {
			if c := &schema.Columns[i]; c.Type.Variable() {
				for r := range uint64(n) {
					p.VarBytes += int64(len(cell(c, first+r).S))
				}
			}
		}
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.Abort()
		}
	}()
	for i, rows := range sizes {
		capacity := rows
		if !planned {
			capacity = 1
		}
		w, err := l.Fragment(i, capacity)
		if err != nil {
			return nil, err
		}
		if err := mmap.Guard(func() error {
			for r := range rows {
				if !planned {
					w.Grow(r + 1)
				}
				for c := range w.Cols {
					w.Cols[c].SetValue(r, cell(&schema.Columns[c], first))
				}
				first++
			}
			return nil
		}); err != nil {
			return nil, err
		}
		if err := w.Finish(rows); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// remove deletes the rows of which pick is true; it is given positions among the live rows.
func (c *change) remove(name string, pick func(i int) bool) error {
	t := c.m.tables[name]
	var ids []visibility.RowID
	var left []modelRow
	for i, r := range t.rows {
		if pick(i) {
			ids = append(ids, r.at)
		} else {
			left = append(left, r)
		}
	}
	var n int
	var err error
	if len(c.m.rels(name)) > 0 {
		gone := map[visibility.RowID]bool{}
		for _, id := range ids {
			gone[id] = true
		}
		edges := 0
		if n, edges, err = c.tx.DeleteCascade(name, ids); err == nil {
			if want := c.m.cascade(name, gone); edges != want {
				err = fmt.Errorf("%d edges went with rows of %s, want %d", edges, name, want)
			}
		}
	} else {
		n, err = c.tx.Delete(name, ids)
	}
	if err != nil {
		return err
	}
	if n != len(ids) {
		return fmt.Errorf("deleted %d rows of %s, want %d", n, name, len(ids))
	}
	t.rows = left
	return nil
}

// alter changes the shape of a table: columns that edit leaves keep their ID.
func (c *change) alter(name string, edit func([]Column) []Column) error {
	tab, err := c.tx.Table(name)
	if err != nil {
		return err
	}
	s := tab.Schema().Clone()
	s.Columns = edit(s.Columns)
	if err := c.tx.AlterTable(s); err != nil {
		return err
	}
	tab, err = c.tx.Table(name)
	if err != nil {
		return err
	}
	t := c.m.tables[name]
	t.version++
	var cols []modelColumn
	for _, col := range tab.Schema().Columns {
		i := slices.IndexFunc(t.cols, func(o modelColumn) bool { return o.ID == col.ID })
		if i < 0 {
			cols = append(cols, modelColumn{Column: col, since: t.version})
		} else {
			cols = append(cols, t.cols[i])
		}
	}
	t.cols = cols
	return nil
}

// bigRows is a schema whose rows are about 4 KiB each.
func bigRows(name string) *Schema {
	return &Schema{Name: name, Columns: []Column{
		{Name: "id", Type: Type{Kind: Int8}, NotNull: true},
		{Name: "big", Type: Type{Kind: Text}, NotNull: true},
	}}
}

// narrow is a schema of few columns, for scripts that are run many times.
func narrow(name string) *Schema {
	return &Schema{Name: name, Columns: []Column{
		{Name: "id", Type: Type{Kind: Int8}, NotNull: true},
		{Name: "b", Type: Type{Kind: Bool}},
		{Name: "d", Type: Type{Kind: Decimal, Precision: 38, Scale: 2}},
		{Name: "t", Type: Type{Kind: Text}},
		{Name: "u", Type: Type{Kind: UUID}},
	}}
}

// extraColumn is a column to add to a table that has rows.
func extraColumn(name string, i int) Column {
	if i%2 == 0 {
		return Column{Name: name, Type: Type{Kind: Text}, Missing: Value{Type: Type{Kind: Text}, S: fmt.Sprintf("missing %d", i)}}
	}
	return Column{Name: name, Type: Type{Kind: Int4}}
}

// leaked is how many mappings a test has left that has failed for it.
var leaked int64

// noLeaks holds that nothing is mapped any more. What one test has left fails no other.
func noLeaks(t testing.TB, what string) {
	t.Helper()
	if n, b := mmap.Live(); int64(n) > leaked {
		before := leaked
		leaked = int64(n)
		t.Fatalf("%s: %d mappings left, all are %d of %d bytes", what, int64(n)-before, n, b)
	}
}

// matches holds that s has what the model says and that Check finds nothing.
func matches(s *Store, m *model) error {
	got, err := digestStore(s)
	if err != nil {
		return err
	}
	if want := m.digest(); got != want {
		return fmt.Errorf("the store holds\n%s\nwant\n%s", got, want)
	}
	_, err = s.Check(context.Background(), nil)
	return err
}

// strangers returns the files of a writable store that no fragment lies in and that are
// not its own: what a crash or a failure left and nobody collected.
func strangers(s *Store, fsys vfs.FS) ([]string, error) {
	names, err := fsys.List()
	if err != nil {
		return nil, err
	}
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Release()
	known := map[string]bool{}
	for _, t := range snap.Tables() {
		t.pieces(func(_ visibility.RowID, p piece) {
			if p.frag.file != nil {
				known[p.frag.file.name] = true
			}
		})
		for _, r := range t.runs {
			if r.file != nil {
				known[r.file.name] = true
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return known[name] || !strings.HasPrefix(name, "data-") && !strings.HasSuffix(name, ".tmp")
	}), nil
}
