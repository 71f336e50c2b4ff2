package visibility

import "iter"

const (
	nodeShift  = 6
	nodeGroups = 1 << nodeShift
)

// Groups is the row groups of one version of a table, in order: an immutable sequence.
//
// Groups but the last are full, so that a row id says where its row is; With leaves it to
// the caller to keep this. An id that no group has a row for is not visible. The
// zero Groups is empty and ready to use. Safe for concurrent use. A change copies
// the nodes of 64 groups that it touches and the list of nodes, 8 bytes for each 8.4 million
// rows, and shares everything else.
type Groups struct {
	// nodes hold the groups; entries past the last group are &noGroup, so that a check of an id
	// there needs no test for nil.
	nodes []*node
	count int
	live  uint64
}

type node [nodeGroups]*Group

// noGroup stands for a group that does not exist: it has no rows.
var noGroup = NewGroup(0)

// Len returns the number of groups.
func (s *Groups) Len() int { return s.count }

// Rows returns the number of row ids given out, deleted rows included: the id that the next
// row gets.
func (s *Groups) Rows() uint64 {
	if s.count == 0 {
		return 0
	}
	return uint64(s.count-1)<<GroupShift + uint64(s.at(s.count-1).rows)
}

// Live returns the number of visible rows.
func (s *Groups) Live() uint64 { return s.live }

// At returns group i, or nil if i is not in [0, Len).
func (s *Groups) At(i int) *Group {
	if uint(i) >= uint(s.count) {
		return nil
	}
	return s.at(i)
}

func (s *Groups) at(i int) *Group { return s.nodes[i>>nodeShift][i%nodeGroups] }

// All iterates over the groups with their indexes.
func (s *Groups) All() iter.Seq2[int, *Group] {
	return func(yield func(int, *Group) bool) {
		for i := range s.count {
			if !yield(i, s.at(i)) {
				return
			}
		}
	}
}

// Visible reports whether the row id exists and is not deleted. It is small enough to be
// inlined into a loop over ids, and so is Group.Visible inside it.
func (s *Groups) Visible(id RowID) bool {
	n := uint64(id) >> (GroupShift + nodeShift)
	return n < uint64(len(s.nodes)) && s.nodes[n][id>>GroupShift%nodeGroups].Visible(uint32(id)%GroupRows)
}

// LiveIn returns the number of visible rows among the n ids from first on.
func (s *Groups) LiveIn(first RowID, n uint64) uint64 {
	live := uint64(0)
	for n > 0 && first.Group() < uint64(s.count) {
		take := min(n, uint64(GroupRows-first.Row()))
		live += uint64(s.at(int(first.Group())).LiveIn(first.Row(), uint32(take)))
		first += RowID(take)
		n -= take
	}
	return live
}

// LiveRuns iterates over the visible runs among the n ids from first on, as positions
// behind first. Runs do not go over the end of a row group.
func (s *Groups) LiveRuns(first RowID, n uint32) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for at := uint32(0); at < n && (first+RowID(at)).Group() < uint64(s.count); {
			id := first + RowID(at)
			g, from := s.at(int(id.Group())), id.Row()
			end := from + min(n-at, GroupRows-from)
			for r := g.NextRun(from); r.Length > 0 && r.Start < end; r = g.NextRun(r.End()) {
				if !yield(Run{at + r.Start - from, min(r.End(), end) - r.Start}) {
					return
				}
			}
			at += end - from
		}
	}
}

// With returns the sequence with g as group i; i == Len appends it. It panics if i is
// not in [0, Len] or g is nil.
func (s *Groups) With(i int, g *Group) *Groups {
	e := groupsEdit{s: *s, owned: -1}
	e.set(i, g)
	return &e.s
}

// Append returns the sequence with rows visible rows more: the last group grows to
// GroupRows, then groups are added.
func (s *Groups) Append(rows uint64) *Groups {
	if rows == 0 {
		return s
	}
	e := groupsEdit{s: *s, owned: -1}
	if s.count > 0 {
		last := s.at(s.count - 1)
		n := min(rows, uint64(GroupRows-last.rows))
		e.set(s.count-1, last.WithRows(last.rows+uint32(n)))
		rows -= n
	}
	for rows > 0 {
		n := min(rows, GroupRows)
		e.set(e.s.count, NewGroup(uint32(n)))
		rows -= n
	}
	return &e.s
}

// WithDeleted returns the sequence with the given rows deleted, and how many of them were
// visible before.
//
// A row may be named twice or be deleted already; a row that does not exist is passed over.
// Ascending order is the fast one, any order is right. ids is only read. Returns s itself
// if nothing changes.
func (s *Groups) WithDeleted(ids []RowID) (*Groups, int) {
	e := groupsEdit{s: *s, owned: -1}
	total := 0
	var rows []uint32
	for len(ids) > 0 {
		group := ids[0].Group()
		rows = rows[:0]
		for len(ids) > 0 && ids[0].Group() == group {
			rows = append(rows, ids[0].Row())
			ids = ids[1:]
		}
		if group >= uint64(s.count) {
			continue
		}
		if g, n := e.s.at(int(group)).WithDeleted(rows); n > 0 {
			e.set(int(group), g)
			total += n
		}
	}
	if total == 0 {
		return s, 0
	}
	return &e.s, total
}

// groupsEdit is a sequence in the making.
type groupsEdit struct {
	s     Groups
	owned int // index of the node that the edit may write to; -1 before the first
}

// set makes g group i. Consecutive calls for groups of one node copy it once.
func (e *groupsEdit) set(i int, g *Group) {
	s := &e.s
	if i < 0 || i > s.count {
		panic("visibility: group index out of range")
	}
	n := i >> nodeShift
	if e.owned < 0 {
		// One more than there are, so that the first group of a new node needs no second copy.
		nodes := make([]*node, len(s.nodes), len(s.nodes)+1)
		copy(nodes, s.nodes)
		s.nodes = nodes
	}
	if n == len(s.nodes) {
		nd := new(node)
		for j := range nd {
			nd[j] = noGroup
		}
		s.nodes = append(s.nodes, nd)
	} else if n != e.owned {
		nd := *s.nodes[n]
		s.nodes[n] = &nd
	}
	e.owned = n
	if i == s.count {
		s.count++
	}
	at := &s.nodes[n][i%nodeGroups]
	s.live += uint64(g.Live()) - uint64((*at).Live())
	*at = g
}
