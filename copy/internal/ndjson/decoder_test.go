package ndjson

import (
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// testRows is Rows in memory.
type testRows struct {
	at      int
	cols    []columnar.ColumnBuf
	forgive bool
	bad     []int // records of the batch that were forgiven
}

// newTestRows returns room for n rows of cols.
func newTestRows(cols []Column, n int) *testRows {
	r := &testRows{cols: make([]columnar.ColumnBuf, len(cols))}
	for i := range cols {
		t := cols[i].Type
		r.cols[i] = columnar.ColumnBuf{Type: t, Fixed: make([]byte, n*t.Width()), Bits: make([]uint64, n/64+2), Valid: make([]uint64, n/64+2), Offsets: make([]int32, n+1)}
	}
	return r
}

func (r *testRows) At() int                          { return r.at }
func (r *testRows) Column(i int) *columnar.ColumnBuf { return &r.cols[i] }
func (r *testRows) Forgive(i int, value bool) bool {
	r.bad = append(r.bad, i)
	return r.forgive && value
}
func (r *testRows) Parse(col, i int, text []byte) bool {
	buf := &r.cols[col]
	if !buf.Type.Variable() && buf.Type.Kind != columnar.Bool {
		v, ok := parseFixed(buf.Type, text)
		if ok {
			buf.SetValue(r.at+i, v)
		}
		return ok
	}
	if !buf.Type.Variable() {
		v, st := pgtext.Bool(text)
		if v {
			buf.Bits[(r.at+i)>>6] |= 1 << ((r.at + i) & 63)
		}
		return st == pgtext.OK
	}
	var st pgtext.Status
	switch {
	case !buf.Type.Array && buf.Type.Kind == columnar.Bytea:
		buf.Data, st = pgtext.Bytea(buf.Data, text)
	default:
		buf.Data, st = columnar.AppendCanonical(buf.Data, buf.Type, text, time.UTC)
	}
	buf.Offsets[r.at+i+1] = int32(len(buf.Data))
	return st == pgtext.OK
}

func (r *testRows) Nulls(i, n int, null []uint64) int {
	for k := range n {
		if null == nil || null[k>>6]>>(k&63)&1 == 0 {
			r.cols[i].Valid[(r.at+k)>>6] |= 1 << ((r.at + k) & 63)
		}
	}
	return n
}

func parseFixed(t columnar.Type, text []byte) (columnar.Value, bool) {
	v := columnar.Value{Type: t}
	var st pgtext.Status
	switch t.Kind {
	case columnar.Int2:
		v.I, st = pgtext.Int(text, 16)
	case columnar.Int4:
		v.I, st = pgtext.Int(text, 32)
	case columnar.Int8:
		v.I, st = pgtext.Int(text, 64)
	case columnar.Float4:
		var f float32
		f, st = pgtext.Float4(text)
		v.F = float64(f)
	case columnar.Float8:
		v.F, st = pgtext.Float8(text)
	case columnar.Decimal:
		d, special, status := pgtext.ParseDecimal(text, int(t.Precision), int(t.Scale))
		v.Hi, v.I, st = d.Hi, int64(d.Lo), status
		if special != pgtext.Finite {
			return v, false // not in these tests
		}
	case columnar.Date:
		var d int32
		d, st = pgtext.Date(text)
		v.I = int64(d)
	case columnar.Time:
		v.I, st = pgtext.Time(text)
	case columnar.Timestamp:
		v.I, st = pgtext.Timestamp(text)
	case columnar.TimestampTZ:
		v.I, st = pgtext.TimestampTZ(text, time.UTC)
	case columnar.UUID:
		var u [16]byte
		u, st = pgtext.UUID(text)
		v.S = string(u[:])
	}
	return v, st == pgtext.OK
}

// text returns the text of row i of column col, and false if it is NULL.
func (r *testRows) text(col, i int) (string, bool) {
	buf := &r.cols[col]
	if buf.Valid[i>>6]>>(i&63)&1 == 0 {
		return "", false
	}
	v := columnar.MakeVec(buf.Type, i+1, nil, buf.Fixed, buf.Bits, buf.Offsets, buf.Data, nil)
	return string(v.AppendText(nil, i, time.UTC)), true
}
