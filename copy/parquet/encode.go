package parquet

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/kernels"
)

// pageBytes is about what a page has before it is compressed.
const pageBytes = 1 << 20

// encodedChunk is a column of an encoded row group. Places are in the row group's bytes.
type encodedChunk struct {
	codec        int32
	values       int
	nulls        int
	compressed   int64
	uncompressed int64
	dataAt       int64
	dictAt       int64 // -1: there is no dictionary
	stats        encodedStats
}

// encodedGroup is a row group as it is written.
type encodedGroup struct {
	bytes  []byte
	chunks []encodedChunk
	rows   int
}

// encoder encodes columns. One goroutine owns it.
type encoder struct {
	codec   int32
	dict    dictionaryBuilder
	body    []byte
	valid   []uint64 // of the rows of a page
	deflate []byte
	gzip    *gzip.Writer
	zstd    *zstd.Encoder
	header  thriftWriter
}

// column appends the pages of c to dst.
func (e *encoder) column(dst []byte, c *builder) ([]byte, encodedChunk, error) {
	k := encodedChunk{codec: e.codec, nulls: c.nulls, dictAt: -1, values: c.rows}
	if c.list {
		k.values = len(c.defs)
		k.nulls = len(c.defs) - c.values
	}
	begin := len(dst)
	coded := e.dict.build(c)
	k.stats = c.statistics(e.dict.first, coded)
	var err error
	if coded {
		e.body = e.body[:0]
		for _, i := range e.dict.first {
			e.body = c.plain(e.body, i, i+1)
		}
		k.dictAt = int64(len(dst))
		if dst, err = e.page(dst, pageDictionary, encPlain, len(e.dict.first), &k); err != nil {
			return nil, k, err
		}
	}
	k.dataAt = int64(len(dst))
	for from, value := 0, 0; from < k.values; {
		to := c.pageEnd(from, value, k.values)
		n := c.present(from, to)
		e.levels(c, from, to)
		encoding := int32(encPlain)
		if coded {
			encoding = encDictionary
			width := bitWidth(len(e.dict.first))
			e.body = append(e.body, byte(width))
			e.body = appendHybrid(e.body, e.dict.indices[value:value+n], width)
		} else {
			e.body = c.plain(e.body, value, value+n)
		}
		if dst, err = e.page(dst, pageData, encoding, to-from, &k); err != nil {
			return nil, k, err
		}
		from, value = to, value+n
	}
	k.compressed = int64(len(dst) - begin)
	return dst, k, nil
}

// pageEnd returns where the page ends that begins at level from, of n, and with that value: where
// its values have about pageBytes, but between two lists.
func (c *builder) pageEnd(from, value, n int) int {
	each := max(1, c.size()/max(1, n))
	to := min(n, from+max(64, pageBytes/each&^63))
	for to-from > 1 && c.plainBytes(value, value+c.present(from, to)) > 2*pageBytes {
		to = from + (to-from)/2 // the values here are longer than others
	}
	if c.list {
		for to < n && c.reps[to] != 0 {
			to++
		}
	}
	return to
}

// present returns how many values levels from to to-1 have.
func (c *builder) present(from, to int) int {
	switch {
	case c.list:
		n, most := 0, uint8(c.maxDef())
		for _, d := range c.defs[from:to] {
			if d == most {
				n++
			}
		}
		return n
	case c.nulls == 0:
		return to - from
	}
	valid, first := c.valid[from/64:], from&63
	return kernels.PopCount(valid, first+to-from) - kernels.PopCount(valid, first)
}

// levels makes e.body the levels of a page.
func (e *encoder) levels(c *builder, from, to int) {
	e.body = e.body[:0]
	if c.list {
		e.withLength(func() { e.body = appendHybrid(e.body, c.reps[from:to], 1) })
		e.withLength(func() { e.body = appendHybrid(e.body, c.defs[from:to], levelBits(c.maxDef())) })
		return
	}
	if !c.optional {
		return
	}
	e.withLength(func() {
		n := to - from
		present := c.present(from, to)
		if present == n || present == 0 {
			e.body = binary.AppendUvarint(e.body, uint64(n)<<1)
			e.body = append(e.body, byte(min(1, present)))
			return
		}
		e.body = binary.AppendUvarint(e.body, uint64(n+7)/8<<1|1)
		e.valid = zeros(e.valid, (n+63)/64)
		bitmap.Or(e.valid, 0, c.valid, from, n)
		for i := 0; i < n; i += 8 {
			e.body = append(e.body, byte(e.valid[i>>6]>>(i&63)))
		}
	})
}

// withLength puts the length of what add appends in front of it.
func (e *encoder) withLength(add func()) {
	at := len(e.body)
	e.body = append(e.body, 0, 0, 0, 0)
	add()
	binary.LittleEndian.PutUint32(e.body[at:], uint32(len(e.body)-at-4))
}

// worthwhileShare is by which share of its size the first page of a chunk must get smaller for
// the chunk to be compressed, if it is not small: random numbers do not, and cost every reader.
const worthwhileShare = 16

// page appends a page of e.body to dst.
func (e *encoder) page(dst []byte, typ, encoding int32, values int, k *encodedChunk) ([]byte, error) {
	packed, err := e.compress(k.codec)
	if err != nil {
		return nil, err
	}
	if k.uncompressed == 0 && len(e.body) >= pageBytes/16 && len(packed) > len(e.body)/worthwhileShare*(worthwhileShare-1) {
		packed, k.codec = e.body, codecNone
	}
	w := &e.header
	w.b, w.last = w.b[:0], w.last[:0]
	w.open()
	w.i32(1, typ)
	w.i32(2, int32(len(e.body)))
	w.i32(3, int32(len(packed)))
	w.i32(4, int32(crc32.ChecksumIEEE(packed)))
	if typ == pageDictionary {
		w.structure(7, func() {
			w.i32(1, int32(values))
			w.i32(2, encoding)
		})
	} else {
		w.structure(5, func() {
			w.i32(1, int32(values))
			w.i32(2, encoding)
			w.i32(3, encRLE)
			w.i32(4, encRLE)
		})
	}
	w.close()
	k.uncompressed += int64(len(w.b) + len(e.body))
	dst = append(dst, w.b...)
	return append(dst, packed...), nil
}

// compress returns e.body compressed, until the next call.
func (e *encoder) compress(codec int32) ([]byte, error) {
	switch codec {
	case codecSnappy:
		if n := s2.MaxEncodedLen(len(e.body)); cap(e.deflate) < n {
			e.deflate = make([]byte, n)
		}
		return s2.EncodeSnappy(e.deflate[:cap(e.deflate)], e.body), nil
	case codecZstd:
		if e.zstd == nil {
			z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
			if err != nil {
				return nil, err
			}
			e.zstd = z
		}
		e.deflate = e.zstd.EncodeAll(e.body, e.deflate[:0])
		return e.deflate, nil
	case codecGzip:
		out := appendTo{b: e.deflate[:0]}
		if e.gzip == nil {
			e.gzip = gzip.NewWriter(&out)
		} else {
			e.gzip.Reset(&out)
		}
		if _, err := e.gzip.Write(e.body); err != nil {
			return nil, err
		}
		if err := e.gzip.Close(); err != nil {
			return nil, err
		}
		e.deflate = out.b
		return out.b, nil
	}
	return e.body, nil
}

// appendTo is a writer that appends.
type appendTo struct{ b []byte }

func (a *appendTo) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
