package ndjson

import "bytes"

// Members calls yield with each key and value at the top of the records of b, in order:
// the key with its escapes resolved, the value as it is written. Both are valid until
// yield returns. array, b and last are those of Decoder.Index. It returns how many records
// b has before the first that is wrong or not complete, and the position behind them.
func Members(b []byte, array, last bool, yield func(key, value []byte)) (records, end int) {
	d := NewDecoder(nil, nil)
	d.Begin(array)
	records, _ = d.Index(b, last)
	var scratch []byte
	for k := range records {
		p := d.start(d.End(k))
		if array {
			p = skipSpace(d.src, p+1)
		}
		for p = skipSpace(d.src, p+1); d.src[p] != '}'; p = skipSpace(d.src, p) {
			if d.src[p] == ',' {
				p = skipSpace(d.src, p+1)
			}
			behind := valueEnd(d.src, p)
			scratch = append(scratch[:0], d.src[p+1:behind-1]...)
			key := scratch[:unescape(scratch, scratch)]
			p = skipSpace(d.src, behind) + 1 // the colon
			p = skipSpace(d.src, p)
			behind = valueEnd(d.src, p)
			yield(key, d.src[p:behind])
			p = behind
		}
	}
	return records, d.End(records)
}

// FirstRecord returns the record that b begins with, blank lines before it passed over, and
// its position: a line, or of an array the element with the byte behind it, or all that is
// left of b. It is empty if there is none.
func FirstRecord(b []byte, array bool) (record []byte, at int) {
	if array {
		if end, step := element(b, 0); step == Enough {
			return b[:end], 0
		} else if atEnd(b) {
			return nil, 0
		}
		return b, 0
	}
	at = skipSpace(b, 0)
	b = b[at:]
	if end := bytes.IndexByte(b, '\n'); end >= 0 {
		b = b[:end]
	}
	return b, at
}
