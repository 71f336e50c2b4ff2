package columnar

import (
	"iter"

	"github.com/ingotdb/ingot/visibility"
)

// RowGroup returns which rows of row group i can be seen, or nil if the table has no such
// row group: that of a load which was rolled back is found missing like one that never
// was. It is the way to check many rows of one group.
func (t *Table) RowGroup(i int) *visibility.Group { return t.vis.At(i) }

// VisibleRun returns the longest run of visible rows of a row group, the first of equals;
// its Length is 0 if no row is visible or there is no such group. It was found when the
// version was made: no bit is looked at here.
func (t *Table) VisibleRun(group int) visibility.Run {
	if g := t.vis.At(group); g != nil {
		return g.LongestRun()
	}
	return visibility.Run{}
}

// Runs iterates over all runs of visible rows of a row group, in order of rows; there are
// none where there is no such group. Each is maximal. Nothing is allocated for a run.
func (t *Table) Runs(group int) iter.Seq[visibility.Run] {
	if g := t.vis.At(group); g != nil {
		return g.Runs()
	}
	return func(func(visibility.Run) bool) {}
}

// Visible reports whether the table has row id and it is not deleted. Any id may be asked
// for. A loop over ids takes [Table.Visibility] once and asks that: its Visible is inlined,
// reads one pointer for each 8.4 million rows and one for each row group, and allocates
// nothing for a table of any size.
func (t *Table) Visible(id visibility.RowID) bool { return t.vis.Visible(id) }

// VisibleRun is Table.VisibleRun of the table called name; 42P01 if there is none.
func (s *Snapshot) VisibleRun(name string, group int) (visibility.Run, error) {
	t, err := s.Table(name)
	if err != nil {
		return visibility.Run{}, err
	}
	return t.VisibleRun(group), nil
}

// Runs is Table.Runs of the table called name; 42P01 if there is none.
func (s *Snapshot) Runs(name string, group int) (iter.Seq[visibility.Run], error) {
	t, err := s.Table(name)
	if err != nil {
		return nil, err
	}
	return t.Runs(group), nil
}

// Visible is Table.Visible of the table called name; 42P01 if there is none. Who asks for
// many rows looks the table up once.
func (s *Snapshot) Visible(name string, id visibility.RowID) (bool, error) {
	t, err := s.Table(name)
	if err != nil {
		return false, err
	}
	return t.Visible(id), nil
}
