package columnar

import (
	"github.com/ingotdb/ingot/visibility"
)

// TableInfo describes one table of a snapshot.
type TableInfo struct {
	Name      string
	Columns   []ColumnInfo
	Rows      uint64 // live
	Deleted   uint64
	Bytes     int64 // that its fragments and runs take on disk, or in the log and in memory
	RowGroups []RowGroupInfo
	Rel       *Rel      // of a rel table
	Runs      []RunInfo // of a rel table: its adjacency
}

// RunInfo describes an adjacency run.
type RunInfo struct {
	First visibility.RowID
	Edges int
	File  string // data file; "" if it is built in memory when it is wanted
	Bytes int64  // of both directions; 0 if it is in memory
}

// ColumnInfo describes a column.
type ColumnInfo struct {
	Name    string
	Type    Type
	NotNull bool
}

// RowGroupInfo describes one row group.
type RowGroupInfo struct {
	Index      int
	Rows       int // row ids, deleted ones included
	Deleted    int
	VisibleRun visibility.Run
	Fragments  []FragmentInfo
}

// FragmentInfo describes the part of a fragment that lies in one row group.
type FragmentInfo struct {
	First  visibility.RowID
	Rows   int
	File   string // data file; "" if the rows travel in the log
	Chunks []ChunkInfo
}

// ChunkInfo describes a column chunk.
type ChunkInfo struct {
	Column   string // "" if the column was dropped
	Type     Type
	Encoding string
	Offset   int64 // in the file
	Bytes    int64 // header, validity and values
	OutBytes int64 // data of variable-length values, or NaN bits
	Zone     Zone
}

// Info describes the tables of the snapshot, ordered by name.
func (s *Snapshot) Info() []TableInfo {
	var out []TableInfo
	for _, t := range s.Tables() {
		out = append(out, t.Info())
	}
	return out
}

// Info describes the table.
func (t *Table) Info() TableInfo {
	ti := TableInfo{Name: t.schema.Name, Rows: t.Rows(), Deleted: t.deleted()}
	for _, c := range t.schema.Columns {
		ti.Columns = append(ti.Columns, ColumnInfo{c.Name, c.Type, c.NotNull})
	}
	for i, g := range t.vis.All() {
		ti.RowGroups = append(ti.RowGroups, RowGroupInfo{Index: i, Rows: int(g.Rows()), Deleted: int(g.Deleted()), VisibleRun: g.LongestRun()})
	}
	t.pieces(func(first visibility.RowID, p piece) {
		g := &ti.RowGroups[first.Group()]
		g.Fragments = append(g.Fragments, t.fragmentInfo(first, p))
		if p.from == 0 {
			ti.Bytes += p.frag.bytes()
		}
	})
	ti.Rel = t.schema.Rel
	for _, r := range t.runs {
		ri := RunInfo{First: r.first, Edges: int(r.count)}
		if r.file != nil {
			ri.File, ri.Bytes = r.file.name, r.bytes()
		}
		ti.Runs = append(ti.Runs, ri)
		ti.Bytes += ri.Bytes
	}
	return ti
}

func (t *Table) fragmentInfo(first visibility.RowID, p piece) FragmentInfo {
	fi := FragmentInfo{First: first, Rows: int(p.rows)}
	if p.frag.file != nil {
		fi.File = p.frag.file.name
	}
	for i := range p.frag.chunks {
		k := &p.frag.chunks[i]
		ci := ChunkInfo{Type: k.typ, Encoding: "plain", Offset: k.loc.off, Bytes: k.loc.size, OutBytes: k.loc.outLen, Zone: k.zone}
		if at := t.schema.position(k.col); at >= 0 {
			ci.Column = t.schema.Columns[at].Name
		}
		fi.Chunks = append(fi.Chunks, ci)
	}
	return fi
}
