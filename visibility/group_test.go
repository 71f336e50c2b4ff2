package visibility

import (
	"math/rand/v2"
	"testing"
)

func TestNoChangeReturnsTheSameGroup(t *testing.T) {
	g, _ := NewGroup(5000).WithDeleted([]uint32{0, 7, 2048})
	if ng, n := g.WithDeleted([]uint32{7, 0, 5000, 1 << 30}); ng != g || n != 0 {
		t.Errorf("deleting deleted and missing rows: %d rows, new group %v", n, ng != g)
	}
	if ng, n := g.WithDeletedRange(7, 1); ng != g || n != 0 {
		t.Errorf("deleting a deleted range: %d rows, new group %v", n, ng != g)
	}
	if ng, n := g.WithDeletedRange(5000, ^uint32(0)); ng != g || n != 0 {
		t.Errorf("deleting past the end: %d rows, new group %v", n, ng != g)
	}
	if g.WithRows(4999) != g || g.WithRows(5000) != g {
		t.Error("a group shrank or was copied without need")
	}
}

func TestDeleteCopiesOnlyTouchedVectors(t *testing.T) {
	old, _ := NewGroup(GroupRows).WithDeleted([]uint32{1, VectorRows + 1, 5*VectorRows + 1})
	g, _ := old.WithDeleted([]uint32{VectorRows, VectorRows + 2})
	for v := range g.Vectors() {
		if copied := g.vectors[v] != old.vectors[v]; copied != (v == 1) {
			t.Errorf("vector %d: copied %v", v, copied)
		}
	}
}

func TestGrowingAnAllDeletedVector(t *testing.T) {
	g, n := NewGroup(VectorRows+100).WithDeletedRange(VectorRows, 100)
	if state, _ := g.Vector(1); n != 100 || state != All {
		t.Fatalf("%d rows deleted, state %v", n, state)
	}
	grown := g.WithRows(VectorRows + 101)
	if state, _ := grown.Vector(1); state != Some || grown.Visible(VectorRows+99) || !grown.Visible(VectorRows+100) {
		t.Errorf("the added row is not the only visible one: state %v", state)
	}
	if state, _ := g.Vector(1); state != All || g.Visible(VectorRows+100) {
		t.Error("the group before changed")
	}
}

// The first of equally long runs must be kept whether the longest run is found anew or
// carried over from the version before.
func TestLongestRunIsTheFirstOfEquals(t *testing.T) {
	g, _ := NewGroup(10).WithDeleted([]uint32{4, 9}) // 0-3, 5-8
	if got, want := g.LongestRun(), (Run{0, 4}); got != want {
		t.Errorf("found: %v, want %v", got, want)
	}
	g, _ = NewGroup(9).WithDeleted([]uint32{4})
	if g = g.WithRows(10); g.LongestRun() != (Run{5, 5}) {
		t.Errorf("grown: %v", g.LongestRun())
	}
	g, _ = NewGroup(8).WithDeleted([]uint32{4})
	if g = g.WithRows(9); g.LongestRun() != (Run{0, 4}) {
		t.Errorf("grown to equals: %v", g.LongestRun())
	}
	g, _ = NewGroup(10).WithDeleted([]uint32{4})
	g, _ = g.WithDeleted([]uint32{9})
	if got, want := g.LongestRun(), (Run{0, 4}); got != want {
		t.Errorf("cut back to equals: %v, want %v", got, want)
	}
}

func TestFullGroupStates(t *testing.T) {
	g, n := NewGroup(GroupRows).WithDeletedRange(0, ^uint32(0))
	if n != GroupRows || g.Live() != 0 || g.LongestRun() != (Run{}) {
		t.Errorf("%d deleted, %d live, longest %v", n, g.Live(), g.LongestRun())
	}
	for r := range g.Runs() {
		t.Errorf("a run %v in a group without visible rows", r)
	}
}

func TestRunsStopsWhenTold(t *testing.T) {
	g, _ := NewGroup(100).WithDeleted([]uint32{10, 20, 30})
	n := 0
	for range g.Runs() {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d runs", n)
	}
}

func TestTooManyRowsPanic(t *testing.T) {
	mustPanic(t, "NewGroup", func() { NewGroup(GroupRows + 1) })
	mustPanic(t, "WithRows", func() { NewGroup(1).WithRows(GroupRows + 1) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

func TestReadingDoesNotAllocate(t *testing.T) {
	g, _ := NewGroup(GroupRows).WithDeleted(everyNth(GroupRows, 3))
	s := new(Groups).With(0, g)
	visible := 0
	allocs := testing.AllocsPerRun(10, func() {
		for i := range uint32(5000) {
			if g.Visible(i) && s.Visible(RowID(i)) {
				visible++
			}
		}
		for r := g.NextRun(0); r.Length > 0; r = g.NextRun(r.End()) {
			visible++
		}
		for range g.Runs() {
			visible++
		}
	})
	if allocs != 0 || visible == 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// everyNth returns 0, n, 2n, ... below rows.
func everyNth(rows, n uint32) []uint32 {
	var list []uint32
	for i := uint32(0); i < rows; i += n {
		list = append(list, i)
	}
	return list
}

// randomRows returns each row below rows with the given probability, ascending.
func randomRows(rng *rand.Rand, rows uint32, probability float64) []uint32 {
	var list []uint32
	for i := range rows {
		if rng.Float64() < probability {
			list = append(list, i)
		}
	}
	return list
}
