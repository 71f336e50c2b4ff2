package torture

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
)

// kind is what an op does.
type kind int

const (
	load     kind = iota // rows with ids from..to-1
	remove               // rows with ids from..to-1
	truncate             // all rows
	recreate             // drops the table and creates it
	checkpoint
	vacuum
)

// op is a part of a statement.
type op struct {
	kind     kind
	table    string
	from, to int64
}

// statement is what is committed at once; checkpoint and vacuum stand alone.
type statement []op

func (s statement) String() string {
	var parts []string
	for _, o := range s {
		name := [...]string{"load", "delete", "truncate", "recreate", "checkpoint", "vacuum"}[o.kind]
		parts = append(parts, fmt.Sprintf("%s %s %d..%d", name, o.table, o.from, o.to))
	}
	return strings.Join(parts, ", ")
}

// tableNames are the tables that there are from statement 0 on.
var tableNames = []string{"t", "u"}

// state is what the store holds after a number of statements.
type state struct {
	done   int
	nextID int64
	tables map[string][]int64 // ids in row order
}

func newState() *state {
	return &state{nextID: 1, tables: map[string][]int64{"t": nil, "u": nil}}
}

// next returns statement number s.done. scale is about how many rows a large load has.
func (s *state) next(seed uint64, scale int) statement {
	rng := rand.New(rand.NewPCG(seed, uint64(s.done)))
	one := func() op {
		o := op{table: tableNames[rng.IntN(len(tableNames))]}
		switch k := rng.IntN(10); {
		case k < 6 || len(s.tables[o.table]) < 50:
			o.kind, o.from = load, s.nextID
			o.to = o.from + 1 + rng.Int64N(30)
			if rng.IntN(3) == 0 {
				o.to = o.from + int64(scale/2+rng.IntN(scale))
			}
			s.nextID = o.to
		case k < 9:
			ids := s.tables[o.table]
			i := rng.IntN(len(ids))
			o.kind, o.from, o.to = remove, ids[i], ids[i]+1+rng.Int64N(int64(scale))
		default:
			o.kind = []kind{truncate, recreate}[rng.IntN(2)]
		}
		return o
	}
	switch rng.IntN(12) {
	case 0, 1:
		return statement{{kind: checkpoint}}
	case 2:
		return statement{{kind: vacuum}}
	case 3, 4, 5:
		return statement{one(), one(), one()}
	}
	return statement{one()}
}

// apply makes a statement's changes.
func (s *state) apply(st statement) {
	for _, o := range st {
		switch o.kind {
		case load:
			for id := o.from; id < o.to; id++ {
				s.tables[o.table] = append(s.tables[o.table], id)
			}
		case remove:
			s.tables[o.table] = slices.DeleteFunc(s.tables[o.table], func(id int64) bool { return id >= o.from && id < o.to })
		case truncate, recreate:
			s.tables[o.table] = nil
		}
	}
	s.done++
}

// text and number are what a row holds beside its id; a number of -1 is stored as null.
func text(id int64) string {
	return strings.Repeat(string(rune('a'+id%26)), int(id*7%300))
}

func number(id int64) int64 { return id*7919%1000 - 1 }

// digest describes a state: equal for equal rows in equal order.
func (s *state) digest() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		h := uint64(1)
		for _, id := range s.tables[name] {
			h = mix(h, id, number(id), text(id))
		}
		out = append(out, fmt.Sprintf("%s: %d rows, hash %016x", name, len(s.tables[name]), h))
	}
	return strings.Join(out, "; ")
}

func mix(h uint64, id, n int64, s string) uint64 {
	h = (h ^ uint64(id)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ uint64(n)) * 0x9e3779b97f4a7c15
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>31
}

// digestOf describes tables of a store as state.digest does.
func digestOf(tables []*columnar.Table) (string, error) {
	var out []string
	for _, tab := range tables {
		h, rows := uint64(1), 0
		err := mmap.Guard(func() error {
			for b, err := range tab.Scan(ctx, columnar.ScanOptions{}) {
				if err != nil {
					return err
				}
				rows += b.Rows
				for r := range b.Rows {
					n := int64(-1)
					if v := &b.Cols[1]; !v.IsNull(r) {
						n = int64(v.Int32s()[r])
					}
					h = mix(h, b.Cols[0].Int64s()[r], n, string(b.Cols[2].Bytes(r)))
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		out = append(out, fmt.Sprintf("%s: %d rows, hash %016x", tab.Schema().Name, rows, h))
	}
	return strings.Join(out, "; "), nil
}
