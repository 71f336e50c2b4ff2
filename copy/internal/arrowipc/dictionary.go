package arrowipc

import (
	"slices"
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

	at   int64   // of the message
	lay  *layout // of its batch; nil once that is loaded
	body body

	data   arrow.ArrayData // the values, once they are loaded
	merged arrow.ArrayData // all of the dictionary up to here, once a batch has seen it
}

// dictionaries are those of one input.
type dictionaries struct {
	schema *schema

	mu   sync.Mutex
	n    int // messages so far
	byID map[int64][]*piece
}

func newDictionaries(s *schema) *dictionaries {
	return &dictionaries{schema: s, byID: map[int64][]*piece{}}
}

// add notes the next dictionary message, whose header, a DictionaryBatch, belongs to m.
func (d *dictionaries) add(m message, in body) error {
	p := &piece{id: m.header.i64(0), delta: m.header.u8(2) != 0, at: m.at, body: in}
	var err error
	if p.lay, err = readLayout(m.header.table(1), m); err != nil {
		return err
	}
	if d.schema.dicts[p.id] == nil {
		return damaged(m.at, "there is no column with dictionary %d", p.id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p.seq = d.n
	d.n++
	d.byID[p.id] = append(d.byID[p.id], p)
	return nil
}

// count returns the number of dictionary messages so far.
func (d *dictionaries) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
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
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.visible(fields, seq)
}

// visible is seen for a caller that has the lock.
func (d *dictionaries) visible(fields []*field, seq int) (map[int64]arrow.ArrayData, error) {
	wanted := map[int64]bool{}
	collect(fields, wanted)
	out := make(map[int64]arrow.ArrayData, len(wanted))
	for id := range wanted {
		list := d.byID[id]
		n := sort.Search(len(list), func(i int) bool { return list[i].seq >= seq })
		if n == 0 {
			continue
		}
		p := list[n-1]
		if p.merged == nil {
			var err error
			if p.merged, err = d.join(list[:n]); err != nil {
				return nil, err
			}
		}
		out[id] = p.merged
	}
	return out, nil
}

// collect adds the dictionaries that fields have their values in to wanted. What the
// values of those refer to is not among them: it is part of them once they are loaded.
func collect(fields []*field, wanted map[int64]bool) {
	for _, f := range fields {
		switch {
		case f.typ == nil: // is not read
		case f.values != nil:
			wanted[f.dict] = true
		default:
			collect(f.children, wanted)
		}
	}
}

// load returns the values of p. The caller has the lock.
//
// They may have their own values in dictionaries before p. That ends: the words for the
// type of a dictionary that can be read have those of its values in them, and the
// dictionaries of one id have the same words.
func (d *dictionaries) load(p *piece) (arrow.ArrayData, error) {
	if p.lay == nil {
		return p.data, nil
	}
	values := []*field{d.schema.dicts[p.id]}
	b, err := d.schema.batch(values, []int{0}, p.lay, p.at, p.body)
	if err != nil {
		return nil, err
	}
	if b.dicts, err = d.visible(values, p.seq); err != nil {
		return nil, err
	}
	b.src.arena = new(arena) // the values stay
	var c cursor
	if p.data, err = b.load(values[0], &c, 0, b.Rows()); err != nil {
		return nil, err
	}
	p.lay, p.body = nil, body{}
	return p.data, nil
}

// join returns the values of the pieces since the last that is not a delta. The caller
// has the lock.
func (d *dictionaries) join(list []*piece) (arrow.ArrayData, error) {
	var parts []arrow.Array
	for _, p := range list[base(list):] {
		data := p.merged
		if data == nil {
			var err error
			if data, err = d.load(p); err != nil {
				return nil, err
			}
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

// base returns which of the pieces of a dictionary is the last that those before it do
// not matter to: it is no delta, or has them in it.
func base(list []*piece) int {
	i := len(list) - 1
	for i > 0 && list[i].delta && list[i].merged == nil {
		i--
	}
	return i
}

// forget drops what no batch sees that stands behind all messages so far.
func (d *dictionaries) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, list := range d.byID {
		d.byID[id] = slices.Delete(list, 0, base(list))
	}
}
