package memfs

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Mode says what of the un-synced changes a crash leaves.
type Mode uint8

// The modes. In all of them what was synced is there.
const (
	// Strict leaves nothing that was not synced.
	Strict Mode = iota
	// Kill leaves everything: the process died, the page cache lives. What was not synced
	// still is not, so that a second crash may take it.
	Kill
	// Sectors leaves each 512-byte sector, each size and each directory operation by
	// chance and on its own; of a sector, any of the values it had since the Sync.
	Sectors
	// Torn is Sectors with some sectors mixed of two values at a random byte.
	Torn
	// SizeOnly leaves the directory and all sizes, but no bytes.
	SizeOnly
	// EntriesLost leaves all bytes, but directory operations only by chance.
	EntriesLost
	// Mixed draws for each file one of the above but Kill, and the directory by chance.
	Mixed

	modes = iota
)

// Modes returns all modes.
func Modes() []Mode {
	all := make([]Mode, modes)
	for i := range all {
		all[i] = Mode(i)
	}
	return all
}

// String returns the mode's name.
func (m Mode) String() string {
	names := [...]string{"strict", "kill", "sectors", "torn", "size-only", "entries-lost", "mixed"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("Mode(%d)", m)
}

// Crash returns the directory as a machine finds it after a crash now: what it holds is
// durable (but see Kill), nothing is open or locked, calls are counted from 0, and the
// capacity is the same. f is not changed, so that many crashes can be drawn from one moment. The same
// mode and seed give the same result. Nobody may store through a mapping meanwhile.
func (f *FS) Crash(seed uint64, mode Mode) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	rng := rand.New(rand.NewPCG(seed, uint64(mode)))
	after := New()
	copies := map[*node]*node{}
	copyOf := func(n *node) *node {
		if n != nil && copies[n] == nil {
			copies[n] = n.crashed(after, rng, mode)
		}
		return copies[n]
	}
	entries := f.crashedEntries(rng, mode)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		c := copyOf(entries[name])
		c.links++
		after.entries[name] = c
	}
	after.durable = maps.Clone(after.entries)
	if mode == Kill {
		after.durable = map[string]*node{}
		for name, n := range f.durable {
			after.durable[name] = copyOf(n)
		}
		for _, c := range f.pending {
			after.pending = append(after.pending, change{c.name, c.from, copyOf(c.file)})
		}
	}
	after.capacity = f.capacity // last: what is there has its blocks
	for _, c := range copies {
		c.freeIfUnused()
	}
	return after
}

// crashedEntries draws the directory operations that reached the device.
func (f *FS) crashedEntries(rng *rand.Rand, mode Mode) map[string]*node {
	switch mode {
	case Strict:
		return f.durable
	case Kill, SizeOnly:
		return f.entries
	}
	entries := maps.Clone(f.durable)
	for _, c := range f.pending {
		if rng.IntN(2) == 0 {
			c.applyTo(entries)
		}
	}
	return entries
}

// crashed draws the file that the device has.
func (n *node) crashed(after *FS, rng *rand.Rand, mode Mode) *node {
	n.reconcile()
	if mode == Mixed {
		mode = [...]Mode{Strict, Sectors, Torn, SizeOnly, EntriesLost}[rng.IntN(5)]
	}
	c := &node{fs: after}
	switch mode {
	case Strict:
		c.cache = bytes.Clone(n.durable)
	case Kill:
		c.cache, c.durable = bytes.Clone(n.cache), bytes.Clone(n.durable)
		c.sizes, c.stored = slices.Clone(n.sizes), n.storedSpans()
		c.dirty, c.values = slices.Clone(n.dirty), maps.Clone(n.values)
		c.take(0, int64(len(c.cache)))
		return c
	case EntriesLost:
		c.cache = bytes.Clone(n.cache)
	case SizeOnly:
		c.cache = make([]byte, len(n.cache))
		copy(c.cache, n.durable)
	case Sectors, Torn:
		c.cache = n.scattered(rng, mode == Torn)
	}
	c.durable = bytes.Clone(c.cache)
	c.take(0, int64(len(c.cache)))
	return c
}

// scattered draws a size and for each un-synced sector one of its values.
func (n *node) scattered(rng *rand.Rand, torn bool) []byte {
	sizes := append([]int64{int64(len(n.durable)), int64(len(n.cache)), int64(len(n.cache))}, n.sizes...)
	out := make([]byte, sizes[rng.IntN(len(sizes))])
	copy(out, n.durable)
	size := int64(len(out))
	for _, i := range n.unsynced() {
		from := i * sectorSize
		if from >= size {
			break
		}
		to := min(from+sectorSize, size)
		value := n.drawSector(i, rng)
		if value == nil {
			continue
		}
		if torn && rng.IntN(2) == 0 {
			// Half of the cuts fall near the start of a sector, where headers are.
			cut := int64(rng.IntN(sectorSize >> (3 * rng.IntN(2))))
			if rng.IntN(2) == 0 {
				to = min(to, from+cut)
			} else {
				from, value = min(to, from+cut), value[min(cut, int64(len(value))):]
			}
		}
		k := copy(out[from:to], value)
		clear(out[from+int64(k) : to])
	}
	return out
}

// drawSector returns nil for the durable value, the present one, or one in between.
func (n *node) drawSector(i int64, rng *rand.Rand) []byte {
	values := n.values[i]
	switch pick := rng.IntN(4 + len(values)); {
	case pick < 2:
		return nil
	case pick >= 4:
		return values[pick-4]
	}
	from := i * sectorSize
	if from >= int64(len(n.cache)) {
		return []byte{}
	}
	return n.cache[from:min(from+sectorSize, int64(len(n.cache)))]
}
