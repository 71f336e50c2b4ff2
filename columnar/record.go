package columnar

import (
	"encoding/binary"

	"github.com/ingotdb/ingot/visibility"
)

// Operations of a log record, in the order in which a transaction did them.
//
// Format: docs/FORMAT.md#record-body. The numbers are never reused.
const (
	opCreate   = 1  // schema
	opAlter    = 2  // schema
	opDrop     = 3  // table ID
	opTruncate = 4  // table ID
	opFile     = 5  // data file that later operations of the record refer to
	opRows     = 6  // table ID, file number, fragment directory
	opInline   = 7  // table ID, inline fragment
	opDelete   = 8  // table ID, ranges of row ids
	opRel      = 9  // schema, rel: opCreate of a rel table
	opRun      = 10 // table ID, stored run of the rows that it just got
)

func appendOpTable(b []byte, op byte, id uint32) []byte {
	return binary.AppendUvarint(append(b, op), uint64(id))
}

// appendOpDelete writes ascending row ids as ranges: gap from the end of the range
// before, length.
func appendOpDelete(b []byte, id uint32, ids []visibility.RowID) []byte {
	b = appendOpTable(b, opDelete, id)
	ranges := 0
	eachRange(ids, func(_, _ visibility.RowID) { ranges++ })
	b = binary.AppendUvarint(b, uint64(ranges))
	end := visibility.RowID(0)
	eachRange(ids, func(first, n visibility.RowID) {
		b = binary.AppendUvarint(b, uint64(first-end))
		b = binary.AppendUvarint(b, uint64(n))
		end = first + n
	})
	return b
}

// eachRange calls fn with the maximal runs of consecutive ids; a repeated id counts once.
func eachRange(ids []visibility.RowID, fn func(first, n visibility.RowID)) {
	for i := 0; i < len(ids); {
		first, next := ids[i], ids[i]+1
		for i++; i < len(ids) && ids[i] <= next; i++ {
			next = max(next, ids[i]+1)
		}
		fn(first, next-first)
	}
}

// replayer makes the changes of log records to a draft.
type replayer struct {
	draft draft
	files map[uint64]*dataFile // every data file a record named, by number
}

// apply makes the changes of one record body.
func (r *replayer) apply(body []byte) error {
	d := decoder{b: body}
	for len(d.b) > 0 && d.err == nil {
		if err := r.op(&d); err != nil {
			return err
		}
	}
	return d.err
}

func (r *replayer) op(d *decoder) error {
	switch op := d.byte(); op {
	case opCreate:
		s := d.schema()
		if d.err == nil {
			return r.draft.create(s)
		}
	case opRel:
		s := d.schema()
		s.Rel = d.rel()
		if d.err == nil && r.draft.relFits(s, s.Rel) {
			return r.draft.create(s)
		}
		d.fail()
	case opAlter:
		s := d.schema()
		if slot := r.draft.slotOf(s.ID); d.err == nil && slot >= 0 && s.follows(r.draft.tables[slot].schema) &&
			r.draft.alterRel(slot, s) == nil {
			return r.draft.alter(slot, s)
		}
		d.fail()
	case opDrop:
		if slot, ok := r.free(d, false); ok {
			r.draft.drop(slot)
		}
	case opTruncate:
		if slot, ok := r.free(d, true); ok {
			r.draft.truncate(slot)
		}
	case opFile:
		r.file(d.dataRef())
	case opRows:
		if slot, ok := r.slot(d); ok {
			df := r.files[d.uvarint()]
			if df == nil {
				d.fail()
				break
			}
			if f := d.fragment(df); r.fits(d, slot, f) {
				r.draft.append(slot, f)
			}
		}
	case opInline:
		if slot, ok := r.slot(d); ok {
			if f := d.inline(); r.fits(d, slot, f) {
				r.draft.append(slot, f)
			}
		}
	case opDelete:
		if slot, ok := r.slot(d); ok {
			r.remove(d, slot)
		}
	case opRun:
		if slot, ok := r.slot(d); ok {
			run := d.storedRun(r.files)
			if d.err == nil && (r.draft.tables[slot].schema.Rel == nil || !r.draft.cover(slot, run)) {
				d.fail()
			}
		}
	default:
		d.fail()
	}
	return nil
}

// slot reads a table ID and returns its slot.
func (r *replayer) slot(d *decoder) (int, bool) {
	slot := r.draft.slotOf(uint32(d.int(1<<32 - 1)))
	if slot < 0 {
		d.fail()
	}
	return slot, d.err == nil
}

// free reads the ID of a table that no rel table keeps from being dropped, or truncated, and
// returns its slot.
func (r *replayer) free(d *decoder, truncate bool) (int, bool) {
	slot, ok := r.slot(d)
	if ok && len(r.draft.dependents(r.draft.tables[slot].schema.ID, truncate)) > 0 {
		d.fail()
	}
	return slot, d.err == nil
}

// fits reports whether the fragment's chunks have the types of the table's columns, so
// that no reader takes one type's bytes for another's. Chunks of dropped columns may
// have any. If not, d fails.
func (r *replayer) fits(d *decoder, slot int, f *fragment) bool {
	if d.err != nil {
		return false
	}
	s := r.draft.tables[slot].schema
	for i := range s.Columns {
		if k := f.find(s.Columns[i].ID); k != nil && k.typ != s.Columns[i].Type {
			d.fail()
		}
	}
	return d.err == nil
}

// file notes a data file; it is opened once the whole history is known.
func (r *replayer) file(ref dataRef) *dataFile {
	if df := r.files[ref.number]; df != nil && df.random == ref.random {
		return df
	}
	df := &dataFile{name: dataName(ref.number), number: ref.number, random: ref.random, seed: seedOf(ref.random), size: ref.size}
	r.files[ref.number] = df
	return df
}

// remove reads the ranges of an opDelete and deletes their rows.
func (r *replayer) remove(d *decoder, slot int) {
	t := *r.draft.tables[slot]
	end := uint64(0)
	var rows []uint32 // of one group
	group := -1
	flush := func() {
		if group >= 0 {
			g, _ := t.vis.At(group).WithDeleted(rows)
			t.vis = t.vis.With(group, g)
		}
		rows = rows[:0]
	}
	for range d.count(2) {
		first := end + d.uvarint()
		n := d.uvarint()
		if first > t.vis.Rows() || n > t.vis.Rows()-first {
			d.fail()
			return
		}
		for end = first; end < first+n; end++ {
			id := visibility.RowID(end)
			if g := int(id.Group()); g != group {
				flush()
				group = g
			}
			rows = append(rows, id.Row())
		}
	}
	flush()
	r.draft.set(slot, &t)
}

// appendState writes the whole of a version: what a log starts with.
//
// Format: docs/FORMAT.md#state.
func appendState(b []byte, v *version) []byte {
	b = binary.AppendUvarint(b, uint64(v.nextTable))
	files := map[*dataFile]bool{}
	var refs []byte
	for _, t := range v.tables {
		if t == nil {
			continue
		}
		name := func(df *dataFile) {
			if df != nil && !files[df] {
				files[df] = true
				ref := df.ref()
				refs = ref.append(refs)
			}
		}
		t.pieces(func(_ visibility.RowID, p piece) { name(p.frag.file) })
		for _, r := range t.runs {
			name(r.file)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(files)))
	b = append(b, refs...)
	b = binary.AppendUvarint(b, uint64(len(v.names)))
	for _, t := range v.list() {
		b = appendTable(b, t)
	}
	return appendRels(b, v)
}

// appendRels writes what a state says of its rel tables, nothing if there are none.
func appendRels(b []byte, v *version) []byte {
	var rels []*Table
	for _, t := range v.list() {
		if t.schema.Rel != nil {
			rels = append(rels, t)
		}
	}
	if len(rels) == 0 {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(rels)))
	for _, t := range rels {
		b = binary.AppendUvarint(b, uint64(t.schema.ID))
		b = appendRel(b, t.schema.Rel)
		stored := 0
		for _, r := range t.runs {
			stored += b2i(r.file != nil)
		}
		b = binary.AppendUvarint(b, uint64(stored))
		for _, r := range t.runs {
			if r.file != nil {
				b = appendStoredRun(b, r)
			}
		}
		b = append(b, 0) // no extra
	}
	return b
}

func appendTable(b []byte, t *Table) []byte {
	b = appendSchema(b, t.schema)
	b = append(b, 0) // no extra
	frags := 0
	t.pieces(func(_ visibility.RowID, p piece) { frags += b2i(p.from == 0) })
	b = binary.AppendUvarint(b, uint64(frags))
	t.pieces(func(_ visibility.RowID, p piece) {
		switch {
		case p.from != 0: // the rest of a fragment that straddles two groups
		case p.frag.file == nil:
			b = binary.AppendUvarint(b, 0)
			b = appendInline(b, p.frag)
		default:
			b = binary.AppendUvarint(b, p.frag.file.number)
			b = appendFragment(b, p.frag)
		}
	})
	deleted := 0
	for _, g := range t.vis.All() {
		deleted += b2i(g.Deleted() > 0)
	}
	b = binary.AppendUvarint(b, uint64(deleted))
	for i, g := range t.vis.All() {
		if g.Deleted() > 0 {
			b = binary.AppendUvarint(b, uint64(i))
			b = g.AppendBinary(b)
		}
	}
	return b
}

// state makes the draft what appendState wrote.
func (r *replayer) state(body []byte) error {
	d := decoder{b: body}
	next := uint32(d.int(1<<32 - 1))
	for range d.count(10) {
		r.file(d.dataRef())
	}
	for range d.count(6) {
		r.table(&d)
		if d.err != nil {
			return d.err
		}
	}
	r.draft.nextTable = max(r.draft.nextTable, next)
	if len(d.b) > 0 {
		for range d.count(5) {
			r.rel(&d)
		}
	}
	if len(d.b) > 0 {
		d.fail()
	}
	return d.err
}

// rel makes a table of a state a rel table: gaps between its stored runs become runs in
// memory.
func (r *replayer) rel(d *decoder) {
	slot, ok := r.slot(d)
	rel := d.rel()
	if !ok || d.err != nil {
		return
	}
	t := *r.draft.tables[slot]
	if t.schema.Rel != nil || !r.draft.relFits(t.schema, rel) || len(r.draft.rels(t.schema.ID)) > 0 {
		d.fail()
		return
	}
	s := *t.schema
	s.Rel = rel
	t.schema = &s
	nodes := r.draft.nodeRows(rel)
	at := visibility.RowID(0)
	gap := func(to visibility.RowID) {
		for at < to {
			n := min(to-at, 1<<31)
			t.runs = append(t.runs, memoryRun(at, uint32(n), nodes))
			at += n
		}
	}
	for range d.count(21) {
		run := d.storedRun(r.files)
		if d.err != nil || run.first < at || run.end() > t.NextRow() {
			d.fail()
			return
		}
		gap(run.first)
		run.nodes = nodes
		t.runs = append(t.runs, run)
		at = run.end()
		r.draft.refs[run.file]++
	}
	gap(t.NextRow())
	d.extra()
	r.draft.set(slot, &t)
}

func (r *replayer) table(d *decoder) {
	s := d.schema()
	d.extra()
	if d.err != nil {
		return
	}
	if err := r.draft.create(s); err != nil {
		d.fail()
		return
	}
	slot := r.draft.slotOf(s.ID)
	for range d.count(3) {
		var f *fragment
		if number := d.uvarint(); number == 0 {
			f = d.inline()
		} else if df := r.files[number]; df != nil {
			f = d.fragment(df)
		} else {
			d.fail()
		}
		if d.err != nil {
			return
		}
		if !r.fits(d, slot, f) {
			return
		}
		r.draft.grow(slot, f, false)
	}
	t := *r.draft.tables[slot]
	for range d.count(2) {
		i := d.int(uint64(max(t.vis.Len()-1, 0)))
		g, rest, err := visibility.DecodeGroup(d.b)
		if d.err != nil || err != nil || t.vis.At(i) == nil || t.vis.At(i).Rows() != g.Rows() {
			d.fail()
			return
		}
		d.b = rest
		t.vis = t.vis.With(i, g)
	}
	r.draft.set(slot, &t)
}
