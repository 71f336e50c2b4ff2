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
