package kernels

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ingotdb/ingot/internal/pgtext"
)

// TestColumnsArePgtext parses random fields with the column kernels and with pgtext: what
// a kernel takes is what pgtext reads, and with the same value. For what pgtext refuses a
// kernel must be slow.
func TestColumnsArePgtext(t *testing.T) {
	const n = 4096
	words := make([]uint64, n/64)
	f64, f32, i32, i64 := make([]float64, n), make([]float32, n), make([]int32, n), make([]int64, n)
	b16, bools := make([]byte, 16*n), make([]uint64, n/64)
	null, slow := words, make([]uint64, n/64)
	forEachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			name   string
			field  func(r *rand.Rand) string
			column func(b []byte, seps []uint32)
			same   func(r int, field []byte) (same bool, st pgtext.Status)
		}{
			{"float64", randomNumber,
				func(b []byte, seps []uint32) { ParseFloat64Column(f64, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.Float8(field)
					return v == f64[r], st
				}},
			{"float32", randomNumber,
				func(b []byte, seps []uint32) { ParseFloat32Column(f32, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.Float4(field)
					return v == f32[r], st
				}},
			{"date", randomDate,
				func(b []byte, seps []uint32) { ParseDateColumn(i32, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.Date(field)
					return v == i32[r], st
				}},
			{"timestamp", randomTimestamp,
				func(b []byte, seps []uint32) { ParseTimestampColumn(i64, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.Timestamp(field)
					return v == i64[r], st
				}},
			{"timestamptz", randomTimestamp,
				func(b []byte, seps []uint32) { ParseTimestampTZColumn(i64, null, slow, b, seps, 1, 0, 0, true) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.TimestampTZ(field, time.UTC)
					return v == i64[r], st
				}},
			{"decimal64(15,4)", randomNumber,
				func(b []byte, seps []uint32) { ParseDecimal64Column(i64, null, slow, b, seps, 1, 0, 0, 15, 4) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, special, st := pgtext.ParseDecimal(field, 15, 4)
					return special == pgtext.Finite && int64(v.Lo) == i64[r] && v.Hi == i64[r]>>63, st
				}},
			{"decimal128(38,10)", randomWide,
				func(b []byte, seps []uint32) { ParseDecimal128Column(b16, null, slow, b, seps, 1, 0, 0, 38, 10) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, special, st := pgtext.ParseDecimal(field, 38, 10)
					at := b16[16*r:]
					return special == pgtext.Finite && v.Lo == load8(at) && uint64(v.Hi) == load8(at[8:]), st
				}},
			{"uuid", randomUUID,
				func(b []byte, seps []uint32) { ParseUUIDColumn(b16, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.UUID(field)
					return string(v[:]) == string(b16[16*r:16*r+16]), st
				}},
			{"bool", randomBool,
				func(b []byte, seps []uint32) { ParseBoolColumn(bools, n, null, slow, b, seps, 1, 0, 0) },
				func(r int, field []byte) (bool, pgtext.Status) {
					v, st := pgtext.Bool(field)
					return v == (bools[r/64]>>(r%64)&1 != 0), st
				}},
		} {
			r := rand.New(rand.NewPCG(81, 82))
			fields := make([]string, n)
			for i := range fields {
				fields[i] = strings.ReplaceAll(c.field(r), "|", "")
			}
			b := []byte(strings.Join(fields, "|"))
			seps := []uint32{^uint32(0)}
			for i, ch := range b {
				if ch == '|' {
					seps = append(seps, uint32(i))
				}
			}
			seps = append(seps, uint32(len(b)))
			c.column(b, seps)
			taken := 0
			for i, field := range fields {
				if field == "" || slow[i/64]>>(i%64)&1 != 0 {
					continue
				}
				taken++
				if same, st := c.same(i, []byte(field)); !same || st != pgtext.OK {
					t.Errorf("%s seed 81,82: field %q: another value than pgtext's, whose status is %d", c.name, field, st)
				}
			}
			if taken < n/10 {
				t.Errorf("%s: %d of %d fields taken", c.name, taken, n)
			}
		}
	})
}
