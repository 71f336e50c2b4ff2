package columnar

import (
	"math"
	"time"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// AppendCanonical reads text as a value of type t and appends the value's own text form
// in PostgreSQL's spelling; a timestamptz without an offset is of loc. Arrays are stored
// as this form. dst is returned as it came unless the status is OK.
func AppendCanonical(dst []byte, t Type, text []byte, loc *time.Location) ([]byte, pgtext.Status) {
	if t.Array {
		e := t
		e.Array = false
		out, _, st := pgtext.Array(dst, text, func(dst, text []byte) ([]byte, pgtext.Status) {
			return AppendCanonical(dst, e, text, loc)
		})
		return out, st
	}
	v := Value{Type: t}
	var st pgtext.Status
	switch t.Kind {
	case Bool:
		var b bool
		b, st = pgtext.Bool(text)
		v.I = int64(b2i(b))
	case Int2:
		v.I, st = pgtext.Int(text, 16)
	case Int4:
		v.I, st = pgtext.Int(text, 32)
	case Int8:
		v.I, st = pgtext.Int(text, 64)
	case Float4:
		var f float32
		f, st = pgtext.Float4(text)
		v.F = float64(f)
	case Float8:
		v.F, st = pgtext.Float8(text)
	case Decimal:
		d, special, status := pgtext.ParseDecimal(text, int(t.Precision), int(t.Scale))
		v.Hi, v.I, st = d.Hi, int64(d.Lo), status
		if special != pgtext.Finite {
			v.F = math.NaN()
		}
	case Numeric:
		return pgtext.ParseNumericText(dst, text)
	case Date:
		var d int32
		d, st = pgtext.Date(text)
		v.I = int64(d)
	case Time:
		v.I, st = pgtext.Time(text)
	case Timestamp:
		v.I, st = pgtext.Timestamp(text)
	case TimestampTZ:
		v.I, st = pgtext.TimestampTZ(text, loc)
	case UUID:
		var u [16]byte
		u, st = pgtext.UUID(text)
		v.S = string(u[:])
	case Bytea:
		var b []byte
		b, st = pgtext.Bytea(nil, text)
		v.S = string(b)
	case JSON:
		if _, ok := pgtext.ValidJSON(text); !ok {
			st = pgtext.Syntax
		}
		v.S = string(text)
	case Varchar:
		n, ok := len(text), true
		if t.Length > 0 {
			n, ok = pgtext.Truncate(text, int(t.Length))
		}
		if !ok {
			st = pgtext.TooLong
		}
		v.S = string(text[:n])
	default:
		v.S = string(text)
	}
	if st != pgtext.OK {
		return dst, st
	}
	return v.AppendText(dst, loc), pgtext.OK
}

// TextError returns the error of reading text as a value of type t with a status that
// is not OK.
func TextError(st pgtext.Status, t Type, text []byte, loc *time.Location) *pgerr.Error {
	if t.Array {
		e := t
		e.Array = false
		_, bad, again := pgtext.Array(nil, text, func(dst, text []byte) ([]byte, pgtext.Status) {
			return AppendCanonical(dst, e, text, loc)
		})
		switch {
		case bad != nil:
			return TextError(again, e, bad, loc)
		case again == pgtext.Range:
			return pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions exceeds the maximum allowed (6)")
		}
		err := pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", text)
		err.Detail = pgtext.ArrayDetail(text)
		return err
	}
	state, message, detail, hint := pgtext.Describe(st, textName(t), text)
	return &pgerr.Error{SQLState: state, Message: message, Detail: detail, Hint: hint}
}

// textName returns the name that pgtext.Describe knows a type by.
func textName(t Type) string {
	switch t.Kind {
	case Time:
		return "time"
	case Timestamp:
		return "timestamp"
	case Decimal:
		return t.String()
	case Varchar:
		if t.Length > 0 {
			return "character varying" + t.String()[len("varchar"):]
		}
	}
	return t.Name()
}
