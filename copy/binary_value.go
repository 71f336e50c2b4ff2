package copy

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// protocolViolation is PostgreSQL's SQLSTATE for a value with too few bytes.
const protocolViolation = "08P01"

func errShort() *Error { return pgerr.New(protocolViolation, "insufficient data left in message") }

func errBinary(message string) *Error {
	return pgerr.New(pgerr.InvalidBinaryRepresentation, "%s", message)
}

const leftOver = "incorrect binary data format"

// errLeft is the error for bytes of a value behind its end.
func errLeft() *Error { return errBinary(leftOver) }

func errTooLong(n int) *Error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "value too long: %d bytes, at most %d can be stored", n, columnar.MaxValueBytes)
}

func errText(v []byte) *Error {
	_, seq := pgtext.InvalidSequence(v)
	return pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq))
}

// appendStored appends a value of a variable-length type as the store has it.
func appendStored(dst []byte, t columnar.Type, v []byte, loc *time.Location) ([]byte, *Error) {
	if t.Kind == columnar.Bytea && !t.Array {
		return append(dst, v...), nil
	}
	return appendBinaryText(dst, t, v, loc)
}

// appendBinaryText reads v, a value of type t in the binary format, and appends its text.
// dst is returned as it came if there is an error; a timestamptz is shown in loc.
func appendBinaryText(dst []byte, t columnar.Type, v []byte, loc *time.Location) ([]byte, *Error) {
	if t.Array {
		return appendBinaryArray(dst, t, v, loc)
	}
	if width := int(fixedWidth(t)); width >= 0 && len(v) != width {
		switch {
		case len(v) > width:
			return dst, errLeft()
		case t.Kind == columnar.Bool:
			return dst, pgerr.New(protocolViolation, "no data left in message")
		}
		return dst, errShort()
	}
	switch t.Kind {
	case columnar.Bool:
		return pgtext.AppendBool(dst, v[0] != 0), nil
	case columnar.Int2:
		return pgtext.AppendInt(dst, int64(int16(binary.BigEndian.Uint16(v)))), nil
	case columnar.Int4:
		return pgtext.AppendInt(dst, int64(int32(binary.BigEndian.Uint32(v)))), nil
	case columnar.Int8:
		return pgtext.AppendInt(dst, int64(binary.BigEndian.Uint64(v))), nil
	case columnar.Float4:
		return pgtext.AppendFloat4(dst, math.Float32frombits(binary.BigEndian.Uint32(v))), nil
	case columnar.Float8:
		return pgtext.AppendFloat8(dst, math.Float64frombits(binary.BigEndian.Uint64(v))), nil
	case columnar.UUID:
		return pgtext.AppendUUID(dst, [16]byte(v)), nil
	case columnar.Date, columnar.Time, columnar.Timestamp, columnar.TimestampTZ:
		return appendBinaryTime(dst, t, v, loc)
	case columnar.Decimal:
		d, err := decodeDecimal(v, t)
		switch {
		case err != nil:
			return dst, err
		case d.nan:
			return append(dst, "NaN"...), nil
		}
		return pgtext.AppendDecimal(dst, pgtext.Decimal128{Hi: d.hi, Lo: d.lo}, int(t.Scale)), nil
	case columnar.Numeric:
		n, err := readNumeric(v)
		if err != nil {
			return dst, err
		}
		return n.append(dst), nil
	case columnar.Bytea:
		return pgtext.AppendBytea(dst, v), nil
	}
	return appendBinaryString(dst, t, v)
}

// appendBinaryString is appendBinaryText for the types whose value is text.
func appendBinaryString(dst []byte, t columnar.Type, v []byte) ([]byte, *Error) {
	if t.Kind == columnar.JSON && len(v) > 0 && v[0] == 1 {
		v = v[1:] // the version of a jsonb, which begins no text of a json
	}
	if invalidText(v) >= 0 {
		return dst, errText(v)
	}
	switch {
	case t.Kind == columnar.JSON:
		if _, valid := pgtext.ValidJSON(v); !valid {
			return dst, columnar.TextError(pgtext.Syntax, t, v, nil)
		}
	case t.Kind == columnar.Varchar && t.Length > 0 && len(v) > int(t.Length):
		cut, fits := pgtext.Truncate(v, int(t.Length))
		if !fits {
			return dst, columnar.TextError(pgtext.TooLong, t, v, nil)
		}
		v = v[:cut]
	}
	return append(dst, v...), nil
}

// appendBinaryTime is appendBinaryText for dates and times; v has their width.
func appendBinaryTime(dst []byte, t columnar.Type, v []byte, loc *time.Location) ([]byte, *Error) {
	outside := func(what string) *Error { return pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range", what) }
	if t.Kind == columnar.Date {
		d := int32(binary.BigEndian.Uint32(v))
		if d != math.MinInt32 && d != math.MaxInt32 {
			if d > pgtext.MaxDate-epochDays || d < pgtext.MinDate-epochDays {
				return dst, outside("date")
			}
			d += epochDays
		}
		return pgtext.AppendDate(dst, d), nil
	}
	us := int64(binary.BigEndian.Uint64(v))
	if t.Kind == columnar.Time {
		if us < 0 || us > dayMicros {
			return dst, outside("time")
		}
		return pgtext.AppendTime(dst, us), nil
	}
	if us != math.MinInt64 && us != math.MaxInt64 {
		if us > pgtext.MaxTimestamp-epochMicros || us < pgtext.MinTimestamp-epochMicros {
			return dst, outside("timestamp")
		}
		us += epochMicros
	}
	if t.Kind == columnar.Timestamp {
		return pgtext.AppendTimestamp(dst, us), nil
	}
	return pgtext.AppendTimestampTZ(dst, us, loc), nil
}

// The signs of a numeric.
const (
	signPositive = 0x0000
	signNegative = 0x4000
	signNaN      = 0xC000
	signInf      = 0xD000
	signNegInf   = 0xF000
)

// numeric is a number in the binary format: groups of four decimal digits, the first of
// which stands for 10000**weight, and the number of digits to show behind the point.
type numeric struct {
	digits   []byte // two bytes for each group
	weight   int
	scale    int
	negative bool
	special  bool
	name     string // of a special value
}

// readNumeric reads a numeric. The result refers to v.
func readNumeric(v []byte) (n numeric, err *Error) {
	if len(v) < 8 {
		return n, errShort()
	}
	count := int(binary.BigEndian.Uint16(v))
	n.weight = int(int16(binary.BigEndian.Uint16(v[2:])))
	switch binary.BigEndian.Uint16(v[4:]) {
	case signPositive:
	case signNegative:
		n.negative = true
	case signNaN:
		n.special, n.name = true, "NaN"
	case signInf:
		n.special, n.name = true, "Infinity"
	case signNegInf:
		n.special, n.name = true, "-Infinity"
	default:
		return n, errBinary("invalid sign in external \"numeric\" value")
	}
	if n.scale = int(binary.BigEndian.Uint16(v[6:])); n.scale > 0x3fff {
		return n, errBinary("invalid scale in external \"numeric\" value")
	}
	v = v[8:]
	for i := range min(count, len(v)/2) {
		if binary.BigEndian.Uint16(v[2*i:]) >= 10000 {
			return n, errBinary("invalid digit in external \"numeric\" value")
		}
	}
	switch {
	case len(v) < 2*count:
		return n, errShort()
	case len(v) > 2*count:
		return n, errLeft()
	}
	n.digits = v
	return n, nil
}

func (n *numeric) groups() int { return len(n.digits) / 2 }

// group returns group i; those that are not there are zero.
func (n *numeric) group(i int) uint16 {
	if i < 0 || i >= n.groups() {
		return 0
	}
	return binary.BigEndian.Uint16(n.digits[2*i:])
}

// append appends the number in PostgreSQL's output form, in which numerics are stored.
// Digits beyond the scale are cut off, not rounded.
func (n *numeric) append(dst []byte) []byte {
	if n.special {
		return append(dst, n.name...)
	}
	start := len(dst)
	dst = append(dst, '-')
	some := false // a digit that is not zero
	four := func(g uint16) {
		for p := uint16(1000); p > 0; p /= 10 {
			d := g / p % 10
			some = some || d > 0
			dst = append(dst, byte('0'+d))
		}
	}
	for i := 0; i <= n.weight; i++ {
		if g := n.group(i); g > 0 || some {
			four(g)
		}
	}
	zeros := start + 1
	for zeros < len(dst) && dst[zeros] == '0' {
		zeros++
	}
	dst = append(dst[:start+1], dst[zeros:]...)
	if len(dst) == start+1 {
		dst = append(dst, '0')
	}
	if n.scale > 0 {
		dst = append(dst, '.')
		end := len(dst) + n.scale
		for i := n.weight + 1; len(dst) < end; i++ {
			before := some
			four(n.group(i))
			if over := len(dst) - end; over > 0 {
				some = before
				for _, c := range dst[len(dst)-4 : end] {
					some = some || c != '0'
				}
				dst = dst[:end]
			}
		}
	}
	if !n.negative || !some {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}
