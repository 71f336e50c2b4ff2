package sql

import "hash/maphash"

// keyTable numbers distinct keys in the order in which they come. It is an open hash
// table of numbers; the keys lie one behind the other in an arena, so a new key costs no
// allocation of its own. The zero keyTable is empty.
type keyTable struct {
	slots  []uint32 // number+1 of a key, 0 for none; a power of two of them
	hashes []uint64 // by number
	ends   []uint64 // by number: where the key ends in the arena
	arena  []byte
}

var keySeed = maphash.MakeSeed()

// minSlots is the number of slots of the smallest table.
const minSlots = 64

// len returns the number of keys.
func (t *keyTable) len() int { return len(t.ends) }

// bytes returns about how much memory the table takes.
func (t *keyTable) bytes() int64 { return int64(len(t.arena) + 4*len(t.slots) + 16*len(t.ends)) }

// key returns the key with a number.
func (t *keyTable) key(number uint32) []byte {
	from := uint64(0)
	if number > 0 {
		from = t.ends[number-1]
	}
	return t.arena[from:t.ends[number]]
}

// number returns the number of a key and whether it is a new one.
func (t *keyTable) number(key []byte) (number uint32, fresh bool) {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	h := maphash.Bytes(keySeed, key)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			t.slots[i] = uint32(len(t.ends)) + 1
			t.hashes = append(t.hashes, h)
			t.arena = append(t.arena, key...)
			t.ends = append(t.ends, uint64(len(t.arena)))
			return uint32(len(t.ends)) - 1, true
		}
		if t.hashes[s-1] == h && string(t.key(s-1)) == string(key) {
			return s - 1, false
		}
	}
}

// grow doubles the slots.
func (t *keyTable) grow() {
	t.slots = make([]uint32, max(minSlots, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n) + 1
	}
}
