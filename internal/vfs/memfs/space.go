package memfs

import "math/bits"

// free returns how many bytes of blocks are left on the disk. f.mu is held.
func (f *FS) free() int64 {
	if f.capacity < 0 {
		return 1 << 62
	}
	return max(0, f.capacity-f.used)
}

// bitmap is a set of small numbers that grows as needed.
type bitmap []uint64

func (b bitmap) has(i int64) bool { return i/64 < int64(len(b)) && b[i/64]>>(i%64)&1 == 1 }

func (b *bitmap) set(i int64) {
	if missing := int(i/64) + 1 - len(*b); missing > 0 {
		*b = append(*b, make([]uint64, missing)...)
	}
	(*b)[i/64] |= 1 << (i % 64)
}

// missing returns how many bytes of blocks the range still needs.
func (n *node) missing(off, length int64) int64 {
	var need int64
	for i := off / blockSize; i*blockSize < off+length; i++ {
		if !n.blocks.has(i) {
			need += blockSize
		}
	}
	return need
}

// take gives the range its blocks from the left until the disk is full, and returns the
// number of bytes of the range that have them.
func (n *node) take(off, length int64) int64 {
	for i := off / blockSize; i*blockSize < off+length; i++ {
		if n.blocks.has(i) {
			continue
		}
		if n.fs.free() < blockSize {
			return max(0, i*blockSize-off)
		}
		n.blocks.set(i)
		n.fs.used += blockSize
	}
	return length
}

// giveBack frees the blocks from index first on.
func (n *node) giveBack(first int64) {
	for w := range n.blocks {
		keep := uint64(0)
		if base := int64(w) * 64; base+64 <= first {
			continue
		} else if base < first {
			keep = 1<<(first-base) - 1
		}
		n.fs.used -= int64(bits.OnesCount64(n.blocks[w]&^keep)) * blockSize
		n.blocks[w] &= keep
	}
}

// freeIfUnused gives all blocks back when no name, open file or mapping is left.
func (n *node) freeIfUnused() {
	if n.links == 0 && n.opens == 0 && len(n.maps) == 0 {
		n.giveBack(0)
	}
}
