package columnar

import (
	"maps"
	"slices"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/visibility"
)

// version is one commit point of the whole store. Immutable.
type version struct {
	store     *Store // nil while the store is being recovered
	seq       visibility.CommitSeq
	gen       uint64 // counts publications: a checkpoint makes a version without a commit
	names     map[string]int
	tables    []*Table // by slot; nil where a table was dropped
	nextTable uint32
}

func (v *version) table(name string) (*Table, error) {
	if i, ok := v.names[name]; ok {
		return v.tables[i], nil
	}
	return nil, errNoTable(name)
}

// list returns the tables ordered by name.
func (v *version) list() []*Table {
	out := make([]*Table, 0, len(v.names))
	for _, name := range slices.Sorted(maps.Keys(v.names)) {
		out = append(out, v.tables[v.names[name]])
	}
	return out
}

// draft is a version being changed by the one writer, or by recovery, which makes the
// same changes again from the log. It copies what it changes.
type draft struct {
	version
	ownNames  bool
	ownTables bool
	refs      map[*dataFile]int // change in the number of pieces that refer to a file
}

func (v *version) draft() draft { return draft{version: *v, refs: map[*dataFile]int{}} }

// clone returns a draft that can be changed without changing d.
func (d *draft) clone() draft {
	c := *d
	c.ownNames, c.ownTables = false, false
	d.ownNames, d.ownTables = false, false
	c.refs = maps.Clone(d.refs)
	return c
}

// set puts t into a slot; a nil t empties it.
func (d *draft) set(slot int, t *Table) {
	if !d.ownTables {
		d.tables = slices.Clone(d.tables)
		d.ownTables = true
	}
	d.tables[slot] = t
}

func (d *draft) name(name string, slot int) {
	d.cloneNames()
	d.names[name] = slot
}

func (d *draft) unname(name string) {
	d.cloneNames()
	delete(d.names, name)
}

func (d *draft) cloneNames() {
	if d.ownNames {
		return
	}
	if d.names = maps.Clone(d.names); d.names == nil {
		d.names = map[string]int{}
	}
	d.ownNames = true
}

// slotOf returns the slot of the table with the given ID, or -1.
func (d *draft) slotOf(id uint32) int {
	return slices.IndexFunc(d.tables, func(t *Table) bool { return t != nil && t.schema.ID == id })
}

// create adds a table whose schema has all its IDs.
func (d *draft) create(s *Schema) error {
	if _, ok := d.names[s.Name]; ok {
		return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", s.Name)
	}
	d.nextTable = max(d.nextTable, s.ID)
	slot := slices.Index(d.tables, nil)
	if slot < 0 {
		slot = len(d.tables)
		d.tables = append(slices.Clone(d.tables), nil)
		d.ownTables = true
	}
	d.set(slot, newTable(s, d.store))
	d.name(s.Name, slot)
	return nil
}

// drop removes the table in a slot.
func (d *draft) drop(slot int) {
	d.forget(d.tables[slot])
	d.unname(d.tables[slot].schema.Name)
	d.set(slot, nil)
}

// truncate empties the table in a slot.
func (d *draft) truncate(slot int) {
	d.forget(d.tables[slot])
	d.set(slot, newTable(d.tables[slot].schema, d.store))
}

// alter gives the table in a slot another schema.
func (d *draft) alter(slot int, s *Schema) error {
	old := d.tables[slot].schema.Name
	if old != s.Name {
		if _, ok := d.names[s.Name]; ok {
			return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", s.Name)
		}
		d.unname(old)
		d.name(s.Name, slot)
	}
	d.set(slot, d.tables[slot].withSchema(s))
	return nil
}

// append puts a fragment behind the rows of the table in a slot.
func (d *draft) append(slot int, f *fragment) {
	d.grow(slot, f, true)
	if d.tables[slot].schema.Rel != nil {
		d.adjoin(slot, f.rows)
	}
}

func (d *draft) grow(slot int, f *fragment, merge bool) {
	before := d.tables[slot]
	d.set(slot, before.grow(f, merge))
	if f.file != nil {
		d.refs[f.file]++
	}
}

// forget counts the references of a table that goes away. A fragment counts once,
// however many pieces it was cut into.
func (d *draft) forget(t *Table) {
	t.pieces(func(_ visibility.RowID, p piece) {
		if p.frag.file != nil && p.from == 0 {
			d.refs[p.frag.file]--
		}
	})
	for _, r := range t.runs {
		if r.file != nil {
			d.refs[r.file]--
		}
	}
}
