package visibility

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// tableModel is a table as its number of rows and the set of deleted ids.
type tableModel struct {
	rows    uint64
	deleted map[RowID]bool
}

func (m tableModel) check(t *testing.T, rng *rand.Rand, s *Groups) {
	t.Helper()
	if s.Rows() != m.rows || s.Live() != m.rows-uint64(len(m.deleted)) {
		t.Fatalf("rows %d, live %d; want %d, %d", s.Rows(), s.Live(), m.rows, m.rows-uint64(len(m.deleted)))
	}
	if want := int((m.rows + GroupRows - 1) / GroupRows); s.Len() != want {
		t.Fatalf("%d groups, want %d", s.Len(), want)
	}
	for id := range m.deleted {
		if s.Visible(id) {
			t.Fatalf("deleted row %d is visible", id)
		}
	}
	for range 2000 {
		id := RowID(rng.Uint64N(m.rows + 1000))
		if got, want := s.Visible(id), uint64(id) < m.rows && !m.deleted[id]; got != want {
			t.Fatalf("Visible(%d) = %v", id, got)
		}
	}
	for _, id := range []RowID{RowID(m.rows), RowID(s.Len()) << GroupShift, 1 << 40, 1 << 63, ^RowID(0)} {
		if s.Visible(id) {
			t.Fatalf("row %d of %d is visible", id, m.rows)
		}
	}
	var rows, live uint64
	next := 0
	for i, g := range s.All() {
		if i != next || g != s.At(i) {
			t.Fatalf("group %d comes where %d should", i, next)
		}
		if i < s.Len()-1 && g.Rows() != GroupRows {
			t.Fatalf("group %d of %d has %d rows", i, s.Len(), g.Rows())
		}
		next++
		rows += uint64(g.Rows())
		live += uint64(g.Live())
	}
	if next != s.Len() || rows != s.Rows() || live != s.Live() {
		t.Fatalf("%d groups with %d rows, %d live", next, rows, live)
	}
	for range 5 {
		first, n := RowID(rng.Uint64N(m.rows+10)), rng.Uint32N(1<<(1+rng.IntN(19)))
		at, live := uint32(0), uint64(0) // the rows in front of at were looked at
		hidden := func(end uint32) {
			for ; at < end; at++ {
				if s.Visible(first + RowID(at)) {
					t.Fatalf("LiveRuns(%d, %d) leave out row %d", first, n, at)
				}
			}
		}
		for r := range s.LiveRuns(first, n) {
			hidden(r.Start)
			for ; at < r.End(); at++ {
				if !s.Visible(first + RowID(at)) {
					t.Fatalf("LiveRuns(%d, %d) have row %d", first, n, at)
				}
			}
			live += uint64(r.Length)
		}
		if hidden(n); at != n || s.LiveIn(first, uint64(n)) != live {
			t.Fatalf("LiveIn(%d, %d) is %d, the runs have %d rows and end at %d", first, n, s.LiveIn(first, uint64(n)), live, at)
		}
	}
	if s.At(-1) != nil || s.At(s.Len()) != nil || s.At(s.Len()+70) != nil {
		t.Fatal("a group out of range")
	}
}

func TestGroupsAgainstModel(t *testing.T) {
	perSeed(t, 10, func(t *testing.T, rng *rand.Rand) {
		type version struct {
			m tableModel
			s *Groups
		}
		m, s := tableModel{}, new(Groups)
		var versions []version
		for range 30 {
			deleted := make(map[RowID]bool, len(m.deleted))
			for id := range m.deleted {
				deleted[id] = true
			}
			m.deleted = deleted
			if rng.IntN(3) == 0 {
				n := rng.Uint64N(1 << rng.IntN(24))
				m.rows += n
				s = s.Append(n)
			} else {
				ids := make([]RowID, rng.IntN(500))
				for i := range ids {
					ids[i] = RowID(rng.Uint64N(m.rows + 100))
				}
				if rng.IntN(2) == 0 {
					slices.Sort(ids)
				}
				want := -len(m.deleted)
				for _, id := range ids {
					if uint64(id) < m.rows {
						m.deleted[id] = true
					}
				}
				want += len(m.deleted)
				ns, n := s.WithDeleted(ids)
				if n != want || n == 0 && ns != s {
					t.Fatalf("%d newly deleted, want %d", n, want)
				}
				s = ns
			}
			versions = append(versions, version{m, s})
		}
		for _, v := range versions {
			v.m.check(t, rng, v.s)
		}
	})
}

func TestGroupsWith(t *testing.T) {
	s := new(Groups)
	var want []*Group
	for i := range 3*nodeGroups + 1 {
		g := NewGroup(GroupRows)
		s = s.With(i, g)
		want = append(want, g)
	}
	old := s
	g, _ := NewGroup(GroupRows).WithDeleted([]uint32{3})
	s = s.With(nodeGroups+5, g)
	for i := range want {
		if old.At(i) != want[i] {
			t.Fatalf("group %d of the old version changed", i)
		}
		if got := s.At(i); (got == want[i]) != (i != nodeGroups+5) {
			t.Fatalf("group %d is wrong", i)
		}
	}
	if old.Live() != s.Live()+1 {
		t.Errorf("live %d, before %d", s.Live(), old.Live())
	}
	for n := range s.nodes {
		if shared := s.nodes[n] == old.nodes[n]; shared != (n != 1) {
			t.Errorf("node %d: shared %v", n, shared)
		}
	}
	mustPanic(t, "With(-1)", func() { s.With(-1, g) })
	mustPanic(t, "With(Len+1)", func() { s.With(s.Len()+1, g) })
	mustPanic(t, "With(nil)", func() { s.With(0, nil) })
}

// A group that is short before the last leaves ids without rows.
func TestShortGroupInTheMiddle(t *testing.T) {
	s := new(Groups).With(0, NewGroup(10)).With(1, NewGroup(20))
	if s.Rows() != GroupRows+20 || s.Live() != 30 {
		t.Errorf("rows %d, live %d", s.Rows(), s.Live())
	}
	for id, want := range map[RowID]bool{9: true, 10: false, GroupRows - 1: false, GroupRows: true, GroupRows + 19: true, GroupRows + 20: false} {
		if s.Visible(id) != want {
			t.Errorf("Visible(%d) = %v", id, !want)
		}
	}
}

// What one commit allocates must not depend on the number of groups beyond the list of nodes.
func TestPublishingCostsWhatChanged(t *testing.T) {
	s := new(Groups).Append(1000 * GroupRows)
	small := new(Groups).Append(GroupRows)
	for name, edit := range map[string]func(*Groups){
		"delete": func(s *Groups) { s.WithDeleted([]RowID{5}) },
		"append": func(s *Groups) { s.Append(1) },
	} {
		big := testing.AllocsPerRun(100, func() { edit(s) })
		one := testing.AllocsPerRun(100, func() { edit(small) })
		if big > one+1 {
			t.Errorf("%s: %v allocations at 1000 groups, %v at one", name, big, one)
		}
	}
}

func TestAllStopsWhenTold(t *testing.T) {
	n := 0
	for range new(Groups).Append(5 * GroupRows).All() {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d groups", n)
	}
}
