package arrowipc

import (
	"sort"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// piece is one dictionary message: values that its dictionary gets, or that are added.
type piece struct {
	id    int64
	seq   int // its number among the dictionary messages of the input
	delta bool
	open  func(values *field) (*Batch, error) // nil once it is loaded

	data   arrow.ArrayData
	merged arrow.ArrayData // all of the dictionary up to here
}

// dictionaries are those of one input.
type dictionaries struct {
	schema *schema

	mu     sync.Mutex
	pieces []*piece // by number
	byID   map[int64][]*piece
}

func newDictionaries(s *schema) *dictionaries {
	return &dictionaries{schema: s, byID: map[int64][]*piece{}}
}

// add notes the next dictionary message, whose header, a DictionaryBatch, belongs to m.
// open reads its values.
func (d *dictionaries) add(m message, open func(*layout, *field) (*Batch, error)) error {
	p := &piece{id: m.header.i64(0), delta: m.header.u8(2) != 0}
	lay, err := readLayout(m.header.table(1), m)
	if err != nil {
		return err
	}
	if d.schema.dicts[p.id] == nil {
		return damaged(m.at, "there is no column with dictionary %d", p.id)
	}
	p.open = func(values *field) (*Batch, error) { return open(lay, values) }
	d.mu.Lock()
	defer d.mu.Unlock()
	p.seq = len(d.pieces)
	d.pieces = append(d.pieces, p)
	d.byID[p.id] = append(d.byID[p.id], p)
	return nil
}

// count returns the number of dictionary messages so far.
func (d *dictionaries) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pieces)
}

// replaced reports whether a dictionary has been given anew.
func (d *dictionaries) replaced() bool {
	for _, list := range d.byID {
		for _, p := range list[1:] {
			if !p.delta {
				return true
			}
		}
	}
	return false
}

// seen returns the dictionaries of the given fields as a batch sees them that stands
// behind seq dictionary messages. One that was never given is not among them.
func (d *dictionaries) seen(fields []*field, seq int) (map[int64]arrow.ArrayData, error) {
	wanted := map[int64]bool{}
	for _, f := range fields {
		d.collect(f, wanted)
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pieces[:seq] { // in order: values may refer to dictionaries before theirs
		if wanted[p.id] && p.open != nil {
			if err := d.load(p); err != nil {
				return nil, err
			}
		}
	}
	return d.merge(wanted, seq)
}

// collect adds the dictionaries that f needs, and their values need, to wanted.
func (d *dictionaries) collect(f *field, wanted map[int64]bool) {
	if f.values != nil && !wanted[f.dict] {
		wanted[f.dict] = true
		d.collect(d.schema.dicts[f.dict], wanted)
	}
	for _, child := range f.children {
		d.collect(child, wanted)
	}
}

// load reads the values of p. The caller has the lock.
func (d *dictionaries) load(p *piece) error {
	values := d.schema.dicts[p.id]
	b, err := p.open(values)
	if err != nil {
		return err
	}
	nested := map[int64]bool{}
	d.collect(values, nested)
	if b.dicts, err = d.merge(nested, p.seq); err != nil {
		return err
	}
	b.big = d.schema.big
	b.src.arena = new(arena) // the values stay
	var c cursor
	if p.data, err = b.load(values, &c, 0, b.Rows()); err != nil {
		return err
	}
	p.open = nil
	return nil
}

// merge returns the wanted dictionaries, whose pieces are loaded. The caller has the lock.
func (d *dictionaries) merge(wanted map[int64]bool, seq int) (map[int64]arrow.ArrayData, error) {
	out := make(map[int64]arrow.ArrayData, len(wanted))
	for id := range wanted {
		list := d.byID[id]
		last := sort.Search(len(list), func(i int) bool { return list[i].seq >= seq }) - 1
		if last < 0 {
			continue
		}
		p := list[last]
		if p.merged == nil {
			var err error
			if p.merged, err = d.join(list[:last+1]); err != nil {
				return nil, err
			}
		}
		out[id] = p.merged
	}
	return out, nil
}

// join returns the values of the pieces since the last that is not a delta.
func (d *dictionaries) join(list []*piece) (arrow.ArrayData, error) {
	first := len(list) - 1
	for first > 0 && list[first].delta && list[first].merged == nil {
		first--
	}
	var parts []arrow.Array
	for _, p := range list[first:] {
		data := p.data
		if p.merged != nil {
			data = p.merged
		}
		if data.Len() > 0 {
			parts = append(parts, array.MakeFromData(data))
		}
	}
	switch len(parts) {
	case 0:
		return empty(d.schema.dicts[list[0].id]), nil
	case 1:
		return parts[0].Data(), nil
	}
	all, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		return nil, damaged(0, "dictionary %d cannot be put together", list[0].id)
	}
	return all.Data(), nil
}

// forget drops what no batch sees that stands behind all messages so far.
func (d *dictionaries) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, list := range d.byID {
		last := len(list) - 1
		for last > 0 && list[last].delta {
			last--
		}
		for _, p := range list[:last] {
			p.data, p.merged, p.open = nil, nil, nil
		}
		d.byID[id] = list[last:]
	}
}
