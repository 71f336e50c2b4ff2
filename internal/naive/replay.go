package naive

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	opCreate = 1 + iota
	opAlter
	opDrop
	opTruncate
	opFile
	opRows
	opInline
	opDelete
	opRel
	opRun
)

// history is the version that replay has come to.
type history struct {
	dir          string
	highestTable uint32
	tables       map[uint32]*Table
	files        map[uint64]reference
	bytes        map[uint64][]byte // contents of files already read
}

// replay applies the state and the commits of l and fills in what s holds of them.
//
// A fragment's chunks are read at the end, so that a file which a later commit gave up may be
// gone; those of a commit that may not have become durable are read before it is applied.
func replay(dir string, l *log, s *Store) error {
	h := &history{dir: dir, tables: map[uint32]*Table{}, files: map[uint64]reference{}, bytes: map[uint64][]byte{}}
	for _, r := range l.records {
		s.Durable = max(s.Durable, r.durableSeq)
		if r.kind == kindState || r.kind == kindCommit && r.synced {
			s.Durable = max(s.Durable, r.seq)
		}
	}
	for _, r := range l.records {
		c := &cursor{where: fmt.Sprintf("%s, body of the record at %d", l.name, r.at), b: r.body}
		switch r.kind {
		case kindState:
			h.state(c)
			if c.err == nil && c.left() > 0 {
				h.relState(c)
			}
			if c.err == nil && c.left() != 0 {
				c.fail("%d bytes behind the state", c.left())
			}
		case kindCommit:
			if s.Dropped > 0 {
				s.Dropped++
				continue
			}
			if r.seq > s.Durable {
				ok, err := h.holds(c)
				if err != nil {
					return err
				}
				if !ok {
					s.Dropped++
					continue
				}
			}
			for c.err == nil && c.left() > 0 {
				h.op(c)
			}
		default:
			continue
		}
		if c.err != nil {
			return c.err
		}
		s.Seq = r.seq
	}
	for _, t := range h.tables {
		if err := h.load(t); err != nil {
			return err
		}
		s.Tables = append(s.Tables, t)
	}
	for _, t := range s.Tables {
		if t.Rel == nil {
			continue
		}
		if err := h.verifyRuns(t); err != nil {
			return err
		}
	}
	return nil
}

// holds tells whether the data is there and good that a commit adds and that it leaves in the
// tables. It parses the commit on a copy of the history, which is left alone.
func (h *history) holds(c *cursor) (bool, error) {
	try := &history{dir: h.dir, highestTable: h.highestTable, tables: map[uint32]*Table{}, files: maps.Clone(h.files), bytes: h.bytes}
	before := map[*fragment]bool{}
	runs := map[*run]bool{}
	for id, t := range h.tables {
		dup := *t
		dup.frags, dup.Deleted, dup.runs = slices.Clone(t.frags), slices.Clone(t.Deleted), slices.Clone(t.runs)
		try.tables[id] = &dup
		for _, r := range t.runs {
			runs[r] = true
		}
		for _, f := range t.frags {
			before[f] = true
		}
	}
	body := &cursor{where: c.where, b: c.b}
	for body.err == nil && body.left() > 0 {
		try.op(body)
	}
	if body.err != nil {
		return false, body.err
	}
	for _, t := range try.tables {
		for _, f := range t.frags {
			if f.file == 0 || before[f] {
				continue
			}
			if err := try.fragment(f); errors.Is(err, ErrCorrupt) {
				return false, nil
			} else if err != nil {
				return false, err
			}
		}
		for _, r := range t.runs {
			for way := range r.dirs {
				if runs[r] {
					continue
				}
				if _, err := try.hops(r, way); errors.Is(err, ErrCorrupt) {
					return false, nil
				} else if err != nil {
					return false, err
				}
			}
		}
	}
	return true, nil
}

// state applies the body of a state.
func (h *history) state(c *cursor) {
	h.highestTable = uint32(c.limited(1<<32-1, "highest table id"))
	for range c.count("data files") {
		h.file(c)
	}
	for range c.count("tables") {
		if c.err != nil {
			return
		}
		t := &Table{Schema: c.schema()}
		c.extra()
		if t.ID > h.highestTable || h.tables[t.ID] != nil {
			c.fail("table %d", t.ID)
		}
		h.add(c, t)
		for range c.count("fragments") {
			if c.err != nil {
				return
			}
			h.append(c, t, h.stored(c))
		}
		before := -1
		for range c.count("row groups") {
			g := c.limited(uint64(t.Rows)/rowGroup, "row group")
			if g <= before {
				c.fail("row group %d after %d", g, before)
			}
			before = g
			c.deleteState(t, g)
			if c.err != nil {
				return
			}
		}
	}
}

// stored reads a fragment of a state.
func (h *history) stored(c *cursor) *fragment {
	number := c.uvarint()
	if number == 0 {
		return c.inline()
	}
	if h.files[number].number == 0 {
		c.fail("unknown data file %d", number)
	}
	return c.directory(number)
}

// op applies the next operation of a commit.
func (h *history) op(c *cursor) {
	switch op := c.u8(); op {
	case opCreate, opRel:
		t := &Table{Schema: c.schema()}
		if op == opRel {
			h.related(c, t, c.rel())
		}
		if t.ID <= h.highestTable {
			c.fail("table id %d was given before", t.ID)
		}
		h.highestTable = max(h.highestTable, t.ID)
		h.add(c, t)
	case opAlter:
		h.alter(c)
	case opDrop:
		if t := h.unused(c, false); t != nil {
			delete(h.tables, t.ID)
		}
	case opTruncate:
		if t := h.unused(c, true); t != nil {
			t.frags, t.Rows, t.Deleted, t.runs = nil, 0, nil, nil
		}
	case opFile:
		h.file(c)
	case opRows:
		t := h.table(c)
		number := c.uvarint()
		if h.files[number].number == 0 {
			c.fail("unknown data file %d", number)
		}
		h.append(c, t, c.directory(number))
	case opInline:
		t := h.table(c)
		h.append(c, t, c.inline())
	case opDelete:
		h.delete(c)
	case opRun:
		if t := h.table(c); t != nil {
			h.covered(c, t, c.run(), true)
		}
	default:
		c.fail("op %d", op)
	}
}

// table reads the id of a table that there is; nil if there is none, which has failed.
func (h *history) table(c *cursor) *Table {
	id := c.id("table id")
	if h.tables[id] == nil {
		c.fail("unknown table %d", id)
	}
	return h.tables[id]
}

// add puts in a table, whose name nobody else may have.
func (h *history) add(c *cursor, t *Table) {
	for _, other := range h.tables {
		if other.Name == t.Name {
			c.fail("two tables %q", t.Name)
		}
	}
	h.tables[t.ID] = t
}

func (h *history) alter(c *cursor) {
	s := c.schema()
	t := h.tables[s.ID]
	if t == nil {
		c.fail("unknown table %d", s.ID)
		return
	}
	if s.HighestID < t.HighestID {
		c.fail("highest column id falls")
	}
	for _, col := range s.Columns {
		old := t.column(col.ID)
		if old == nil && col.ID <= t.HighestID || old != nil && old.Type != col.Type {
			c.fail("column %d is another one", col.ID)
		}
	}
	dup := *t
	if dup.Schema = s; t.Rel != nil {
		dup.endsHold(c)
	}
	delete(h.tables, s.ID)
	h.add(c, &dup)
}

func (h *history) file(c *cursor) {
	r := c.reference()
	if h.files[r.number].number != 0 {
		c.fail("data file %d twice", r.number)
	}
	h.files[r.number] = r
}

// append puts a fragment behind the rows of a table, unless something has failed.
func (h *history) append(c *cursor, t *Table, f *fragment) {
	if c.err != nil {
		return
	}
	t.frags = append(t.frags, f)
	t.Rows += f.rows
	t.Deleted = append(t.Deleted, make([]bool, f.rows)...)
}

func (h *history) delete(c *cursor) {
	t := h.table(c)
	at := 0
	for range c.count("ranges") {
		if c.err != nil {
			return
		}
		at += c.limited(uint64(t.Rows-at), "gap")
		n := c.limited(uint64(t.Rows-at), "length of a range")
		if n == 0 {
			c.fail("empty range")
		}
		for i := range n {
			t.Deleted[at+i] = true
		}
		at += n
	}
}

// fragment reads the chunks of a fragment that lies in a data file.
func (h *history) fragment(f *fragment) error {
	b, err := h.content(f.file)
	if err != nil {
		return err
	}
	return f.load(b)
}

// content returns the bytes of a data file.
func (h *history) content(number uint64) ([]byte, error) {
	if h.bytes[number] == nil {
		b, err := h.files[number].read(h.dir)
		if err != nil {
			return nil, err
		}
		h.bytes[number] = b
	}
	return h.bytes[number], nil
}

// load reads all chunks of a table and verifies its values.
func (h *history) load(t *Table) error {
	first := 0
	for _, f := range t.frags {
		if f.file != 0 {
			if err := h.fragment(f); err != nil {
				return err
			}
		}
		if err := t.verify(f, first); err != nil {
			return err
		}
		first += f.rows
	}
	return nil
}
