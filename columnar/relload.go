package columnar

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// edgeLoad is what becomes of a load of edges, whose rows hold the keys of their ends:
//
//	staged rows   in memory, or in a data file that no record ever names
//	   resolve    each key to its row id, in parallel
//	   sort       by source; edges of one source keep their order
//	   build      a second load: the rel table's rows, and the run of their adjacency
//
// A load with a file goes this way in Load.Sync, before the write lock is taken, against
// the latest commit. Txn.Append looks whether that is still right, and does it again if
// nodes have gone, or keys come that were not there.
type edgeLoad struct {
	nodes   [2]*Table // that the keys were looked up in
	final   *Load     // nil until built
	missing []MissingEnd

	built bool          // final was there
	last  LoadStats     // of it
	spent time.Duration // in making it
}

// noNode stands for the row id of a key that is not there.
const noNode = 1<<32 - 1

// resolveRows is how many keys a goroutine looks up at a time.
const resolveRows = 1 << 14

// Missing returns the ends that no node was found for, by row, when the load was appended
// or synced with LoadPlan.SkipMissing.
func (l *Load) Missing() []MissingEnd {
	if l.edges == nil {
		return nil
	}
	return l.edges.missing
}

// syncEdges is Sync for a load of edges.
func (l *Load) syncEdges(ctx context.Context) error {
	if err := l.seal(); err != nil {
		return err
	}
	if l.edges.final != nil {
		return l.edges.final.Sync(ctx)
	}
	if l.df == nil {
		return nil
	}
	snap, err := l.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Release()
	v := snap.ref.Value()
	rel := v.tableOf(l.schema.ID)
	if rel == nil || rel.schema.Rel == nil || !l.fits(v, rel.schema) {
		return nil // Append says what is wrong
	}
	var missing *MissingError
	if err := l.resolve(ctx, v, rel); errors.As(err, &missing) {
		return nil // it may be there by the time of Append
	} else if err != nil {
		return err
	}
	return l.edges.final.Sync(ctx)
}

// fits reports whether the load's rows are edges of the rel table of schema rel in v.
func (l *Load) fits(v *version, rel *Schema) bool {
	s, err := v.loadSchema(rel.Name)
	return err == nil && l.schema.keyed && sameShape(l.schema, s)
}

// endTables returns the node tables at both ends.
func (v *version) endTables(r *Rel) (nodes [2]*Table, err error) {
	for _, e := range []end{fromEnd, toEnd} {
		if nodes[e] = v.tableOf(r.node(e)); nodes[e] == nil {
			return nodes, fmt.Errorf("columnar: a rel table is %s table %d, which is not there", e, r.node(e))
		}
		if nodes[e].NextRow() >= maxNodes {
			return nodes, errManyNodes(nodes[e].schema)
		}
	}
	return nodes, nil
}

// resolve makes the final load from the staged rows, with the nodes of v.
func (l *Load) resolve(ctx context.Context, v *version, rel *Table) error {
	start := time.Now()
	defer func() { l.edges.spent += time.Since(start) }()
	nodes, err := v.endTables(rel.schema.Rel)
	if err != nil {
		return err
	}
	b := &edgeBuild{ctx: ctx, store: l.store, rel: rel.schema, nodes: nodes}
	if b.limit = l.plan.Workers; b.limit <= 0 {
		b.limit = runtime.GOMAXPROCS(0)
	}
	for _, f := range l.frags {
		if f == nil {
			return errors.New("columnar: a fragment of the load is not finished")
		}
		if f.rows > 0 {
			b.frags = append(b.frags, f)
			b.rows += f.rows
		}
	}
	if int64(b.rows) >= 1<<31 {
		return pgerr.New(pgerr.ProgramLimitExceeded, "one load cannot have more than %d edges", 1<<31-1)
	}
	if len(rel.schema.Columns) > 2 {
		rows := findRows(b.frags)
		b.gather = rows.gather
		if err := b.measure(); err != nil {
			return err
		}
	}
	l.edges.nodes, l.edges.missing = nodes, nil
	if err := b.resolve(); err != nil {
		return err
	}
	if b.missed {
		if l.edges.missing = b.missing(!l.plan.SkipMissing); !l.plan.SkipMissing {
			m := l.edges.missing[0]
			l.edges.missing = nil
			e := end(b2i(m.Column == toEnd.String()))
			return errMissing(rel.schema, e, nodes[e].schema, m)
		}
		b.leaveOut()
	}
	if l.edges.final, err = b.build(); err != nil {
		return err
	}
	l.edges.built = true
	return nil
}

// edgeBuild makes the rows of a rel table, in order of their source, and their run.
type edgeBuild struct {
	ctx   context.Context
	store *Store
	rel   *Schema
	nodes [2]*Table
	limit int // workers
	frags []*fragment
	rows  int // of all frags

	ids    [2][]uint32 // the ends of each edge
	missed bool        // an end is noNode
	origin []uint32    // which row of frags an edge is; nil if that is its index

	out     int64 // bytes of variable length in all rows
	longest int64 // those of the longest value, if all together are too many for a chunk
	gather  func(rows []uint32) *gatherer
}

// resolve looks the keys of all rows up.
func (b *edgeBuild) resolve() error {
	type block struct{ frag, from, at int }
	var blocks []block
	at := 0
	for i, f := range b.frags {
		for from := 0; from < f.rows; from += resolveRows {
			blocks = append(blocks, block{i, from, at + from})
		}
		at += f.rows
	}
	workers := workersFor(b.rows, b.limit)
	rooms := sync.Pool{New: func() any { return new([]visibility.RowID) }}
	for e := range b.ids {
		keys, err := b.nodes[e].Keys(b.ctx)
		if err != nil {
			return err
		}
		b.ids[e] = make([]uint32, b.rows)
		missed := make([]bool, len(blocks))
		if err := inParallel(b.ctx, workers, len(blocks), func(i int) error {
			blk := blocks[i]
			f := b.frags[blk.frag]
			v, err := f.open(f.find(fromColumn + uint32(e)))
			if err != nil {
				return err
			}
			n := min(resolveRows, f.rows-blk.from)
			room := rooms.Get().(*[]visibility.RowID)
			defer rooms.Put(room)
			rows := slices.Grow((*room)[:0], n)[:n]
			*room = rows
			none, err := keys.Find(b.ctx, []Vec{v.Slice(blk.from, n)}, rows)
			if err != nil {
				return err
			}
			missed[i] = none > 0
			out := b.ids[e][blk.at : blk.at+n]
			for i, id := range rows {
				out[i] = uint32(id) // noNode for NoRow
			}
			return nil
		}); err != nil {
			return err
		}
		for _, m := range missed {
			b.missed = b.missed || m
		}
	}
	return nil
}

// missing returns the ends that are not there, or only the first.
func (b *edgeBuild) missing(first bool) (out []MissingEnd) {
	row := 0
	for _, f := range b.frags {
		for i := range f.rows {
			for e, ids := range b.ids {
				if ids[row] == noNode {
					out = append(out, MissingEnd{Row: int64(row), Column: end(e).String(), Key: f.keyText(end(e), i)})
					if first {
						return out
					}
				}
			}
			row++
		}
	}
	return out
}

// leaveOut drops the edges with an end that is not there.
func (b *edgeBuild) leaveOut() {
	src, dst := b.ids[fromEnd], b.ids[toEnd]
	b.origin = make([]uint32, 0, b.rows)
	for row := range src {
		if n := len(b.origin); src[row] != noNode && dst[row] != noNode {
			src[n], dst[n] = src[row], dst[row]
			b.origin = append(b.origin, uint32(row))
		}
	}
	b.ids = [2][]uint32{src[:len(b.origin)], dst[:len(b.origin)]}
}

// keyText returns the key at an end of row i of a staged fragment.
func (f *fragment) keyText(e end, i int) string {
	v, err := f.open(f.find(fromColumn + uint32(e)))
	if err != nil || v.IsNull(i) {
		return "null"
	}
	return string(v.AppendText(nil, i, time.UTC))
}

// build sorts the edges and returns a load of them.
func (b *edgeBuild) build() (l *Load, err error) {
	n := len(b.ids[fromEnd])
	workers := workersFor(n, b.limit)
	plan := LoadPlan{Schema: b.rel, Fragments: []int{}, VarBytes: b.out}
	src, dst := b.ids[fromEnd], b.ids[toEnd]
	area := planArea(src, dst)
	plan.run = area.bytes
	var to, order []uint32 // in the new order
	if len(b.rel.Columns) > 2 {
		order = make([]uint32, n)
	}
	per := fragmentRows(b.rel, n, b.out, b.longest)
	for left := n; left > 0; left -= per {
		plan.Fragments = append(plan.Fragments, min(left, per))
	}
	if l, err = b.store.NewLoad(b.ctx, plan); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.Abort()
		}
	}()
	var mem []byte
	if l.mapped {
		mem = l.m.Bytes()[l.runOff : l.runOff+area.bytes : l.runOff+area.bytes]
		to = area.dirs[fromEnd].carve(mem[area.dirs[fromEnd].off:]).Neighbors
	} else {
		to = make([]uint32, n)
	}
	scratch := &edgeScratch{}
	s := edgeSort{key: src, val: dst, pos: b.origin, outVal: to, outPos: order, scratch: scratch}
	if err := s.run(b.ctx, workers); err != nil {
		return nil, err
	}
	b.origin = nil
	if err := b.fill(l, src, to, order, workers); err != nil {
		return nil, err
	}
	if mem == nil {
		return l, nil
	}
	err = mmap.Guard(func() error {
		copy(dst, to)
		back := area.dirs[toEnd].carve(mem[area.dirs[toEnd].off:])
		s := edgeSort{key: dst, val: src, outVal: back.Neighbors, outPos: back.Edges, scratch: scratch}
		if err := s.run(b.ctx, workers); err != nil {
			return err
		}
		return b.run(l, area, mem, [2][]uint32{src, dst}, workers)
	})
	return l, err
}

// planArea returns the room for the run of edges.
func planArea(src, dst []uint32) runArea {
	var lo, hi [2]uint32
	for e, ids := range [2][]uint32{src, dst} {
		lo[e], hi[e] = noNode, 0
		for _, id := range ids {
			lo[e], hi[e] = min(lo[e], id), max(hi[e], id)
		}
	}
	if len(src) == 0 {
		return runArea{}
	}
	return planRun(len(src), lo, hi)
}

// fragmentRows returns how many of n rows with out bytes of variable length, in values no
// longer than longest, a fragment takes: few enough for every chunk, in any order of rows.
func fragmentRows(s *Schema, n int, out, longest int64) int {
	row := int64(s.RowBytes())
	if n > 0 {
		row += out / int64(n)
	}
	rows := min(MaxFragmentRows, max(64, FragmentBytes/max(row, 1)&^63))
	if out > maxChunkBytes {
		rows = max(1, min(rows, maxChunkBytes/longest))
	}
	return int(rows)
}

// measure adds up the bytes of variable length in the staged rows.
func (b *edgeBuild) measure() error {
	var chunks []*Vec
	for _, f := range b.frags {
		for i := range f.chunks {
			k := &f.chunks[i]
			if k.col <= toColumn || !k.typ.Variable() {
				continue
			}
			v, err := f.open(k)
			if err != nil {
				return err
			}
			chunks = append(chunks, v)
			b.out += k.loc.outLen
		}
	}
	if b.out <= maxChunkBytes {
		return nil
	}
	return inParallel(b.ctx, 1, len(chunks), func(i int) error {
		for r, from := range chunks[i].offs[:chunks[i].n] {
			b.longest = max(b.longest, int64(chunks[i].offs[r+1]-from))
		}
		return nil
	})
}

// fill writes the fragments of l: edges in order, from src to dst, of which edge i has the
// properties of row order[i].
func (b *edgeBuild) fill(l *Load, src, dst, order []uint32, workers int) error {
	starts := make([]int, len(l.plan.Fragments)+1)
	for i, n := range l.plan.Fragments {
		starts[i+1] = starts[i] + n
	}
	return inParallel(b.ctx, workers, len(l.plan.Fragments), func(i int) error {
		from, n := starts[i], l.plan.Fragments[i]
		w, err := l.Fragment(i, n)
		if err != nil {
			return err
		}
		for c, ids := range [2][]uint32{src[from : from+n], dst[from : from+n]} {
			out := w.Cols[c].Int64s()
			for i, id := range ids {
				out[i] = int64(id)
			}
		}
		if order != nil {
			g := b.gather(order[from : from+n])
			for c := toAt + 1; c < len(w.Cols); c++ {
				if err := g.column(&w.Cols[c], &b.rel.Columns[c]); err != nil {
					return err
				}
			}
		}
		return w.Finish(n)
	})
}

// run completes the run of l in its file: the neighbours are there, sorted like keys.
func (b *edgeBuild) run(l *Load, area runArea, mem []byte, keys [2][]uint32, workers int) error {
	r := &adjRun{count: uint32(len(keys[fromEnd])), file: l.df}
	a := &AdjacencyRun{Count: r.count}
	if err := inParallel(b.ctx, workers, 2, func(e int) error {
		c := []*CSR{&a.Forward, &a.Backward}[e]
		d := area.dirs[e]
		room := mem[d.off:]
		if err := d.index(b.ctx, room, keys[e], max(1, workers/2)); err != nil {
			return err
		}
		room = room[:d.size():d.size()]
		d.crc = l.df.seed
		for from := 0; from < len(room); from += checksumBytes {
			if err := b.ctx.Err(); err != nil {
				return err
			}
			d.crc = crc32.Update(d.crc, castagnoli, room[from:min(from+checksumBytes, len(room))])
		}
		*c = d.carve(room)
		d.off += l.runOff
		r.dirs[e] = d
		return nil
	}); err != nil {
		return err
	}
	l.run, l.ready = r, a
	return nil
}

// checksumBytes is how much is read between looks at the context.
const checksumBytes = 32 << 20

// appendEdges is AppendConflict for a rel table.
func (t *Txn) appendEdges(ctx context.Context, slot int, l *Load) (a Appended, err error) {
	table := t.draft.tables[slot]
	if !l.fits(&t.draft.version, table.schema) {
		return a, errAltered(table.schema.Name)
	}
	if err := l.seal(); err != nil {
		return a, err
	}
	if err := l.claim(); err != nil {
		return a, err
	}
	defer l.discard()
	final := l.edges.final
	if final != nil {
		ok, err := l.edges.holds(ctx, &t.draft.version, table.schema.Rel)
		if err != nil {
			return a, err
		}
		if !ok {
			l.edges.drop()
			final = nil
		}
	}
	if final == nil {
		if err := l.resolve(ctx, &t.draft.version, table); err != nil {
			return a, err
		}
		final = l.edges.final
	}
	a.Missing = missingRows(l.edges.missing)
	l.edges.final = nil // from here on the transaction's
	defer func() { l.edges.last = final.Stats() }()
	a.First = table.NextRow()
	if a.Rows, err = t.addEdges(ctx, slot, final); err != nil {
		final.discard()
	}
	return a, err
}

// missingRows returns in how many rows the ends are.
func missingRows(ends []MissingEnd) int64 {
	n := int64(0)
	for i := range ends {
		n += int64(b2i(i == 0 || ends[i-1].Row != ends[i].Row))
	}
	return n
}

// addEdges puts the rows of a load that has row ids, and its run, behind those of the rel
// table in a slot.
func (t *Txn) addEdges(ctx context.Context, slot int, l *Load) (rows int64, err error) {
	if err := l.Sync(ctx); err != nil {
		return 0, err
	}
	frags, err := l.take()
	if err != nil {
		return 0, err
	}
	first := t.draft.tables[slot].NextRow()
	if err := t.add(slot, l, frags); err != nil {
		return 0, err
	}
	for _, f := range frags {
		rows += int64(f.rows)
	}
	if r := l.run; r != nil && rows > 0 {
		r.first = first
		l.ready.First = first
		r.opened.Store(l.ready)
		t.body = appendStoredRun(appendOpTable(t.body, opRun, t.draft.tables[slot].schema.ID), r)
		if !t.draft.cover(slot, r) {
			return 0, errors.New("columnar: the run of a load does not cover its rows")
		}
		t.crowded = t.crowded || len(t.draft.tables[slot].runs) > 2*maxRuns
	}
	return rows, nil
}

// claim makes the load the transaction's; nobody else can take it.
func (l *Load) claim() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.aborted || l.taken {
		return errTaken
	}
	l.taken = true
	return nil
}

// drop gives the final load up.
func (e *edgeLoad) drop() {
	if e.final != nil {
		e.final.Abort()
		e.final = nil
	}
}

// holds reports whether what was resolved earlier is what v gives: every end is there
// still, and no key has come that was missing.
func (e *edgeLoad) holds(ctx context.Context, v *version, r *Rel) (bool, error) {
	nodes, err := v.endTables(r)
	if err != nil {
		return false, err
	}
	for i, now := range nodes {
		was := e.nodes[i]
		if now.schema.ID != was.schema.ID || now.keys != was.keys || (len(e.missing) > 0 && now.NextRow() != was.NextRow()) {
			return false, nil
		}
		if now.vis == was.vis || now.deleted() == was.deleted() {
			continue
		}
		ok := true
		if err := inParallel(ctx, 1, len(e.final.frags), func(f int) error {
			ids, err := e.final.frags[f].end(end(i))
			for _, id := range ids {
				ok = ok && now.vis.Visible(visibility.RowID(id))
			}
			return err
		}); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// stats returns the statistics of the load whose rows are built from staged ones.
func (e *edgeLoad) stats(staged LoadStats) LoadStats {
	st := e.last
	if e.final != nil {
		st = e.final.Stats()
	}
	st.Reservations += staged.Reservations
	st.ReservedBytes += staged.ReservedBytes
	st.StoreNS += staged.StoreNS
	st.EdgesNS = int64(e.spent)
	return st
}
