package naive

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

// people is how many rows relate gives to table "people".
const people = 8000

// relate makes node tables "people" and "towns", and rel tables "knows" and "lives in".
func relate(s *store) {
	s.t.Helper()
	s.write(func(tx *columnar.Txn) error {
		node := func(name string) *columnar.Schema {
			return &columnar.Schema{Name: name, Columns: []columnar.Column{{Name: "key", Type: columnar.Type{Kind: columnar.Int4}, NotNull: true}},
				Constraints: []columnar.Constraint{{Name: name + "_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}}}}
		}
		p, w := node("people"), node("towns")
		if err := errors.Join(tx.CreateTable(p), tx.CreateTable(w)); err != nil {
			return err
		}
		return errors.Join(
			tx.CreateTable(&columnar.Schema{Name: "knows", Rel: &columnar.Rel{From: p.ID, To: p.ID},
				Columns: []columnar.Column{{Name: "since", Type: columnar.Type{Kind: columnar.Date}}, {Name: "why", Type: columnar.Type{Kind: columnar.Text}}}}),
			tx.CreateTable(&columnar.Schema{Name: "lives in", Rel: &columnar.Rel{From: p.ID, To: w.ID, Group: "lives"}}),
			load(s, tx, "people", 0, true, people), load(s, tx, "towns", 0, true, 40))
	})
}

// connected commits n edges with numbers from first on: edge i goes from node i*spread to
// another, in circles; the nodes below low are left alone.
func connected(s *store, rel string, low, first, spread, n int) {
	s.t.Helper()
	s.write(func(tx *columnar.Txn) error {
		schema, err := tx.LoadSchema(rel)
		if err != nil {
			return err
		}
		others := people
		if rel == "lives in" {
			others = 40
		}
		p := columnar.LoadPlan{Schema: schema, Fragments: []int{n}, VarBytes: int64(n) * 400}
		l, err := s.NewLoad(ctx, p)
		if err != nil {
			return err
		}
		defer l.Abort()
		w, err := l.Fragment(0, n)
		if err != nil {
			return err
		}
		err = mmap.Guard(func() error {
			for r := range n {
				i := first + r
				w.Cols[0].Int32s()[r] = int32(low + i*spread%(people-low))
				w.Cols[1].Int32s()[r] = int32(others - 1 - i*i%(others-min(low, 5)))
				if rel == "knows" || rel == "knew" {
					w.Cols[1].Int32s()[r] = int32(low + i*i%(others-low))
				}
				for c := 2; c < len(w.Cols); c++ {
					w.Cols[c].SetValue(r, valueOf(schema.Columns[c].Type, i))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := w.Finish(n); err != nil {
			return err
		}
		_, err = tx.Append(ctx, rel, l)
		return err
	})
}

// cascade deletes the first n rows of a table, and their edges.
func cascade(tx *columnar.Txn, table string, n int) error {
	var ids []visibility.RowID
	for i := range n {
		ids = append(ids, visibility.RowID(i))
	}
	_, _, err := tx.DeleteCascade(table, ids)
	return err
}

// TestRels compares what both readers read of rel tables, whose runs naive compares with
// the edges, after each step.
func TestRels(t *testing.T) {
	for _, inline := range []int64{8 << 10, 1} {
		t.Run(fmt.Sprintf("inline=%d", inline), func(t *testing.T) {
			s := open(t, t.TempDir(), columnar.Options{InlineBytes: inline, LogBytes: 1 << 20})
			relate(s)
			s.same("without edges")
			for i := range 5 {
				connected(s, "knows", 0, 3*i, 700, 3)
			}
			connected(s, "lives in", 0, 0, 1, 1500)
			connected(s, "knows", 0, 100, 1, 900)
			connected(s, "lives in", 0, 100, 1000, 2)
			got := s.same("edges")
			if r := got.table("lives in"); r.Rel.Group != "lives" || len(r.runs) == 0 || r.runs[0].dirs[0].sparse {
				t.Errorf("%+v has runs %v", r.Rel, r.runs)
			}
			s.reopened("edges")
			s.write(func(tx *columnar.Txn) error {
				return errors.Join(remove(tx, "knows", 5, 300, 2), cascade(tx, "people", 500), cascade(tx, "towns", 3))
			})
			s.same("deletes")
			s.altered("knows", func(c *columnar.Schema) { c.Name, c.Columns = "knew", c.Columns[:3] })
			s.altered("people", func(c *columnar.Schema) { c.Name = "persons" })
			s.reopened("alter")
			for i, fn := range []func() error{func() error { return s.Checkpoint(ctx) }, func() error { return s.Vacuum(ctx) }} {
				connected(s, "knew", 500, 5000, 3, 17_000)
				if err := fn(); err != nil {
					t.Fatal(err)
				}
				got := s.same("folded")
				if n := len(got.table("knew").runs); n == 0 {
					t.Errorf("step %d: no runs", i)
				}
				s.reopened("folded")
			}
			s.write(func(tx *columnar.Txn) error {
				return errors.Join(tx.TruncateTable("knew"), tx.DropTable("lives in"), tx.DropTable("towns"))
			})
			s.same("truncate")
			s.write(func(tx *columnar.Txn) error {
				return errors.Join(tx.TruncateTable("persons"), load(s, tx, "persons", 0, true, people))
			})
			connected(s, "knew", 500, 5000, 3, 1000)
			s.same("truncate of nodes")
			s.reopened("truncate")
			s.close()
		})
	}
}

// TestGoldenRuns holds that the golden store has runs of both forms.
func TestGoldenRuns(t *testing.T) {
	s, err := Read(golden)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]bool{}
	for _, tab := range s.Tables {
		for _, r := range tab.runs {
			for way, d := range r.dirs {
				forms[fmt.Sprintf("way %d, sparse %v, positions %v", way, d.sparse, d.positions)] = true
			}
		}
	}
	for _, f := range []string{"way 0, sparse false, positions false", "way 0, sparse true, positions false", "way 1, sparse false, positions true"} {
		if !forms[f] {
			t.Errorf("no run of form %s, but %v", f, forms)
		}
	}
}
