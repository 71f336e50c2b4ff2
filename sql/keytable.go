package sql

import (
	"encoding/binary"
	"hash/maphash"
)

// keyTable numbers distinct keys in the order in which they come. It is an open hash
// table of numbers; the keys lie one behind the other in an arena, so a new key costs no
// allocation of its own. The zero keyTable is empty.
type keyTable struct {
	slots  []uint32 // number+1 of a key, 0 for none; a power of two of them
	hashes []uint64 // by number
	ends   []uint64 // by number: where the key ends in the arena
	arena  []byte
	null   uint32 // number+1 of the key that is no bytes at all, see nullNumber
	ints   bool   // every key is one integer, see numberInt
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
	if t.ints {
		return t.numberInt(int64(binary.LittleEndian.Uint64(key)))
	}
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

// numberInt is number for a table whose keys are all integers: eight bytes, little-endian.
func (t *keyTable) numberInt(v int64) (number uint32, fresh bool) {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	// A product spreads to its upper bits, so those are folded down.
	h := uint64(v) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			t.slots[i] = uint32(len(t.ends)) + 1
			t.hashes = append(t.hashes, h)
			t.arena = binary.LittleEndian.AppendUint64(t.arena, uint64(v))
			t.ends = append(t.ends, uint64(len(t.arena)))
			return uint32(len(t.ends)) - 1, true
		}
		if t.hashes[s-1] == h && int64(binary.LittleEndian.Uint64(t.key(s-1))) == v {
			return s - 1, false
		}
	}
}

// nullNumber is number for the key that no bytes are equal to.
func (t *keyTable) nullNumber() (number uint32, fresh bool) {
	if t.null != 0 {
		return t.null - 1, false
	}
	t.hashes = append(t.hashes, 0)
	t.ends = append(t.ends, uint64(len(t.arena)))
	t.null = uint32(len(t.ends))
	return t.null - 1, true
}

// grow doubles the slots.
func (t *keyTable) grow() {
	t.slots = make([]uint32, max(minSlots, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, h := range t.hashes {
		if uint32(n)+1 == t.null {
			continue
		}
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n) + 1
	}
}
