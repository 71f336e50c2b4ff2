package parquet

import (
	"encoding/binary"

	"github.com/ingotdb/ingot/columnar"
)

// bound sets how many bytes the variable-length values of parts have at most, -1 if that is
// not known before they are read. The parts are all those of one row group. Only the heads
// of pages and the dictionaries are looked at, once each; what is damaged is for Read to say.
func (in *input) bound(parts []part) {
	if parts[0].pruned {
		return
	}
	for i, k := range in.from {
		if want := in.binding.Columns[i].Type; want.Variable() && !in.boundColumn(parts, k, want) {
			for i := range parts {
				parts[i].varBytes = -1
			}
			return
		}
	}
}

// boundColumn adds to parts what a field has that becomes a column of type want, and reports
// whether that is known.
func (in *input) boundColumn(parts []part, k int, want columnar.Type) bool {
	d := &in.fields[k]
	if d.list || !convertible(d.typ, want) || d.meaning == meansDecimal {
		return false
	}
	if w := d.physWidth(); w > 0 {
		for i := range parts {
			parts[i].varBytes += int64(w) * parts[i].rows
		}
		return true
	}
	c, err := in.chunk(parts[0].group, k)
	return err == nil && in.reader.pages(c).varBytes(parts)
}

// pages returns a reader of the pages of c.
func (f *reader) pages(c *chunk) *pageReader {
	start := c.start()
	return &pageReader{r: f.r, at: start, end: min(start+c.compressed+trailingBytes, f.foot.end), codec: c.codec, step: headBytes}
}

// headBytes is how much is read at once where only the heads of pages are wanted.
const headBytes = 4 << 10

// varBytes adds to parts how many bytes their values have at most, and reports whether that is
// known. A page that several parts share counts for each.
func (p *pageReader) varBytes(parts []part) bool {
	longest := int64(-1)
	for at := int64(0); p.left() > 0; {
		for len(parts) > 0 && parts[0].first+parts[0].rows <= at {
			parts = parts[1:]
		}
		if len(parts) == 0 {
			break
		}
		h, err := p.header()
		if err != nil {
			return false
		}
		switch h.typ {
		case pageDictionary:
			_, body, err := p.body(&h)
			if err != nil || h.encoding != encPlain && h.encoding != encPlainDictionary {
				return false
			}
			longest = longestValue(body)
			continue
		case pageData, pageDataV2:
			from, to := at, at+int64(h.values)
			at = to
			for i := range parts {
				q := &parts[i]
				shared := min(to, q.first+q.rows) - max(from, q.first)
				switch {
				case shared <= 0:
				case h.encoding == encPlain || h.encoding == encDeltaLength:
					q.varBytes += int64(h.uncompressed)
				case (h.encoding == encDictionary || h.encoding == encPlainDictionary) && longest >= 0:
					q.varBytes += longest * shared
				default:
					return false
				}
			}
		}
		p.skip(&h)
	}
	return true
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
