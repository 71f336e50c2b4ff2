package kernels

// ParseUUIDColumn parses column col of len(dst)/16 records into 16 bytes each.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; its bytes are 0) or a value. A value is 36 bytes of 32
// hexadecimal digits in either case, with hyphens behind the 8th, 12th, 16th and 20th.
// Anything else is slow, digits without hyphens and braces among it.
//
// It panics if len(dst) is no multiple of 16 and on misuse as ParseInt64Column does; no
// content of b or seps makes it panic or read outside b. The result is the same at every
// Level; uuidRef is the definition.
func ParseUUIDColumn(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkColumn(recordsOf16(len(dst)), len(null), len(slow), len(seps), stride, col) {
		parseUUIDColumn(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// parseUUIDColumnGo is ParseUUIDColumn without assembly. seps starts at the first
// separator of the column.
func parseUUIDColumnGo(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	clear(dst)
	parseColumn(0, len(dst)/16, null, slow, b, seps, stride, trim, func(r int, field []byte) bool {
		if len(field) != 36 {
			return false
		}
		return hyphenatedUUID((*[16]byte)(dst[16*r:]), (*[36]byte)(field))
	})
}

// uuidDigits has, for every byte of a uuid, where the text has its first digit.
var uuidDigits = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexValue has the value of each hexadecimal digit, and 0xff for other bytes.
var hexValue = func() (t [256]uint8) {
	for i := range t {
		t[i] = 0xff
	}
	for i, c := range "0123456789abcdef" {
		t[c] = uint8(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = uint8(10 + i)
	}
	return t
}()

// hyphenatedUUID stores the uuid that f is the text of in u, which is zero, and returns
// true; or leaves u and returns false.
func hyphenatedUUID(u *[16]byte, f *[36]byte) bool {
	var v [16]byte
	bad := (f[8] ^ '-') | (f[13] ^ '-') | (f[18] ^ '-') | (f[23] ^ '-')
	for i, at := range uuidDigits {
		hi, lo := hexValue[f[at]], hexValue[f[at+1]]
		bad |= (hi | lo) & 0xf0
		v[i] = hi<<4 | lo
	}
	if bad != 0 {
		return false
	}
	*u = v
	return true
}
