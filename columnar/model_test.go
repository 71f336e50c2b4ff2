package columnar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
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
// about 4 KiB of text.
func cell(c *Column, id uint64) Value {
	if strings.HasPrefix(c.Name, "big") {
		return Value{Type: c.Type, S: string(bytes.Repeat([]byte{'a' + byte(id%26)}, int(3000+id%1777)))}
	}
	return randomValue(c.Type, id, c.NotNull)
}

func (t *modelTable) cell(c *modelColumn, r modelRow) Value {
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
	return strings.Join(out, "\n"), nil
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
	delete(c.m.tables, name)
	return c.tx.DropTable(name)
}

func (c *change) truncate(name string) error {
	t := c.m.tables[name]
	t.rows, t.nextRow = nil, 0
	return c.tx.TruncateTable(name)
}

// load appends n rows in fragments of the given size.
func (c *change) load(name string, n, fragment int, planned bool) error {
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
func loadRows(s *Store, schema *Schema, first uint64, n, fragment int, planned bool) (_ *Load, err error) {
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
	n, err := c.tx.Delete(name, ids)
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

// noLeaks holds that nothing is mapped any more.
func noLeaks(t testing.TB, what string) {
	t.Helper()
	if n, b := mmap.Live(); n != 0 {
		t.Fatalf("%s: %d mappings of %d bytes left", what, n, b)
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
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return known[name] || !strings.HasPrefix(name, "data-") && !strings.HasSuffix(name, ".tmp")
	}), nil
}

// TestModel does random things to a store and to a map, under random options, and holds
// that both answer the same: now, from snapshots taken earlier, after a reopen and after a
// crash that keeps everything (kill) or only what was synced.
func TestModel(t *testing.T) {
	deadline := time.Now().Add(budget(6 * time.Second))
	runs, ops, least := 0, 0, 8
	limit := 1_000_000
	if soak() {
		limit = 400
	}
	for ; runs < limit && (runs < least || time.Now().Before(deadline)); runs++ {
		seed := rand.Uint64()
		if runs < least {
			seed = uint64(runs) // the same few in every run
		}
		n, err := runModel(seed, 60)
		if err != nil {
			t.Fatalf("seed %d (repeat: go test -run TestModelSeed ./columnar with INGOT_SEED=%d): %v", seed, seed, err)
		}
		ops += n
		noLeaks(t, fmt.Sprintf("seed %d", seed))
	}
	t.Logf("%d runs, %d operations", runs, ops)
}

// TestModelSeed repeats one run of TestModel, that of INGOT_SEED or of seed 1.
func TestModelSeed(t *testing.T) {
	seed := uint64(1)
	if v := os.Getenv("INGOT_SEED"); v != "" {
		if _, err := fmt.Sscan(v, &seed); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := runModel(seed, 60); err != nil {
		t.Fatal(err)
	}
	noLeaks(t, fmt.Sprint(seed))
}

// player makes the random moves of one run.
type player struct {
	world
	rng   *rand.Rand
	fs    *memfs.FS
	kept  []keptSnapshot
	trace []string
	// settled is the oldest state that a strict crash may go back to, and history
	// all states since.
	history []*model
}

// keptSnapshot is a snapshot and the digest it must have for its life.
type keptSnapshot struct {
	snap *Snapshot
	want string
}

func runModel(seed uint64, ops int) (done int, err error) {
	p := &player{rng: rand.New(rand.NewPCG(seed, 77)), fs: memfs.New()}
	p.m = newModel()
	p.drawOptions()
	defer func() {
		for _, k := range p.kept {
			k.snap.Release()
		}
		var leased *Leased
		if closeErr := p.close(); err == nil && closeErr != nil && !errors.As(closeErr, &leased) {
			err = closeErr
		}
		if err != nil {
			err = fmt.Errorf("%w\nafter %s", err, strings.Join(p.trace, "; "))
		}
	}()
	if err := p.open(); err != nil {
		return 0, err
	}
	p.history = []*model{p.m}
	for done = range ops {
		name, move := p.draw()
		p.trace = append(p.trace, name)
		if err := move(); err != nil {
			return done, fmt.Errorf("operation %d, %s: %w", done, name, err)
		}
		if p.m != p.history[len(p.history)-1] {
			p.history = append(p.history, p.m)
		}
		if p.opt.Durability == Full {
			p.history = p.history[len(p.history)-1:]
		}
		if p.rng.IntN(4) == 0 {
			if err := matches(p.s, p.m); err != nil {
				return done, fmt.Errorf("operation %d, after %s: %w", done, name, err)
			}
		}
	}
	return ops, matches(p.s, p.m)
}

func (p *player) drawOptions() {
	p.opt = Options{FS: p.fs, InlineBytes: []int64{1, 4 << 10, 64 << 10, 1 << 20}[p.rng.IntN(4)],
		LogBytes: []int64{1, 32 << 10, 256 << 10}[p.rng.IntN(3)], Durability: Durability(p.rng.IntN(2))}
}

// table returns the name of a table that there is, "" if there is none.
func (p *player) table() string {
	names := slices.Sorted(maps.Keys(p.m.tables))
	if len(names) == 0 {
		return ""
	}
	return names[p.rng.IntN(len(names))]
}

// draw returns the next operation.
func (p *player) draw() (string, func() error) {
	r := p.rng
	name := p.table()
	if name == "" || (len(p.m.tables) < 3 && r.IntN(12) == 0) {
		return p.drawCreate()
	}
	n, frag, planned := 1+r.IntN(1<<r.IntN(11)), 64*(1+r.IntN(8)), r.IntN(2) == 0
	load := func(c *change) error { return c.load(name, n, frag, planned) }
	share, from := r.IntN(5), r.IntN(1000)
	remove := func(c *change) error {
		return c.remove(name, func(i int) bool {
			return share == 0 || (share == 1 && i >= from && i < from+300) || (share > 1 && i%share == 0 && i%7 != from%7)
		})
	}
	commit := func(fn func(*change) error) func() error { return func() error { return p.commit(fn) } }
	switch r.IntN(17) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("load %d rows in %d into %s, planned %v", n, frag, name, planned), commit(load)
	case 4, 5:
		return fmt.Sprintf("delete of %s, share %d from %d", name, share, from), commit(remove)
	case 6:
		return "transaction of several on " + name, commit(func(c *change) error {
			return errors.Join(load(c), remove(c), load(c))
		})
	case 7:
		return "savepoint on " + name, commit(func(c *change) error { return p.savepoint(c, name, load, remove) })
	case 8:
		return "rollback on " + name, func() error { return p.rollback(load, remove) }
	case 9:
		return "snapshot", p.keep
	case 10:
		return "look at snapshots", p.look
	case 11:
		return "checkpoint", func() error { return p.settle(p.s.Checkpoint(context.Background())) }
	case 12:
		return "vacuum", func() error { return p.settle(p.s.Vacuum(context.Background())) }
	case 13:
		return p.drawAlter(name)
	case 14:
		if r.IntN(2) == 0 {
			return "truncate " + name, commit(func(c *change) error { return c.truncate(name) })
		}
		return "drop " + name, commit(func(c *change) error { return c.drop(name) })
	case 15:
		return "reopen", p.reopen
	}
	mode := []memfs.Mode{memfs.Kill, memfs.Strict, memfs.Mixed}[r.IntN(3)]
	return "crash " + mode.String(), func() error { return p.crash(mode) }
}

func (p *player) drawCreate() (string, func() error) {
	name := fmt.Sprintf("t%d", p.rng.IntN(5))
	if p.m.tables[name] != nil {
		return "nothing", func() error { return nil }
	}
	shape := []func(string) *Schema{allTypes, narrow, bigRows}[p.rng.IntN(3)]
	return "create " + name, func() error {
		return p.commit(func(c *change) error { return c.create(shape(name)) })
	}
}

func (p *player) drawAlter(name string) (string, func() error) {
	victim := p.rng.IntN(len(p.m.tables[name].cols))
	extra := extraColumn(fmt.Sprintf("x%d", p.rng.Uint32()), p.rng.IntN(10))
	add := p.rng.IntN(2) == 0 || len(p.m.tables[name].cols) < 3
	return fmt.Sprintf("alter %s, add %v", name, add), func() error {
		return p.commit(func(c *change) error {
			return c.alter(name, func(cols []Column) []Column {
				if add {
					return append(cols, extra)
				}
				return slices.Delete(cols, victim, victim+1)
			})
		})
	}
}

// savepoint does both changes and takes the second back.
func (p *player) savepoint(c *change, name string, first, second func(*change) error) error {
	if err := first(c); err != nil {
		return err
	}
	at, before := c.tx.Savepoint(), c.m.clone()
	if err := errors.Join(second(c), first(c), c.truncate(name), first(c)); err != nil {
		return err
	}
	c.tx.RollbackTo(at)
	c.m = before
	return second(c)
}

var errNotCommitted = errors.New("rolled back on purpose")

func (p *player) rollback(steps ...func(*change) error) error {
	err := p.commit(func(c *change) error {
		for _, step := range steps {
			if err := step(c); err != nil {
				return err
			}
		}
		return errNotCommitted
	})
	if errors.Is(err, errNotCommitted) {
		return nil
	}
	return err
}

func (p *player) keep() error {
	snap, err := p.s.Snapshot()
	if err != nil {
		return err
	}
	p.kept = append(p.kept, keptSnapshot{snap, p.m.digest()})
	if len(p.kept) > 4 {
		p.kept[0].snap.Release()
		p.kept = p.kept[1:]
	}
	return nil
}

func (p *player) look() error {
	for i, k := range p.kept {
		got, err := digestOf(k.snap)
		if err != nil {
			return err
		}
		if got != k.want {
			return fmt.Errorf("snapshot %d shows\n%s\nwant\n%s", i, got, k.want)
		}
	}
	return nil
}

// settle notes that everything so far is durable.
func (p *player) settle(err error) error {
	if err == nil {
		p.history = p.history[:0:0]
		p.history = append(p.history, p.m)
	}
	return err
}

// reopen closes the store, under open snapshots too, and opens it under other options.
func (p *player) reopen() error {
	var leased *Leased
	if err := p.close(); err != nil && !errors.As(err, &leased) {
		return err
	}
	if err := p.settle(p.look()); err != nil {
		return err
	}
	p.drawOptions()
	if err := p.open(); err != nil {
		return err
	}
	return p.clean()
}

// clean holds that no file is left that nothing needs.
func (p *player) clean() error {
	if len(p.kept) > 0 {
		return nil
	}
	left, err := strangers(p.s, p.fs)
	if len(left) > 0 {
		return fmt.Errorf("files without an owner: %v", left)
	}
	return err
}

// crash ends the store's world and opens what is left. Full: nothing is lost. None: the
// store is at one of the states since it was last made durable, or at the last one if
// only the process died.
func (p *player) crash(mode memfs.Mode) error {
	p.s.cancel() // a checkpoint in the background would be at work while the crash is drawn
	p.s.folds.Wait()
	p.fs.StopAfter(0)
	_ = p.close() // fails where it had something to write
	for _, k := range p.kept {
		k.snap.Release()
	}
	p.kept = nil
	p.fs = p.fs.Crash(p.rng.Uint64(), mode)
	p.drawOptions()
	if err := p.open(); err != nil {
		return err
	}
	if err := p.clean(); err != nil {
		return err
	}
	got, err := digestStore(p.s)
	if err != nil {
		return err
	}
	if mode == memfs.Kill {
		p.history = p.history[len(p.history)-1:]
	}
	for _, m := range slices.Backward(p.history) {
		if m.digest() == got {
			p.m = m.clone()
			p.m.nextID = p.history[len(p.history)-1].nextID
			p.history = []*model{p.m}
			return nil
		}
	}
	return fmt.Errorf("after a %s crash the store holds\n%s\nwhich is none of %d states since it was durable; the last is\n%s",
		mode, got, len(p.history), p.history[len(p.history)-1].digest())
}
