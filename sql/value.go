package sql

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// values returns arguments of a statement as values. A string has no type of its own: it
// takes that of its surroundings, like a literal.
func values(args []any) ([]columnar.Value, error) {
	out := make([]columnar.Value, len(args))
	for i, a := range args {
		v, err := valueOf(a)
		if err != nil {
			return nil, pgerr.New(pgerr.DatatypeMismatch, "sql: argument %d: %w", i+1, err)
		}
		switch v.Type.Kind {
		case columnar.Bytea, columnar.UUID: // any bytes
		default:
			if _, seq := pgtext.InvalidSequence([]byte(v.S)); seq != nil {
				return nil, pgerr.New(pgerr.CharacterNotInRepertoire, "%s", pgtext.EncodingMessage(seq)).
					WithDetail("It is in argument %d.", i+1).WithHint("Pass bytes that are no text as []byte.")
			}
		}
		out[i] = v
	}
	return out, nil
}

func valueOf(a any) (columnar.Value, error) {
	number := func(k columnar.Kind, v int64) (columnar.Value, error) {
		return columnar.Value{Type: columnar.Type{Kind: k}, I: v}, nil
	}
	switch a := a.(type) {
	case nil:
		return columnar.Value{Null: true}, nil
	case columnar.Value:
		return a, nil
	case bool:
		if a {
			return number(columnar.Bool, 1)
		}
		return number(columnar.Bool, 0)
	case int:
		return number(columnar.Int8, int64(a))
	case int8:
		return number(columnar.Int2, int64(a))
	case int16:
		return number(columnar.Int2, int64(a))
	case int32:
		return number(columnar.Int4, int64(a))
	case int64:
		return number(columnar.Int8, a)
	case uint8:
		return number(columnar.Int2, int64(a))
	case uint16:
		return number(columnar.Int4, int64(a))
	case uint32:
		return number(columnar.Int8, int64(a))
	case uint, uint64:
		return unsigned(a)
	case float32:
		return columnar.Value{Type: columnar.Type{Kind: columnar.Float4}, F: float64(a)}, nil
	case float64:
		return columnar.Value{Type: columnar.Type{Kind: columnar.Float8}, F: a}, nil
	case string:
		return columnar.Value{S: a}, nil
	case []byte:
		if a == nil {
			return columnar.Value{Null: true}, nil
		}
		return columnar.Value{Type: columnar.Type{Kind: columnar.Bytea}, S: string(a)}, nil
	case time.Time:
		return instant(a)
	case [16]byte:
		return columnar.Value{Type: columnar.Type{Kind: columnar.UUID}, S: string(a[:])}, nil
	case driver.Valuer:
		v, err := a.Value()
		if err != nil {
			return columnar.Value{}, err
		}
		if _, again := v.(driver.Valuer); again {
			return columnar.Value{}, fmt.Errorf("%T gives another Valuer", a)
		}
		return valueOf(v)
	}
	return columnar.Value{}, fmt.Errorf("type %T cannot be passed; a string can stand for every type", a)
}

// unsigned returns an integer that need not fit a bigint.
func unsigned(a any) (columnar.Value, error) {
	var u uint64
	switch a := a.(type) {
	case uint:
		u = uint64(a)
	case uint64:
		u = a
	}
	if u > math.MaxInt64 {
		return columnar.Value{Type: columnar.Type{Kind: columnar.Numeric}, S: strconv.FormatUint(u, 10)}, nil
	}
	return columnar.Value{Type: columnar.Type{Kind: columnar.Int8}, I: int64(u)}, nil
}

// instant returns a time as a timestamptz.
func instant(t time.Time) (columnar.Value, error) {
	if y := t.Year(); y < -4713 || y > 294246 {
		return columnar.Value{}, fmt.Errorf("time %v is out of range", t)
	}
	return columnar.Value{Type: columnar.Type{Kind: columnar.TimestampTZ}, I: t.UnixMicro()}, nil
}
