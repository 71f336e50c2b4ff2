package arrowipc

import "encoding/binary"

// flat is a flatbuffer that is not trusted. A read outside of it gives zero and sets bad.
//
// budget bounds the work that references into the same bytes can cause: every table and
// every byte of a string that is looked at is taken from it.
type flat struct {
	b      []byte
	bad    bool
	budget int
}

func newFlat(b []byte) *flat { return &flat{b: b, budget: 4*len(b) + 64} }

func (f *flat) fail() { f.bad = true }

// has reports whether the n bytes at pos exist, and notes it if they do not.
func (f *flat) has(pos, n int) bool {
	if pos < 0 || n < 0 || pos > len(f.b) || n > len(f.b)-pos {
		f.fail()
		return false
	}
	return true
}

func (f *flat) u16(pos int) int {
	if !f.has(pos, 2) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(f.b[pos:]))
}

func (f *flat) u32(pos int) uint32 {
	if !f.has(pos, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(f.b[pos:])
}

func (f *flat) i64(pos int) int64 {
	if !f.has(pos, 8) {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.b[pos:]))
}

// spend takes n from the budget.
func (f *flat) spend(n int) bool {
	if f.budget -= n; f.budget < 0 {
		f.fail()
	}
	return !f.bad
}

// root returns the table that the buffer is.
func (f *flat) root() table { return f.table(f.deref(0)) }

// deref returns where the reference at pos leads.
func (f *flat) deref(pos int) int {
	to := int64(pos) + int64(f.u32(pos))
	if to <= int64(pos) || to >= int64(len(f.b)) {
		f.fail()
		return -1
	}
	return int(to)
}

// table is a table of a flatbuffer: values and references by slot, each of which may be
// absent. The zero table has no slots.
type table struct {
	f       *flat
	pos     int
	size    int // bytes of the table
	slots   int // position of the slots in the vtable
	nslots  int
	present bool
}

// table returns the table at pos.
func (f *flat) table(pos int) table {
	none := table{f: f}
	if f.bad || !f.has(pos, 4) || !f.spend(1) {
		return none
	}
	at := int64(pos) - int64(int32(f.u32(pos)))
	if at < 0 || at >= int64(len(f.b)) {
		f.fail()
		return none
	}
	vtable := int(at)
	length, size := f.u16(vtable), f.u16(vtable+2)
	if length < 4 || length&1 != 0 || size < 4 || !f.has(vtable, length) || !f.has(pos, size) {
		f.fail()
		return none
	}
	return table{f: f, pos: pos, size: size, slots: vtable + 4, nslots: (length - 4) / 2, present: true}
}

// at returns where the value of a slot is, which has n bytes; -1 if it is absent.
func (t table) at(slot, n int) int {
	if slot >= t.nslots {
		return -1
	}
	off := t.f.u16(t.slots + 2*slot)
	if off == 0 {
		return -1
	}
	if off < 4 || off+n > t.size {
		t.f.fail()
		return -1
	}
	return t.pos + off
}

func (t table) u8(slot int) int {
	if pos := t.at(slot, 1); pos >= 0 {
		return int(t.f.b[pos])
	}
	return 0
}

func (t table) i16(slot int) int {
	if pos := t.at(slot, 2); pos >= 0 {
		return int(int16(t.f.u16(pos)))
	}
	return 0
}

func (t table) i32(slot, absent int) int {
	if pos := t.at(slot, 4); pos >= 0 {
		return int(int32(t.f.u32(pos)))
	}
	return absent
}

func (t table) i64(slot int) int64 {
	if pos := t.at(slot, 8); pos >= 0 {
		return t.f.i64(pos)
	}
	return 0
}

// table returns the table that a slot refers to.
func (t table) table(slot int) table {
	pos := t.at(slot, 4)
	if pos < 0 {
		return table{f: t.f}
	}
	return t.f.table(t.f.deref(pos))
}

// vector returns where the n elements of size bytes of a slot are.
func (t table) vector(slot, size int) (pos, n int) {
	ref := t.at(slot, 4)
	if ref < 0 {
		return 0, 0
	}
	pos = t.f.deref(ref)
	if t.f.bad {
		return 0, 0
	}
	count := int64(t.f.u32(pos))
	pos += 4
	if t.f.bad || count*int64(size) > int64(len(t.f.b)-pos) {
		t.f.fail()
		return 0, 0
	}
	return pos, int(count)
}

func (t table) str(slot int) string {
	pos, n := t.vector(slot, 1)
	if n == 0 || !t.f.spend(n) {
		return ""
	}
	return string(t.f.b[pos : pos+n])
}
