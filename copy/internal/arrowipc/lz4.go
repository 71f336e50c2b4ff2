package arrowipc

import (
	"encoding/binary"
	"errors"
)

var errLZ4 = errors.New("arrowipc: damaged LZ4 frame")

const (
	lz4Magic        = 0x184D2204
	lz4SkippableLow = 0x184D2A50
)

// unpackLZ4 decompresses the LZ4 frames of src into dst and returns their length. More than
// fits into dst is an error. Checksums of frames are not looked at: the format of the batch
// has none around them, and writers leave them out.
func unpackLZ4(dst, src []byte) (int, error) {
	out := 0
	for len(src) > 0 {
		if len(src) < 4 {
			return 0, errLZ4
		}
		magic := binary.LittleEndian.Uint32(src)
		if magic&^0xf == lz4SkippableLow {
			if len(src) < 8 {
				return 0, errLZ4
			}
			n := uint64(binary.LittleEndian.Uint32(src[4:])) + 8
			if n > uint64(len(src)) {
				return 0, errLZ4
			}
			src = src[n:]
			continue
		}
		if magic != lz4Magic {
			return 0, errLZ4
		}
		var err error
		if out, src, err = lz4Frame(dst, out, src[4:]); err != nil {
			return 0, err
		}
	}
	return out, nil
}

// lz4Frame decompresses the frame that starts at src, behind its magic number, to dst[out:].
// It returns the new length of the output, and what follows the frame.
func lz4Frame(dst []byte, out int, src []byte) (int, []byte, error) {
	if len(src) < 3 || src[0]>>6 != 1 {
		return 0, nil, errLZ4
	}
	flags := src[0]
	head := 3 // flags, block size, checksum of the two
	if flags&8 != 0 {
		head += 8 // length of the content
	}
	if flags&1 != 0 {
		head += 4 // dictionary
	}
	if len(src) < head {
		return 0, nil, errLZ4
	}
	src = src[head:]
	first := out
	if flags&0x20 == 0 {
		first = 0 // blocks refer to blocks before them; frames never do, but the bytes are there
	}
	for {
		if len(src) < 4 {
			return 0, nil, errLZ4
		}
		size := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if size == 0 {
			break
		}
		n := int(size &^ (1 << 31))
		if n > len(src) {
			return 0, nil, errLZ4
		}
		if size>>31 != 0 {
			if n > len(dst)-out {
				return 0, nil, errLZ4
			}
			out += copy(dst[out:], src[:n])
		} else {
			if flags&0x20 != 0 {
				first = out
			}
			var ok bool
			if out, ok = lz4Block(dst, first, out, src[:n]); !ok {
				return 0, nil, errLZ4
			}
		}
		src = src[n:]
		if flags&0x10 != 0 { // checksum of the block
			if len(src) < 4 {
				return 0, nil, errLZ4
			}
			src = src[4:]
		}
	}
	if flags&4 != 0 { // checksum of the content
		if len(src) < 4 {
			return 0, nil, errLZ4
		}
		src = src[4:]
	}
	return out, src, nil
}

// lz4Block decompresses one block to dst[out:] and returns the new length of the output.
// Matches reach back to dst[first] at most.
func lz4Block(dst []byte, first, out int, src []byte) (int, bool) {
	at := 0
	for at < len(src) {
		token := int(src[at])
		at++
		literals, next, ok := lz4Length(src, at, token>>4)
		if !ok || literals > len(src)-next || literals > len(dst)-out {
			return 0, false
		}
		copy(dst[out:out+literals], src[next:])
		out, at = out+literals, next+literals
		if at == len(src) {
			return out, true // the last sequence has literals only
		}
		if len(src)-at < 2 {
			return 0, false
		}
		back := int(binary.LittleEndian.Uint16(src[at:]))
		match, next, ok := lz4Length(src, at+2, token&15)
		match += 4
		if !ok || back == 0 || back > out-first || match > len(dst)-out {
			return 0, false
		}
		at = next
		for end := out + match; out < end; {
			// What is copied may be what was just written: each step doubles it.
			n := copy(dst[out:end], dst[out-back:out])
			out += n
			back += n
		}
	}
	return 0, false
}

// lz4Length reads the rest of a length whose first four bits are n.
func lz4Length(src []byte, at, n int) (length, next int, ok bool) {
	if n < 15 {
		return n, at, true
	}
	for at < len(src) {
		c := int(src[at])
		at++
		if n += c; c < 255 {
			return n, at, true
		}
	}
	return 0, 0, false
}

// lz4Head begins a frame of independent blocks of 64 KiB without checksums; the last byte
// is the checksum of the two before it.
var lz4Head = []byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}

const lz4BlockBytes = 64 << 10

// packLZ4 appends src as one LZ4 frame to dst.
func packLZ4(dst, src []byte) []byte {
	dst = append(dst, lz4Head...)
	var table [1 << lz4HashBits]uint16
	for len(src) > 0 {
		block := src[:min(len(src), lz4BlockBytes)]
		src = src[len(block):]
		start := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		dst = lz4PackBlock(dst, block, &table)
		size := uint32(len(dst) - start - 4)
		if int(size) >= len(block) {
			dst = append(dst[:start+4], block...)
			size = uint32(len(block)) | 1<<31
		}
		binary.LittleEndian.PutUint32(dst[start:], size)
	}
	return append(dst, 0, 0, 0, 0)
}

const lz4HashBits = 13

// lz4PackBlock appends src, of 64 KiB at most, as one block to dst. It takes the last place
// where the same four bytes were, as far as their hash tells, and steps faster through what
// does not repeat. The last five bytes are literals, and no match starts in the last twelve,
// as the format demands.
func lz4PackBlock(dst, src []byte, table *[1 << lz4HashBits]uint16) []byte {
	clear(table[:])
	anchor, misses := 0, 0
	for at := 1; at+12 < len(src); {
		four := binary.LittleEndian.Uint32(src[at:])
		h := four * 2654435761 >> (32 - lz4HashBits)
		from := int(table[h])
		table[h] = uint16(at)
		if from >= at || binary.LittleEndian.Uint32(src[from:]) != four {
			misses++
			at += 1 + misses>>6
			continue
		}
		misses = 0
		n := 4
		for at+n < len(src)-5 && src[from+n] == src[at+n] {
			n++
		}
		dst = lz4Sequence(dst, src[anchor:at], at-from, n)
		at += n
		anchor = at
	}
	return lz4Sequence(dst, src[anchor:], 0, 0)
}

// lz4Sequence appends literals and a match of n bytes, back bytes ago; none if back is 0.
func lz4Sequence(dst, literals []byte, back, n int) []byte {
	token := min(len(literals), 15) << 4
	if back > 0 {
		token |= min(n-4, 15)
	}
	dst = append(dst, byte(token))
	dst = lz4Rest(dst, len(literals)-15)
	dst = append(dst, literals...)
	if back == 0 {
		return dst
	}
	dst = append(dst, byte(back), byte(back>>8))
	return lz4Rest(dst, n-4-15)
}

// lz4Rest appends what a length has above the 15 that its token says.
func lz4Rest(dst []byte, n int) []byte {
	if n < 0 {
		return dst
	}
	for ; n >= 255; n -= 255 {
		dst = append(dst, 255)
	}
	return append(dst, byte(n))
}
