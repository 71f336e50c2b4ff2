package columnar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/vfs/memfs"
	"github.com/ingotdb/ingot/visibility"
)

// keyTable creates table t with one key column of type typ and a unique constraint.
func keyTable(t *testing.T, s *Store, typ Type) *Schema {
	t.Helper()
	schema := &Schema{Name: "t", Columns: []Column{{Name: "k", Type: typ}, {Name: "v", Type: Type{Kind: Int4}}},
		Constraints: []Constraint{{Name: "t_k_key", Kind: Unique, Columns: []uint32{1}}}}
	if err := write(s, func(tx *Txn) error { return tx.CreateTable(schema) }); err != nil {
		t.Fatal(err)
	}
	return schema
}

// addKeys appends rows with the given keys in fragments of size rows, and rolls back if
// undo is set.
func addKeys(s *Store, schema *Schema, keys []Value, size int, undo bool) error {
	p := LoadPlan{Schema: schema, VarBytes: int64(len(keys)) * 64}
	for left := len(keys); left > 0; left -= size {
		p.Fragments = append(p.Fragments, min(left, size))
	}
	l, err := s.NewLoad(context.Background(), p)
	if err != nil {
		return err
	}
	defer l.Abort()
	at := 0
	for i, n := range p.Fragments {
		w, err := l.Fragment(i, n)
		if err != nil {
			return err
		}
		for r := range n {
			w.Cols[0].SetValue(r, keys[at])
			w.Cols[1].SetValue(r, Value{Type: Type{Kind: Int4}, I: int64(at)})
			at++
		}
		if err := w.Finish(n); err != nil {
			return err
		}
	}
	return write(s, func(tx *Txn) error {
		_, err := tx.Append(context.Background(), "t", l)
		if err == nil && undo {
			return errUndone
		}
		return err
	})
}

var errUndone = errors.New("rolled back")

// TestUniqueModel loads keys in many orders and compares every outcome, down to the
// offending row, with a map.
func TestUniqueModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	key := func(typ Type, x int64) Value {
		v := Value{Type: typ, I: x}
		switch typ.Kind {
		case Text:
			v = Value{Type: typ, S: fmt.Sprintf("key %d", x)}
		case Numeric: // 1.0 and 1.00 are one key
			v = Value{Type: typ, S: fmt.Sprintf("%d.%0*d", x, 1+rng.IntN(3), 0)}
		case Float8:
			if v = (Value{Type: typ, F: float64(x)}); x == 0 && rng.IntN(2) == 0 {
				v.F = math.Copysign(0, -1)
			} else if x == 7 {
				v.F = math.NaN()
			}
		}
		return v
	}
	for _, typ := range []Type{{Kind: Int8}, {Kind: Int2}, {Kind: Text}, {Kind: Numeric}, {Kind: Float8}} {
		t.Run(typ.String(), func(t *testing.T) {
			s := mustOpen(t, Options{FS: memfs.New(), InlineBytes: int64(1 + rng.IntN(20000))})
			schema := keyTable(t, s, typ)
			live := map[int64]visibility.RowID{}
			next := visibility.RowID(0)
			refused := 0
			for range 60 {
				n := 1 + rng.IntN(300)
				from, space := rng.Int64N(30000), int64(1+rng.IntN(20000))
				ints := make([]int64, n)
				keys := make([]Value, n)
				kind := rng.IntN(3)
				for i := range keys {
					switch kind {
					case 0: // ascending
						ints[i] = from + int64(i)
					case 1: // random
						ints[i] = rng.Int64N(space)
					default: // above all others
						ints[i] = 10000 + int64(next) + int64(i)
					}
					ints[i] %= 32000
					keys[i] = key(typ, ints[i])
					if rng.IntN(50) == 0 {
						keys[i] = Value{Type: typ, Null: true}
					}
				}
				wantRow, wantEarlier := int64(-1), int64(-1)
				inLoad := map[int64]int64{}
				for i, x := range ints {
					if keys[i].Null {
						continue
					}
					if _, ok := live[x]; ok {
						wantRow, wantEarlier = int64(i), -1
						break
					}
					if e, ok := inLoad[x]; ok {
						wantRow, wantEarlier = int64(i), e
						break
					}
					inLoad[x] = int64(i)
				}
				undo := rng.IntN(4) == 0
				err := addKeys(s, schema, keys, 1+rng.IntN(128), undo)
				var dup *DuplicateError
				switch {
				case wantRow < 0 && undo:
					if !errors.Is(err, errUndone) {
						t.Fatal(err)
					}
				case wantRow < 0 && err != nil:
					t.Fatalf("keys %v: %v", ints, err)
				case wantRow >= 0:
					refused++
					if !errors.As(err, &dup) || pgerr.Code(err) != pgerr.UniqueViolation || dup.Row != wantRow || dup.Earlier != wantEarlier {
						t.Fatalf("got %+v %v, want row %d earlier %d", dup, err, wantRow, wantEarlier)
					}
				default:
					for i, x := range ints {
						if !keys[i].Null {
							live[x] = next + visibility.RowID(i)
						}
					}
					next += visibility.RowID(n)
				}
				switch rng.IntN(6) {
				case 0: // delete some keys: they may come again
					var ids []visibility.RowID
					for x, id := range live {
						if rng.IntN(4) == 0 {
							ids = append(ids, id)
							delete(live, x)
						}
					}
					sortIDs(ids)
					if err := write(s, func(tx *Txn) error { _, err := tx.Delete("t", ids); return err }); err != nil {
						t.Fatal(err)
					}
				case 1:
					if err := s.Checkpoint(context.Background()); err != nil {
						t.Fatal(err)
					}
				case 2:
					if rng.IntN(4) == 0 {
						if err := write(s, func(tx *Txn) error { return tx.TruncateTable("t") }); err != nil {
							t.Fatal(err)
						}
						clear(live)
						next = 0
					}
				}
			}
			t.Logf("%d loads of 60 refused", refused)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func sortIDs(ids []visibility.RowID) {
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && ids[j] < ids[j-1]; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}

// TestKeyIndexMemory holds that an index beyond the limit is refused, and that
// ascending keys need none.
func TestKeyIndexMemory(t *testing.T) {
	s := mustOpen(t, Options{FS: memfs.New(), MemoryLimit: 1 << 10})
	typ := Type{Kind: Int8}
	schema := keyTable(t, s, typ)
	var up, down []Value
	for i := range int64(2000) {
		up = append(up, Value{Type: typ, I: i})
		down = append(down, Value{Type: typ, I: 9000 - i})
	}
	if err := addKeys(s, schema, up, 512, false); err != nil {
		t.Fatal(err)
	}
	if err := addKeys(s, schema, down, 512, false); pgerr.Code(err) != pgerr.OutOfMemory {
		t.Fatalf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
