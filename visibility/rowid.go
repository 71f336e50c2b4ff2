package visibility

const (
	// GroupShift is the number of low bits of a RowID that are the row in its group.
	GroupShift = 17

	// GroupRows is the number of row ids in a row group.
	GroupRows = 1 << GroupShift

	// VectorRows is the number of rows in a vector.
	VectorRows = 1 << vectorShift

	// VectorsPerGroup is the number of vectors in a full row group.
	VectorsPerGroup = GroupRows / VectorRows

	vectorShift = 11
	vectorWords = VectorRows / 64
)

// RowID is the position of a row in its table. Ids are dense, given at commit, and never
// used twice.
type RowID uint64

// Group returns the index of the row group that id lies in.
func (id RowID) Group() uint64 { return uint64(id) >> GroupShift }

// Row returns the position of id in its row group.
func (id RowID) Row() uint32 { return uint32(id) & (GroupRows - 1) }

// CommitSeq is the place of a commit in the order of all commits of a store. The first
// commit is 1; 0 is the empty store.
type CommitSeq uint64

// Run is a range of consecutive rows of one row group.
type Run struct {
	Start  uint32 // first row
	Length uint32 // rows; 0 is no run, and Start then means nothing
}

// Contains reports whether row i lies in r: one unsigned comparison.
func (r Run) Contains(i uint32) bool { return i-r.Start < r.Length }

// End returns the row after the last one of r.
func (r Run) End() uint32 { return r.Start + r.Length }
