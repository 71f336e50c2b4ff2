package parquet

import (
	"errors"
	"hash/crc32"
	"io"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Page types.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// Encodings.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encDictionary      = 8
	encSplit           = 9
)

const (
	// maxPageBytes is the largest page that is read, before and after decompression. Pages
	// are of about a megabyte, and of 100 MB where DuckDB writes long values.
	maxPageBytes = 1 << 30

	// maxHeaderBytes is the longest page header. It has statistics, which some writers do not cut.
	maxHeaderBytes = 16 << 20

	// readBytes is how much of a column chunk is read at once if its pages are small.
	readBytes = 256 << 10

	// A page may claim freeValues values, and valuesPerByte more for each of its bytes: a
	// run of nulls has no bytes to speak of, but nobody writes pages of 16 million of them.
	freeValues    = 1 << 24
	valuesPerByte = 4096
)

// pageHeader is the head of a page.
type pageHeader struct {
	typ          int32
	uncompressed int32
	compressed   int32
	crc          uint32
	hasCRC       bool
	values       int32
	encoding     int32
	defEncoding  int32
	repEncoding  int32
	nulls        int32 // v2
	defBytes     int32 // v2
	repBytes     int32 // v2
	plain        bool  // v2: not compressed, whatever the chunk says
}

// parseHeader reads a page header and returns its bytes.
func parseHeader(b []byte) (h pageHeader, n int, err error) {
	h = pageHeader{typ: -1, uncompressed: -1, compressed: -1, values: -1, encoding: -1}
	r := &thriftReader{b: b}
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 5 && typ == thriftStruct:
			r.numbers([]*int32{1: &h.values, 2: &h.encoding, 3: &h.defEncoding, 4: &h.repEncoding}, nil)
		case id == 7 && typ == thriftStruct:
			r.numbers([]*int32{1: &h.values, 2: &h.encoding}, nil)
		case id == 8 && typ == thriftStruct:
			r.numbers([]*int32{1: &h.values, 2: &h.nulls, 4: &h.encoding, 5: &h.defBytes, 6: &h.repBytes}, &h.plain)
		case typ != thriftI32:
			return false
		case id == 1:
			h.typ = r.i32()
		case id == 2:
			h.uncompressed = r.i32()
		case id == 3:
			h.compressed = r.i32()
		case id == 4:
			h.crc, h.hasCRC = uint32(r.i32()), true
		default:
			return false
		}
		return true
	})
	return h, r.pos, r.err
}

// numbers reads a structure of which only numbers are wanted; field 7 of a v2 header is
// false if the page is plain.
func (r *thriftReader) numbers(to []*int32, plain *bool) {
	r.structure(func(id int16, typ byte) bool {
		if typ == thriftI32 && id > 0 && int(id) < len(to) && to[id] != nil {
			*to[id] = r.i32()
			return true
		}
		if id == 7 && plain != nil {
			*plain = typ == thriftFalse
		}
		return false
	})
}

// pageReader reads the pages of one column chunk, one after another. One goroutine owns it.
type pageReader struct {
	r     io.ReaderAt
	at    int64 // in the file, of buf[0]
	end   int64 // the first byte behind the chunk
	buf   []byte
	pos   int // of the next byte in buf
	codec int32
	step  int // how much is read at once if pages are small
	inflater
}

// left returns the bytes of the chunk that were not taken.
func (p *pageReader) left() int64 { return p.end - p.at - int64(p.pos) }

// peek returns the next n bytes, or as many as the chunk has; slack more may be read behind
// them. They stay until the next call.
func (p *pageReader) peek(n int) ([]byte, error) {
	n = int(min(int64(n), p.left()))
	if have := len(p.buf) - p.pos; have < n {
		size := int(min(int64(max(n, p.step)), p.left()))
		next := p.buf
		if cap(next) < size+slack {
			next = make([]byte, size+slack)
		}
		next = next[:size]
		copy(next, p.buf[p.pos:])
		p.at += int64(p.pos)
		p.pos = 0
		if err := readFull(p.r, next[have:], p.at+int64(have)); err != nil {
			p.buf = p.buf[:0]
			return nil, err
		}
		p.buf = next
	}
	return p.buf[p.pos : p.pos+n], nil
}

// header takes the head of the next page.
func (p *pageReader) header() (pageHeader, error) {
	for n := 1 << 10; ; n *= 8 {
		b, err := p.peek(n)
		if err != nil {
			return pageHeader{}, err
		}
		h, size, err := parseHeader(b)
		if errors.Is(err, errShort) && len(b) == n && n < maxHeaderBytes {
			continue
		}
		if err != nil {
			return h, corrupt("a page header cannot be read").WithDetail("%v", err)
		}
		p.pos += size
		return h, p.check(&h)
	}
}

// check refuses what no page can be.
func (p *pageReader) check(h *pageHeader) error {
	switch {
	case h.compressed < 0 || h.uncompressed < 0 || int64(h.compressed) > p.left():
		return corrupt("a page of %d bytes is in a column chunk that has %d left", h.compressed, p.left())
	case h.compressed > maxPageBytes || h.uncompressed > maxPageBytes:
		return unsupported("a Parquet page of %d bytes is not supported", max(h.compressed, h.uncompressed))
	case h.typ != pageData && h.typ != pageDictionary && h.typ != pageDataV2:
		return nil // it is passed over
	case h.values < 0 || int64(h.values) > freeValues+valuesPerByte*int64(h.uncompressed):
		return corrupt("a page of %d bytes claims %d values", h.uncompressed, h.values)
	case h.typ == pageDataV2 && (h.defBytes < 0 || h.repBytes < 0 || int64(h.defBytes)+int64(h.repBytes) > int64(min(h.compressed, h.uncompressed)) ||
		h.nulls < 0 || h.nulls > h.values):
		return corrupt("a page's levels are longer than the page")
	}
	return nil
}

// body takes the bytes of the page of header h: the levels of a v2 page, which are not
// compressed, and the rest, decompressed. slack may be read behind the rest, and behind
// the levels too. Both stay until the next call of header.
func (p *pageReader) body(h *pageHeader) (levels, rest []byte, err error) {
	b, err := p.peek(int(h.compressed))
	if err != nil {
		return nil, nil, err
	}
	p.pos += len(b)
	if h.hasCRC && crc32.ChecksumIEEE(b) != h.crc {
		return nil, nil, pgerr.New(pgerr.DataCorrupted, "the Parquet file is damaged: the checksum of a page is wrong")
	}
	size := int(h.uncompressed)
	if h.typ == pageDataV2 {
		n := int(h.defBytes + h.repBytes)
		levels, b, size = b[:n], b[n:], size-n
	}
	if p.codec == codecNone || h.typ == pageDataV2 && h.plain {
		if len(b) != size {
			return nil, nil, corrupt("a page of %d bytes says that it has %d", len(b), size)
		}
		return levels, b, nil
	}
	if size == 0 && len(b) == 0 {
		return levels, b, nil
	}
	rest, err = p.inflate(p.codec, b, size)
	if err != nil {
		return nil, nil, corrupt("a page cannot be decompressed (%s)", codecNames[p.codec]).WithDetail("%v", err)
	}
	return levels, rest, nil
}

// skip passes over the page of header h without looking at it.
func (p *pageReader) skip(h *pageHeader) {
	n := int64(h.compressed)
	if have := int64(len(p.buf) - p.pos); n <= have {
		p.pos += int(n)
		return
	}
	p.at += int64(p.pos) + n
	p.buf, p.pos = p.buf[:0], 0
}
