package kernels

// ParseTimestampColumn parses column col of len(dst) records into microseconds since
// 1970-01-01 00:00:00.
//
// b, seps, stride, col, trim, null and slow are those of ParseInt64Column: a record is
// null (empty), slow (not taken; dst is 0) or a value. A value is YYYY-MM-DD, a day as
// ParseDateColumn takes it, one blank or 'T', HH:MM:SS up to 23:59:59, and at most a
// point with one to six digits. Anything else is slow: second 60, 24:00:00, a seventh
// digit, a zone, infinity.
//
// It panics on misuse as ParseInt64Column does; no content of b or seps makes it panic or
// read outside b. The result is the same at every Level; timestampRef is the definition.
func ParseTimestampColumn(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32) {
	if checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		parseTimestampColumn(dst, null, slow, b, seps[col:], stride, trim)
	}
}

// ParseTimestampTZColumn is ParseTimestampColumn for a timestamp with an offset from UTC
// behind it: 'Z', or a sign and HH, HHMM or HH:MM, up to 15:59. The value is in UTC.
//
// bare is what becomes of a timestamp without an offset: taken as UTC if true, which is
// right where the session's zone is UTC, else slow. timestampTZRef is the definition.
func ParseTimestampTZColumn(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride, col int, trim uint32, bare bool) {
	if !checkColumn(len(dst), len(null), len(slow), len(seps), stride, col) {
		return
	}
	seps = seps[col:]
	// The timestamps alone, as the second of two columns: what stands behind them is cut
	// off, and what has no offset that is taken ends at a place that no timestamp has.
	var cut [2*64 + 1]uint32
	var shift [64]int64
	for from := 0; from < len(dst); from += 64 {
		n := min(64, len(dst)-from)
		for r := range n {
			i := (from + r) * stride
			before, end := seps[i], seps[i+1]-trim
			start := before + 1
			shift[r] = 0
			if length := end - start; start <= end && uint64(end) <= uint64(len(b)) && length != 0 {
				suffix, seconds := offsetSuffix(b[start:end], bare)
				shift[r] = int64(seconds) * 1e6
				end -= suffix
			}
			cut[2*r], cut[2*r+1] = before, end
		}
		part := dst[from : from+n]
		parseTimestampColumn(part, null[from/64:], slow[from/64:], b, cut[:2*n], 2, 0)
		bad := null[from/64] | slow[from/64]
		for r := range part {
			if bad>>r&1 == 0 {
				part[r] -= shift[r]
			}
		}
	}
}

// offsetSuffix returns the length of the offset at the end of field, which is not empty,
// and its seconds east. For a field that must become slow, it returns a length that
// leaves one byte.
func offsetSuffix(field []byte, bare bool) (length uint32, seconds int) {
	n := len(field)
	refused := uint32(n - 1)
	if n < 20 {
		if bare {
			return 0, 0
		}
		return refused, 0
	}
	h := 0
	if field[n-1] == 'Z' {
		return 1, 0
	}
	var minutes []byte
	switch {
	case isSign(field[n-3]):
		h = n - 3
	case isSign(field[n-5]):
		h = n - 5
		minutes = field[n-2:]
	case isSign(field[n-6]):
		h = n - 6
		minutes = field[n-2:]
		if field[n-3] != ':' {
			return refused, 0
		}
	default:
		if bare {
			return 0, 0
		}
		return refused, 0
	}
	h1, h0 := field[h+1]-'0', field[h+2]-'0'
	hours := int(h1)*10 + int(h0)
	if h1 > 9 || h0 > 9 || hours > maxOffsetHours {
		return refused, 0
	}
	seconds = hours * 3600
	if len(minutes) == 2 {
		m1, m0 := minutes[0]-'0', minutes[1]-'0'
		if m1 > 5 || m0 > 9 {
			return refused, 0
		}
		seconds += (int(m1)*10 + int(m0)) * 60
	}
	if field[h] == '-' {
		seconds = -seconds
	}
	return uint32(n - h), seconds
}

// maxOffsetHours is the most hours of an offset from UTC, as PostgreSQL has it.
const maxOffsetHours = 15

func isSign(c byte) bool { return c == '-' || c == '+' }

// parseTimestampColumnGo is ParseTimestampColumn from record from on, without assembly.
// seps starts at the first separator of the column.
func parseTimestampColumnGo(dst []int64, from int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	clear(dst[from:])
	parseColumn(from, len(dst), null, slow, b, seps, stride, trim, func(r int, field []byte) bool {
		us, ok := isoTimestamp(field)
		if ok {
			dst[r] = us
		}
		return ok
	})
}

// isoTimestamp reads a timestamp as ParseTimestampColumn takes it.
func isoTimestamp(f []byte) (us int64, ok bool) {
	if len(f) < 19 || len(f) > 26 || f[10] != ' ' && f[10] != 'T' {
		return 0, false
	}
	days, ok := isoDate((*[10]byte)(f))
	if !ok {
		return 0, false
	}
	const form = 0x30303a30303a3030 // "00:00:00"
	x := load8(f[11:]) ^ form
	if (x|(x+0x76767f76767f7676))&(swarOnes<<7) != 0 {
		return 0, false
	}
	pairs := x*10 + x>>8
	h, m, s := pairs&0xff, pairs>>24&0xff, pairs>>48&0xff
	if h > 23 || m > 59 || s > 59 {
		return 0, false
	}
	us = int64((h*60+m)*60+s) * 1e6
	if len(f) > 19 {
		if len(f) == 20 || f[19] != '.' {
			return 0, false
		}
		v := uint64(0)
		for _, c := range f[20:] {
			if !isDigit(c) {
				return 0, false
			}
			v = v*10 + uint64(c-'0')
		}
		us += int64(v * pow10[26-len(f)])
	}
	return int64(days)*86400e6 + us, true
}
