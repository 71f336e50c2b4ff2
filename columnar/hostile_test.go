package columnar

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/journal"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/kernels"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// anatomy is a store taken apart: what is inside the checksums, so that it can be changed
// and put together again with checksums that hold.
type anatomy struct {
	bodies [][]byte // of the log's records; the first is the state
	files  map[string][]byte
	chunks []anatomyChunk
	runs   []anatomyRun
}

// anatomyRun is where one direction of a run lies.
type anatomyRun struct {
	file string
	seed uint32
	dir  csrDir
}

// anatomyChunk is where a chunk lies.
type anatomyChunk struct {
	file string
	seed uint32
	loc  location
}

// capture is a journal.Replayer that keeps what it is given.
type capture struct {
	anatomy *anatomy
	names   []string
}

func (c *capture) State(_ uint64, body []byte) error {
	c.anatomy.bodies = [][]byte{bytes.Clone(body)}
	return nil
}

func (c *capture) Apply(_ uint64, body []byte) error {
	c.anatomy.bodies = append(c.anatomy.bodies, bytes.Clone(body))
	return nil
}

func (c *capture) Verify(uint64, []byte) error { return nil }

func (c *capture) Files() ([]string, error) { return c.names, nil }

// dissect takes the small store apart.
func dissect(t testing.TB) *anatomy {
	t.Helper()
	fsys, _ := smallStore(t, 256<<10)
	a := &anatomy{files: map[string][]byte{}}
	for name, b := range readAll(t, fsys) {
		if isData(name) {
			a.files[name] = b
		}
	}
	s := mustOpen(t, Options{FS: fsys, ReadOnly: true})
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range snap.Tables() {
		tab.pieces(func(_ visibility.RowID, p piece) {
			for i := range p.frag.chunks {
				if df := p.frag.file; df != nil {
					a.chunks = append(a.chunks, anatomyChunk{df.name, df.seed, p.frag.chunks[i].loc})
				}
			}
		})
		for _, r := range tab.runs {
			for _, d := range r.dirs {
				if r.file != nil {
					a.runs = append(a.runs, anatomyRun{r.file.name, r.file.seed, d})
				}
			}
		}
	}
	snap.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(journal.Options{FS: fsys, ReadOnly: true}, &capture{anatomy: a})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if len(a.bodies) < 3 || len(a.files) < 2 || len(a.chunks) < 20 || len(a.runs) != 2 {
		t.Fatalf("%d records, %d files, %d chunks, %d runs", len(a.bodies), len(a.files), len(a.chunks), len(a.runs))
	}
	return a
}

func (a *anatomy) clone() *anatomy {
	c := &anatomy{files: map[string][]byte{}, chunks: slices.Clone(a.chunks), runs: slices.Clone(a.runs)}
	for _, b := range a.bodies {
		c.bodies = append(c.bodies, bytes.Clone(b))
	}
	for name, b := range a.files {
		c.files[name] = bytes.Clone(b)
	}
	return c
}

// assemble makes a store of the parts.
func (a *anatomy) assemble() (*memfs.FS, error) {
	fsys := memfs.New()
	size := int64(0)
	for _, b := range a.bodies {
		size += int64(len(b)) + 8192
	}
	j, err := journal.Create(journal.Options{FS: fsys, FirstLogBytes: size + 8*4096, LogBytes: 4096}, a.bodies[0])
	if err != nil {
		return nil, err
	}
	for _, b := range a.bodies[1:] {
		if _, err := j.Append(true, b); err != nil {
			return nil, err
		}
	}
	if err := j.Close(); err != nil {
		return nil, err
	}
	for name, b := range a.files {
		if err := replace(fsys, name, b); err != nil {
			return nil, err
		}
	}
	return fsys, nil
}

// reseal makes the checksums of chunk i hold: in its header, and in every record that
// names it.
func (a *anatomy) reseal(i int) {
	c := &a.chunks[i]
	file := a.files[c.file]
	body := file[c.loc.off : c.loc.off+c.loc.size]
	binary.LittleEndian.PutUint32(body[60:], crc32.Checksum(body[:60], castagnoli))
	out := file[c.loc.outOff : c.loc.outOff+c.loc.outLen]
	a.swap(&c.loc.crc, crc32.Update(c.seed, castagnoli, body))
	a.swap(&c.loc.outCRC, crc32.Update(c.seed, castagnoli, out))
}

func (a *anatomy) swap(crc *uint32, now uint32) {
	if *crc == now {
		return
	}
	was, is := binary.LittleEndian.AppendUint32(nil, *crc), binary.LittleEndian.AppendUint32(nil, now)
	for i := range a.bodies {
		a.bodies[i] = bytes.ReplaceAll(a.bodies[i], was, is)
	}
	*crc = now
}

// mutate changes the parts as program says, six bytes for a change.
func (a *anatomy) mutate(program []byte) {
	for len(program) >= 6 {
		op, which, val, n := program[0], int(program[1]), program[4], int(program[5])
		pos := int(binary.LittleEndian.Uint16(program[2:]))
		program = program[6:]
		if i := which % (len(a.chunks) + 5*len(a.runs)); op%12 >= 7 && i >= len(a.chunks) {
			a.mutateRun((i-len(a.chunks))%len(a.runs), pos, val)
			continue
		} else if op%12 >= 7 {
			a.mutateChunk(op%12, i, pos, val)
			continue
		}
		i := which % len(a.bodies)
		b := a.bodies[i]
		if len(b) == 0 {
			continue
		}
		pos %= len(b)
		n = min(n, len(b)-pos)
		switch op % 12 {
		case 0:
			b[pos] = val
		case 1:
			b[pos] += val
		case 2:
			a.bodies[i] = slices.Delete(b, pos, pos+n)
		case 3:
			a.bodies[i] = slices.Insert(b, pos, bytes.Clone(b[pos:pos+n])...)
		case 4:
			a.bodies[i] = b[:pos]
		case 5: // a number as large as they come
			a.bodies[i] = slices.Replace(b, pos, pos+1, binary.AppendUvarint(nil, 1<<(val&63)-uint64(val>>7))...)
		case 6: // a part of another record
			other := a.bodies[int(val)%len(a.bodies)]
			from := min(pos, len(other))
			a.bodies[i] = append(b, other[from:min(from+n, len(other))]...)
		}
	}
}

// mutateChunk changes bytes of a chunk: of its header, its values or what lies out of line.
func (a *anatomy) mutateChunk(op byte, i, pos int, val byte) {
	c := &a.chunks[i]
	file := a.files[c.file]
	body := file[c.loc.off : c.loc.off+c.loc.size]
	out := file[c.loc.outOff : c.loc.outOff+c.loc.outLen]
	switch op {
	case 7:
		body[pos%60] = val
	case 8:
		body[pos%len(body)] = val
	case 9:
		binary.LittleEndian.PutUint32(body[pos%(len(body)-4):], 1<<(val&31)-uint32(val>>7))
	case 10:
		if len(out) > 0 {
			out[pos%len(out)] = val
		}
	case 11: // right behind the header: bitmaps and first offsets
		body[64+pos%min(64, len(body)-64)] = val
	}
	a.reseal(i)
}

// mutateRun changes a number of a run, and makes its checksum hold.
func (a *anatomy) mutateRun(i, pos int, val byte) {
	r := &a.runs[i]
	area := a.files[r.file][r.dir.off : r.dir.off+r.dir.size()]
	at := pos % (len(area) / 4) * 4
	now := binary.LittleEndian.Uint32(area[at:])
	if val < 128 {
		now += uint32(int32(val%4) - 2)
	} else {
		now = 1<<(val&31) - uint32(val>>5&1)
	}
	binary.LittleEndian.PutUint32(area[at:], now)
	a.swap(&r.dir.crc, crc32.Update(r.seed, castagnoli, area))
}

// endure opens a hostile store and does everything to it that a user can do. Errors are
// fine; a panic, a read outside, much memory or much time is not. It reports how many
// rows it could read.
func endure(fsys vfs.FS, readOnly bool) (rows int, err error) {
	ctx := context.Background()
	s, err := Open(ctx, "", Options{FS: fsys, ReadOnly: readOnly, InlineBytes: 4096, LogBytes: 4096, BusyTimeout: -1})
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			return 0, fmt.Errorf("open: neither corrupt nor a newer version: %w", err)
		}
		return 0, nil
	}
	defer s.Close()
	snap, err := s.Snapshot()
	if err != nil {
		return 0, err
	}
	defer snap.Release()
	snap.Info()
	for _, tab := range snap.Tables() {
		rows += endureTable(tab)
		adj, err := snap.Adjacency(tab.Schema().Name)
		if err != nil {
			continue
		}
		if err := walk(adj, hostileRows); err != nil {
			return rows, fmt.Errorf("adjacency of %s: %w", tab.Schema().Name, err)
		}
	}
	_, _ = s.Check(ctx, nil)
	if readOnly {
		return rows, nil
	}
	for _, tab := range snap.Tables() {
		_ = write(s, func(tx *Txn) error { _, err := tx.Delete(tab.Schema().Name, []visibility.RowID{0, 3, 4}); return err })
		_ = write(s, func(tx *Txn) error {
			l, err := loadRows(s, tab.Schema(), 0, 5, 64, true)
			if err != nil {
				return err
			}
			defer l.Abort()
			_, err = tx.Append(ctx, tab.Schema().Name, l)
			return err
		})
		_ = write(s, func(tx *Txn) error {
			schema, err := tx.LoadSchema(tab.Schema().Name)
			if err != nil {
				return err
			}
			l, err := loadCells(s, schema, 0, 5, 64, true, func(c *Column, id uint64) Value { return Value{Type: c.Type, I: int64(id)} })
			if err != nil {
				return err
			}
			defer l.Abort()
			_, err = tx.AppendConflict(ctx, tab.Schema().Name, l, ConflictReplace)
			return err
		})
		_ = write(s, func(tx *Txn) error {
			_, _, err := tx.DeleteCascade(tab.Schema().Name, []visibility.RowID{1, 2})
			return err
		})
	}
	_ = s.Vacuum(ctx)
	_ = s.Checkpoint(ctx)
	_ = write(s, func(tx *Txn) error { return tx.CreateTable(narrow("mine")) })
	return rows, nil
}

// hostileRows is how much of a table is read: a few bytes may claim many rows.
const hostileRows = 3000

func endureTable(tab *Table) (rows int) {
	ctx := context.Background()
	_ = mmap.Guard(func() error {
		for b, err := range tab.Scan(ctx, ScanOptions{BatchRows: 700}) {
			if err != nil {
				return err
			}
			var scratch [16]uint64
			for i := range b.Cols {
				v := &b.Cols[i]
				for r := range b.Rows {
					x := v.Value(r)
					if !x.Null {
						v.AppendText(nil, r, time.UTC)
					}
				}
				if words := v.ValidWords(scratch[:]); words != nil {
					kernels.PopCount(words, b.Rows)
				}
			}
			if rows += b.Rows; rows > hostileRows {
				break
			}
		}
		return nil
	})
	seen := 0
	for _, copied := range []bool{false, true} {
		_ = mmap.Guard(func() error {
			for rec, err := range tab.Records(ctx, ScanOptions{Copy: copied, BatchRows: 1000}) {
				if err != nil {
					return err
				}
				if err := readRecord(rec); err != nil {
					return err
				}
				if seen++; seen%5 == 0 {
					break
				}
			}
			return nil
		})
	}
	for i, c := range tab.Schema().Columns {
		bound := Bound{Column: i, Op: kernels.Lt, Value: cell(&c, 5)}
		for _, err := range tab.Scan(ctx, ScanOptions{Columns: []int{}, Prune: []Bound{bound}, BatchRows: 1 << 17}) {
			if seen++; err != nil || seen%10 == 0 {
				break
			}
		}
	}
	_ = tab.Fetch([]visibility.RowID{0, 1, 65, 1 << 40}, nil, func(int, []Vec) error { return nil })
	return rows
}

// hostileRun changes the store as program says and lets it be used.
func hostileRun(base *anatomy, program []byte) (rows int, err error) {
	a := base.clone()
	a.mutate(program)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	mapped, _ := mmap.Live() // by what an earlier test has not let go of yet
	for _, readOnly := range []bool{true, false} {
		fsys, err := a.assemble()
		if err != nil {
			return 0, err
		}
		n, err := endure(fsys, readOnly)
		if err != nil {
			return rows, err
		}
		rows += n
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 512<<20 {
		return rows, fmt.Errorf("%d MiB were allocated", n>>20)
	}
	if d := time.Since(begun); d > time.Minute {
		return rows, fmt.Errorf("it took %v", d)
	}
	if n, b := mmap.Live(); n > mapped {
		return rows, fmt.Errorf("%d mappings left, all are %d of %d bytes", n-mapped, n, b)
	}
	return rows, nil
}

// TestHostileIntact holds that taking the store apart and putting it together changes
// nothing: otherwise the other tests test nothing.
func TestHostileIntact(t *testing.T) {
	a := dissect(t)
	for i := range a.chunks {
		a.reseal(i)
	}
	rows, err := hostileRun(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows != 2*(4+108+6+135) {
		t.Errorf("%d rows", rows)
	}
}

// TestHostile changes what is inside the checksums of a store and repairs these.
func TestHostile(t *testing.T) {
	base := dissect(t)
	deadline := time.Now().Add(budget(3 * time.Second))
	seed := rand.Uint64()
	limit := 50_000_000
	if soak() {
		limit = 30_000
	}
	read, n := 0, 0
	for ; n < limit && (n < 200 || time.Now().Before(deadline)); n++ {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		program := make([]byte, 6*(1+rng.IntN(3)))
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		rows, err := enduring(base, program)
		if err != nil {
			t.Fatalf("seed %d, program %x: %v", seed, program, err)
		}
		read += b2i(rows > 0)
	}
	t.Logf("%d stores, rows could be read of %d", n, read)
	if read < n/20 || read > n-n/20 {
		t.Error("the changes are too weak or too strong")
	}
}

// enduring is hostileRun with panics as errors.
func enduring(base *anatomy, program []byte) (rows int, err error) {
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 8<<10)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
		}
	}()
	return hostileRun(base, program)
}

// FuzzHostile is TestHostile with a fuzzer's programs.
func FuzzHostile(f *testing.F) {
	base := dissect(f)
	rng := rand.New(rand.NewPCG(1, 1))
	for op := range byte(12) {
		for range 3 {
			f.Add([]byte{op, byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.Uint32()) & 3, byte(rng.Uint32()), byte(rng.Uint32()) & 31})
		}
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) > 60 {
			return
		}
		if _, err := hostileRun(base, program); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRecord applies arbitrary bytes as a state and as a record. What is accepted is
// written again and must then read as itself.
func FuzzRecord(f *testing.F) {
	base := dissect(f)
	for _, b := range base.bodies {
		f.Add(base.bodies[0], b)
	}
	f.Add([]byte{}, []byte{opDrop, 1})
	f.Fuzz(func(t *testing.T, state, record []byte) {
		begun := time.Now()
		defer func() {
			if d := time.Since(begun); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
		}()
		r := replayer{draft: (&version{}).draft(), files: map[uint64]*dataFile{}}
		if err := r.state(state); err != nil {
			return
		}
		claimed := uint64(0)
		for _, tab := range r.draft.list() {
			claimed += uint64(tab.NextRow())
		}
		if claimed > 1<<26 {
			return // a delete of all of them would take its time
		}
		if err := r.apply(record); err != nil {
			return
		}
		once := appendState(nil, &r.draft.version)
		again := replayer{draft: (&version{}).draft(), files: map[uint64]*dataFile{}}
		if err := again.state(once); err != nil {
			t.Fatalf("a state that was written does not read: %v\n%x", err, once)
		}
		if twice := appendState(nil, &again.draft.version); !bytes.Equal(once, twice) {
			t.Fatalf("a state reads as another:\n%x\n%x", once, twice)
		}
	})
}

// TestHostileFields puts a few values in the place of every byte of the state and of every
// record, huge numbers among them: the exhaustive part of what TestHostile does at random.
func TestHostileFields(t *testing.T) {
	base := dissect(t)
	n := 0
	stride := 3
	if soak() {
		stride = 1
	}
	for i := range base.bodies {
		for at := n % stride; at < len(base.bodies[i]); at += stride {
			for _, v := range [][]byte{{0}, {1}, {0x7f}, {0x80}, {0xff}, binary.AppendUvarint(nil, 1<<36), binary.AppendUvarint(nil, 1<<63)} {
				r := replayer{draft: (&version{}).draft(), files: map[uint64]*dataFile{}}
				var err error
				for k, b := range base.bodies {
					if k == i {
						b = slices.Replace(bytes.Clone(b), at, at+1, v...)
					}
					if k == 0 {
						err = r.state(b)
					} else {
						err = r.apply(b)
					}
					if err != nil {
						break
					}
				}
				if n++; err == nil {
					for _, tab := range r.draft.list() {
						tab.Info()
					}
				} else if !strings.Contains(err.Error(), "columnar") && !strings.Contains(err.Error(), "exists") {
					t.Fatalf("record %d, byte %d to %x: %v", i, at, v, err)
				}
			}
		}
	}
	t.Logf("%d bodies", n)
}

// TestHostileCalls makes calls that no careful program makes. Each is refused, or what it
// committed reads the same after another open: no call makes a store that does not open.
func TestHostileCalls(t *testing.T) {
	ctx := context.Background()
	int4, word := Type{Kind: Int4}, Type{Kind: Text}
	alter := func(edit func(*Schema)) func(*Store, *Txn) error {
		return func(_ *Store, tx *Txn) error {
			tab, err := tx.Table("t")
			if err != nil {
				return err
			}
			s := tab.Schema().Clone()
			edit(s)
			return tx.AlterTable(s)
		}
	}
	create := func(s *Schema) func(*Store, *Txn) error {
		return func(_ *Store, tx *Txn) error { return tx.CreateTable(s) }
	}
	load := func(planned bool, rows int, edit func(*FragmentWriter) int) func(*Store, *Txn) error {
		return func(s *Store, tx *Txn) error {
			tab, err := tx.Table("t")
			if err != nil {
				return err
			}
			p := LoadPlan{Schema: tab.Schema()}
			if planned {
				p.Fragments, p.VarBytes = []int{rows}, 10000
			}
			l, err := s.NewLoad(ctx, p)
			if err != nil {
				return err
			}
			defer l.Abort()
			w, err := l.Fragment(0, rows)
			if err != nil {
				return err
			}
			if err := w.Finish(edit(w)); err != nil {
				return err
			}
			_, err = tx.Append(ctx, "t", l)
			return err
		}
	}
	remove := func(ids ...visibility.RowID) func(*Store, *Txn) error {
		return func(_ *Store, tx *Txn) error { _, err := tx.Delete("t", ids); return err }
	}
	for name, call := range map[string]func(*Store, *Txn) error{
		"missing of another type": alter(func(s *Schema) {
			s.Columns = append(s.Columns, Column{Name: "x", Type: int4, Missing: Value{Type: word, S: "x"}})
		}),
		"missing uuid of three bytes": alter(func(s *Schema) {
			s.Columns = append(s.Columns, Column{Name: "x", Type: Type{Kind: UUID}, Missing: Value{Type: Type{Kind: UUID}, S: "abc"}})
		}),
		"another type":                 alter(func(s *Schema) { s.Columns[3].Type = int4 }),
		"another type of a fixed size": alter(func(s *Schema) { s.Columns[0].Type = int4 }),
		"an array":                     alter(func(s *Schema) { s.Columns[3].Type.Array = true }),
		"a column with an ID":          alter(func(s *Schema) { s.Columns = append(s.Columns, Column{ID: 77, Name: "x", Type: int4}) }),
		"a column that was dropped":    alter(func(s *Schema) { s.Columns = append(s.Columns[:3:3], Column{ID: 4, Name: "x", Type: int4}) }),
		"two columns swapped":          alter(func(s *Schema) { s.Columns[1], s.Columns[2] = s.Columns[2], s.Columns[1] }),
		"no columns":                   alter(func(s *Schema) { s.Columns = nil }),
		"constraint of no kind":        alter(func(s *Schema) { s.Constraints = []Constraint{{Name: "c"}} }),
		"key on no column":             alter(func(s *Schema) { s.Constraints = []Constraint{{Name: "c", Kind: PrimaryKey}} }),
		"key on a stranger":            alter(func(s *Schema) { s.Constraints = []Constraint{{Name: "c", Kind: Unique, Columns: []uint32{99}}} }),
		"create with IDs":              create(&Schema{Name: "x", Columns: []Column{{ID: 5, Name: "a", Type: int4}, {ID: 9, Name: "b", Type: word}}}),
		"create without columns":       create(&Schema{Name: "x"}),
		"create without a name":        create(&Schema{Columns: []Column{{Name: "a", Type: int4}}}),
		"create an array":              create(&Schema{Name: "x", Columns: []Column{{Name: "a", Type: Type{Kind: UUID, Array: true}}}}),
		"delete backwards":             remove(9, 7, 8, 1),
		"delete twice":                 remove(1, 1, 2, 2, 3),
		"delete a stranger":            remove(1, 5, 4000, 1<<40),
		"offsets that fall": load(true, 3, func(w *FragmentWriter) int {
			w.Cols[3].Data = []byte("abc")
			copy(w.Cols[3].Offsets, []int32{0, 3, 1, 3})
			return 3
		}),
		"offsets behind the data":   load(true, 3, func(w *FragmentWriter) int { copy(w.Cols[3].Offsets, []int32{0, 1, 2, 300}); return 3 }),
		"data without an offset":    load(true, 3, func(w *FragmentWriter) int { w.Cols[3].Data = []byte("abc"); return 3 }),
		"fewer rows than were set":  load(false, 3, func(w *FragmentWriter) int { w.Cols[3].Data = []byte("abc"); w.Cols[3].Offsets[3] = 3; return 2 }),
		"more rows than there are":  load(false, 3, func(*FragmentWriter) int { return 4 }),
		"no rows":                   load(false, 3, func(*FragmentWriter) int { return 0 }),
		"less than none":            load(false, 3, func(*FragmentWriter) int { return -1 }),
		"bits behind the last row":  load(true, 3, func(w *FragmentWriter) int { w.Cols[1].Valid[0] = ^uint64(0); w.Cols[1].Bits[0] = ^uint64(0); return 3 }),
		"more rows than a fragment": load(false, 1, func(w *FragmentWriter) int { w.Grow(MaxFragmentRows + 1); return MaxFragmentRows + 1 }),
		"a fragment too large":      load(false, MaxFragmentRows+1, func(*FragmentWriter) int { return MaxFragmentRows + 1 }),
		"text that is not UTF-8":    load(true, 1, func(w *FragmentWriter) int { w.Cols[3].SetValue(0, Value{Type: word, S: "\xff"}); return 1 }),
	} {
		for _, inline := range []int64{1, 1 << 20} {
			fsys := memfs.New()
			w := world{m: newModel(), opt: Options{FS: fsys, InlineBytes: inline, LogBytes: 64 << 10}}
			if err := errors.Join(w.open(), do(func(c *change) error { return errors.Join(c.create(narrow("t")), c.load("t", 10, 64, true)) })(&w)); err != nil {
				t.Fatal(err)
			}
			before := w.m.digest()
			var refusal error
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s, inline %d: panic: %v", name, inline, p)
						refusal = fmt.Errorf("%v", p)
					}
				}()
				refusal = write(w.s, func(tx *Txn) error { return call(w.s, tx) })
			}()
			got, err := digestStore(w.s)
			if err != nil || refusal != nil && got != before {
				t.Errorf("%s, inline %d: refused with %v; reading: %v", name, inline, refusal, err)
			}
			w.s.Close()
			if err := w.open(); err != nil {
				t.Errorf("%s, inline %d (%v): the store does not open any more: %v", name, inline, refusal, err)
				continue
			}
			if again, err := digestStore(w.s); err != nil || again != got {
				t.Errorf("%s, inline %d (%v): now the store holds\n%s\nbefore\n%s\n%v", name, inline, refusal, again, got, err)
			}
			if _, err := w.s.Check(ctx, nil); err != nil && name != "text that is not UTF-8" {
				t.Errorf("%s, inline %d (%v): check: %v", name, inline, refusal, err)
			}
			if err := errors.Join(w.s.Checkpoint(ctx), w.s.Vacuum(ctx), w.close(), w.open()); err != nil {
				t.Errorf("%s, inline %d (%v): after a checkpoint: %v", name, inline, refusal, err)
				continue
			}
			if again, err := digestStore(w.s); err != nil || again != got {
				t.Errorf("%s, inline %d (%v): after a checkpoint the store holds\n%s\nbefore\n%s\n%v", name, inline, refusal, again, got, err)
			}
			w.s.Close()
		}
	}
}
