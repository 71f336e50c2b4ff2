package naive

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
)

// reference names a data file.
type reference struct {
	number, id, size uint64
}

func (c *cursor) reference() reference {
	r := reference{number: c.uvarint(), id: c.u64(), size: c.uvarint()}
	if r.number == 0 {
		c.fail("data file 0")
	}
	return r
}

// read returns the recorded bytes of the data file, whose header it verifies.
func (r reference) read(dir string) ([]byte, error) {
	name := fmt.Sprintf("data-%d", r.number)
	b, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt(name, "is named but not there")
	}
	if err != nil {
		return nil, fmt.Errorf("naive: %w", err)
	}
	if uint64(len(b)) < r.size || r.size < block {
		return nil, corrupt(name, "has %d bytes, %d are recorded", len(b), r.size)
	}
	if string(b[:8]) != "INGOTDAT" || crc(b[:60]) != u32(b[60:]) {
		return nil, corrupt(name, "header")
	}
	if u32(b[8:]) > version {
		return nil, fmt.Errorf("%w: %s", ErrVersion, name)
	}
	if u64(b[16:]) != r.number || u64(b[24:]) != r.id {
		return nil, corrupt(name, "is not the file that was named")
	}
	return b[:r.size], nil
}

// load reads the chunks of a fragment from file, the bytes of its data file.
func (f *fragment) load(file []byte) error {
	for _, ch := range f.chunks {
		if err := ch.load(file, f); err != nil {
			return fmt.Errorf("data-%d, column %d: %w", f.file, ch.column, err)
		}
		if err := ch.zone.verify(ch); err != nil {
			return fmt.Errorf("data-%d: %w", f.file, err)
		}
	}
	return nil
}

// part returns length bytes of file from a multiple of 64 on, whose checksum it verifies.
func part(file []byte, what string, at, length uint64, sum uint32) ([]byte, error) {
	if at%64 != 0 || at > uint64(len(file)) || length > uint64(len(file))-at {
		return nil, corrupt(what, "%d bytes at %d of %d", length, at, len(file))
	}
	b := file[at:][:length]
	if crc(append(append([]byte{}, file[24:32]...), b...)) != sum {
		return nil, corrupt(what, "checksum of %d bytes at %d", length, at)
	}
	return b, nil
}

func (ch *chunk) load(file []byte, f *fragment) error {
	if ch.values != nil {
		return nil
	}
	if ch.offset < block || ch.size < 64 {
		return corrupt("chunk", "%d bytes at %d", ch.size, ch.offset)
	}
	b, err := part(file, "chunk", ch.offset, ch.size, ch.sum)
	if err != nil {
		return err
	}
	if ch.outSize >= 1<<31 || ch.outAt == 0 && ch.outSize != 0 {
		return corrupt("chunk", "%d out-of-line bytes at %d", ch.outSize, ch.outAt)
	}
	out, err := part(file, "out-of-line bytes", ch.outAt, ch.outSize, ch.outSum)
	if err != nil {
		return err
	}
	if string(b[:4]) != "IGCH" || crc(b[:60]) != u32(b[60:]) {
		return corrupt("chunk", "header")
	}
	flags := b[5]
	switch t := ch.typ; {
	case b[4] != 0 || flags > 3:
		return fmt.Errorf("%w: chunk of encoding %d, flags %#x", ErrVersion, b[4], flags)
	case flags&2 != 0 && t.Kind != NumericPS:
		return corrupt("chunk", "NaN bitmap of kind %d", t.Kind)
	case Kind(b[6]) != t.Kind, int(b[7]) != t.Precision, int(b[8]) != t.Scale, b[9] != 0:
		return corrupt("chunk", "type is not the directory's")
	case u32(b[12:]) != uint32(f.rows), u32(b[16:]) != uint32(ch.nulls), u32(b[28:]) != 0:
		return corrupt("chunk", "counts are not the directory's")
	case u64(b[32:]) != ch.outAt, u64(b[40:]) != ch.outSize:
		return corrupt("chunk", "out-of-line bytes are not the directory's")
	}
	return ch.parts(b, out, f.rows)
}

// parts finds validity, NaN and values in the bytes of a plain chunk and its out-of-line bytes.
func (ch *chunk) parts(b, out []byte, rows int) error {
	words := (rows + 63) / 64 * 8
	inside := func(at uint32, length int) ([]byte, error) {
		if at%8 != 0 || at < 64 || uint64(at)+uint64(length) > uint64(len(b)) {
			return nil, corrupt("chunk", "%d bytes at %d of %d", length, at, len(b))
		}
		return b[at:][:length], nil
	}
	var valid, nan []byte
	var err error
	if b[5]&1 != 0 {
		if valid, err = inside(u32(b[20:]), words); err != nil {
			return err
		}
		if n := clearBits(valid, rows); n != ch.nulls {
			return corrupt("chunk", "%d nulls, not %d", n, ch.nulls)
		}
	} else if ch.nulls != 0 {
		return corrupt("chunk", "%d nulls without a bitmap", ch.nulls)
	}
	if b[5]&2 != 0 {
		if len(out) < words {
			return corrupt("chunk", "NaN bitmap of %d bytes", len(out))
		}
		nan = out
	}
	at := u32(b[24:])
	t := ch.typ
	var item func(i int) any
	switch w := t.width(); {
	case t.Kind == Bool:
		v, err := inside(at, words)
		if err != nil {
			return err
		}
		item = func(i int) any { return bit(v, i) }
	case w > 0:
		v, err := inside(at, rows*w)
		if err != nil {
			return err
		}
		item = func(i int) any { return fixed(t, v[i*w:][:w]) }
	default:
		v, err := inside(at, 4*(rows+1))
		if err != nil {
			return err
		}
		before := uint32(0)
		for i := range rows + 1 {
			o := u32(v[4*i:])
			if o < before || i == 0 && o != 0 || i == rows && o != uint32(len(out)) {
				return corrupt("chunk", "offset %d of row %d", o, i)
			}
			before = o
		}
		item = func(i int) any { return bytesValue(t, out[u32(v[4*i:]):u32(v[4*i+4:])]) }
	}
	ch.values = collect(rows, valid, nan, item)
	return nil
}

// clearBits counts the clear bits among the first n of a bitmap.
func clearBits(b []byte, n int) int {
	set := 0
	for _, x := range b[:n/8] {
		set += bits.OnesCount8(x)
	}
	if n%8 != 0 {
		set += bits.OnesCount8(b[n/8] << (8 - n%8))
	}
	return n - set
}
