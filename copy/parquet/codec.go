package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Compression codecs, as a column chunk has them.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecLZ4    = 5
	codecZstd   = 6
	codecLZ4Raw = 7
)

var codecNames = map[int32]string{
	codecNone: "none", codecSnappy: "snappy", codecGzip: "gzip", 3: "lzo", codecBrotli: "brotli", codecLZ4: "lz4",
	codecZstd: "zstd", codecLZ4Raw: "lz4_raw",
}

// codecKnown reports whether pages of a codec can be read.
func codecKnown(codec int32) bool { return codec >= codecNone && codec <= codecLZ4Raw && codec != 3 }

// firstRoom is the room that the pages of a codec with no bound on its ratio begin with, for
// each byte that is there; more comes with the bytes that come out.
const firstRoom = 64

// Most bytes that one byte of input may become: copies of 64 bytes are 3 bytes in Snappy; a
// length of 255 is a byte in LZ4; a copy of 258 bytes is 2 bits in Deflate.
const (
	ratioSnappy = 32
	ratioLZ4    = 256
	ratioGzip   = 1040
)

// zstdReaders are decoders that start no goroutine and refuse a frame of more than
// maxPageBytes.
var zstdReaders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPageBytes), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

// inflater decompresses the pages of one column chunk. One goroutine owns it.
type inflater struct {
	gzip *gzip.Reader
	src  bytes.Reader
	buf  []byte
}

// room returns a buffer of n bytes with slack behind, which the next call takes again.
func (d *inflater) room(n int) []byte {
	if cap(d.buf) < n+slack {
		d.buf = make([]byte, n+n/4+slack)
	}
	return d.buf[:n]
}

// inflate returns the size bytes that src is compressed from, with slack behind them, until
// the next call. No more is allocated than src may stand for.
func (d *inflater) inflate(codec int32, src []byte, size int) ([]byte, error) {
	short := func(ratio int) bool { return size/ratio > len(src) }
	switch codec {
	case codecSnappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != size || short(ratioSnappy) {
			return nil, errSize
		}
		out, err := snappy.Decode(d.room(size), src)
		return d.whole(out, err, size)
	case codecGzip:
		if short(ratioGzip) {
			return nil, errSize
		}
		d.src.Reset(src)
		err := d.resetGzip()
		if err == nil {
			return d.readAll(d.gzip, size, size)
		}
		return nil, err
	case codecZstd:
		z, ok := zstdReaders.Get().(*zstd.Decoder)
		if !ok {
			return nil, fmt.Errorf("parquet: no zstd decoder")
		}
		defer zstdReaders.Put(z)
		if !short(ratioGzip) { // no bomb: at once
			out, err := z.DecodeAll(src, d.room(size)[:0:size])
			return d.whole(out, err, size)
		}
		d.src.Reset(src)
		if err := z.Reset(&d.src); err != nil {
			return nil, err
		}
		return d.readAll(z, size, firstRoom*len(src))
	case codecBrotli:
		return d.brotli(src, size)
	case codecLZ4Raw:
		if short(ratioLZ4) {
			return nil, errSize
		}
		return d.lz4(d.room(size), src)
	case codecLZ4:
		if short(ratioLZ4) {
			return nil, errSize
		}
		return d.hadoop(src, size)
	}
	return nil, fmt.Errorf("parquet: codec %d", codec)
}

var errSize = fmt.Errorf("parquet: compressed bytes that are not of the page's size")

// whole checks what came out, which is in d.buf if it is of the right size.
func (d *inflater) whole(out []byte, err error, size int) ([]byte, error) {
	switch {
	case err != nil:
		return nil, err
	case len(out) != size:
		return nil, errSize
	case size > 0 && &out[0] != &d.buf[0]:
		copy(d.room(size), out)
	}
	return d.buf[:size], nil
}

func (d *inflater) resetGzip() (err error) {
	if d.gzip == nil {
		d.gzip, err = gzip.NewReader(&d.src)
		return err
	}
	return d.gzip.Reset(&d.src)
}

// readAll reads exactly size bytes from r; room comes as bytes come, from first on.
func (d *inflater) readAll(r io.Reader, size, first int) ([]byte, error) {
	out := d.room(min(size, max(first, 4096)))
	have := 0
	for {
		n, err := io.ReadFull(r, out[have:])
		have += n
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			if have < size {
				return nil, errSize
			}
		case err != nil:
			return nil, err
		case have < size:
			grown := make([]byte, min(size, 4*len(out)), min(size, 4*len(out))+slack)
			copy(grown, out)
			d.buf, out = grown[:cap(grown)], grown
			continue
		}
		var one [1]byte
		if n, err := r.Read(one[:]); n != 0 || err != io.EOF && err != nil {
			return nil, errSize
		}
		return d.buf[:size], nil
	}
}

// brotli is inflate for Brotli, whose ratio has no bound: what a small input claims to be is
// found out before room is made for all of it.
func (d *inflater) brotli(src []byte, size int) ([]byte, error) {
	d.src.Reset(src)
	return d.readAll(brotli.NewReader(&d.src), size, firstRoom*len(src))
}

// lz4 decompresses one block of LZ4 into dst, which it must fill.
func (d *inflater) lz4(dst, src []byte) ([]byte, error) {
	if len(dst) == 0 {
		return dst, nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = errSize
	}
	return dst, err
}

// hadoop is inflate for the codec LZ4 as Hadoop framed it: blocks, each behind its sizes as
// big-endian numbers. Some writers left the frame out.
func (d *inflater) hadoop(src []byte, size int) ([]byte, error) {
	out := d.room(size)
	at := 0
	for rest := src; len(rest) >= 8; {
		plain, packed := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		if int64(packed) > int64(len(rest)-8) || int64(plain) > int64(size-at) {
			break
		}
		if _, err := d.lz4(out[at:at+int(plain)], rest[8:8+packed]); err != nil {
			break
		}
		at += int(plain)
		rest = rest[8+packed:]
		if at == size && len(rest) == 0 {
			return out, nil
		}
	}
	return d.lz4(out, src)
}
