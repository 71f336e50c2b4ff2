package columnar

import "fmt"

// StagedTable returns a table that belongs to no store: its rows are the columns of parts,
// one after the other, which are not copied. It is read like every other table, but has
// no zone maps: most are read once, and whole. What the
// columns alias must stay as it is for as long as the table is used.
//
// Each part has a Vec for every column of s, of the column's type, all with the same number
// of rows. s gets the IDs of its columns.
func StagedTable(s *Schema, parts [][]Vec) (*Table, error) {
	for i := range s.Columns {
		s.Columns[i].ID = uint32(i + 1)
	}
	t := newTable(s, nil)
	for _, cols := range parts {
		if len(cols) != len(s.Columns) {
			return nil, fmt.Errorf("columnar: a part of staged table %s has %d columns, not %d", s.Name, len(cols), len(s.Columns))
		}
		if len(cols) == 0 {
			continue
		}
		rows := cols[0].n
		for from := 0; from < rows; from += MaxFragmentRows {
			f := &fragment{rows: min(rows-from, MaxFragmentRows), chunks: make([]chunk, len(cols))}
			for i := range cols {
				if cols[i].n != rows || cols[i].typ != s.Columns[i].Type {
					return nil, fmt.Errorf("columnar: column %s of staged table %s has %d rows of %s, not %d of %s",
						s.Columns[i].Name, s.Name, cols[i].n, cols[i].typ, rows, s.Columns[i].Type)
				}
				k := &f.chunks[i]
				k.col, k.typ, k.vec = s.Columns[i].ID, cols[i].typ, cols[i].Slice(from, f.rows)
			}
			t = t.grow(f, false)
		}
	}
	return t, nil
}
