package parquet

import (
	"encoding/binary"
)

// bound returns how many bytes the variable-length values of the part have at most, -1 if
// that is not known before they are read. Only the heads of pages and the dictionaries are
// looked at; what is damaged is for Read to say.
func (p *part) bound() int64 {
	if p.pruned {
		return 0
	}
	total := int64(0)
	for i, k := range p.from {
		if !p.binding.Columns[i].Type.Variable() {
			continue
		}
		d := &p.fields[k]
		if d.list || !convertible(d.typ, p.binding.Columns[i].Type) || d.meaning == meansDecimal {
			return -1
		}
		c, err := p.chunk(p.group, k)
		if err != nil {
			return -1
		}
		n := p.reader.pages(c).varBytes(p.first, p.rows)
		if n < 0 {
			return -1
		}
		total += n
	}
	return total
}

// pages returns a reader of the pages of c.
func (f *reader) pages(c *chunk) *pageReader {
	start := c.start()
	return &pageReader{r: f.r, at: start, end: min(start+c.compressed+trailingBytes, f.foot.end), codec: c.codec, step: headBytes}
}

// headBytes is how much is read at once where only the heads of pages are wanted.
const headBytes = 4 << 10

// varBytes returns how many bytes the values of n rows from the first on have at most, -1 if it
// is not known.
func (p *pageReader) varBytes(first, n int64) (total int64) {
	longest := int64(-1)
	for at := int64(0); at < first+n && p.left() > 0; {
		h, err := p.header()
		if err != nil {
			return -1
		}
		switch h.typ {
		case pageDictionary:
			_, body, err := p.body(&h)
			if err != nil || h.encoding != encPlain && h.encoding != encPlainDictionary {
				return -1
			}
			longest = longestValue(body)
			continue
		case pageData, pageDataV2:
			shared := min(at+int64(h.values), first+n) - max(at, first)
			at += int64(h.values)
			switch {
			case shared <= 0:
			case h.encoding == encPlain || h.encoding == encDeltaLength:
				total += int64(h.uncompressed)
			case (h.encoding == encDictionary || h.encoding == encPlainDictionary) && longest >= 0:
				total += longest * shared
			default:
				return -1
			}
		}
		p.skip(&h)
	}
	return total
}

// longestValue returns the length of the longest byte array of a plain page.
func longestValue(body []byte) (most int64) {
	for len(body) >= 4 {
		n := int64(binary.LittleEndian.Uint32(body))
		if body = body[4:]; n > int64(len(body)) {
			return most
		}
		most = max(most, n)
		body = body[n:]
	}
	return most
}
