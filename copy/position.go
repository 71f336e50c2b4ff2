package copy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// A key that is there already is found when the rows are appended, long after they were
// converted. What is kept to find the line of such a row is the splits of a file, and
// the parcels of a stream.

// stretch is where the records of one parcel stand.
type stretch struct {
	file  string
	row   int64
	lines int64   // line breaks before the first record
	more  []int32 // line breaks before the end of each record, where they are not one a record
}

// keyed reports whether a row may be refused for its key, or for those of its ends.
func (l *loader) keyed() bool {
	if l.sh.schema.Rel != nil {
		return true
	}
	for i := range l.sh.schema.Constraints {
		if l.sh.schema.Constraints[i].Kind != columnar.Check {
			return true
		}
	}
	return false
}

// remember notes where the records of p stand; lines is the number of line breaks in it, of
// records if those are lines.
func (d *leader) remember(p *parcel, lines int64) {
	if !d.l.keyed() {
		return
	}
	s := stretch{file: d.in.name, row: p.row, lines: p.lines}
	if ends := p.rows; lines != ends && lines != ends-1 {
		s.more = d.in.lineEnds(p.b, int(p.rows))
	}
	d.l.stretches = append(d.l.stretches, s)
}

// lineEnds returns for each record of b, rows of them, the number of line breaks before its
// end.
func (in *input) lineEnds(b []byte, rows int) []int32 {
	more := make([]int32, 0, rows)
	lines := int32(0)
	for range rows {
		end := in.recordEnd(b)
		inner := in.lines(body(b[:end]))
		more = append(more, lines+int32(inner))
		lines += int32(in.lines(b[:end]))
		b = b[end:]
	}
	return more
}

// recordEnd returns where the first record of b ends: at its end if it is not whole.
func (in *input) recordEnd(b []byte) int {
	end := -1
	if in.layout.Scan != nil {
		end = in.layout.Scan.After(b, 0, 0, 1)
	} else if n, rows, _ := in.layout.Walk.Walk(b, true, len(b), 1); rows == 1 {
		end = n
	}
	if end < 0 {
		return len(b)
	}
	return end
}

// duplicate gives the error of Append the line of the row that it is about; before is the
// rows of the loads before the one that it is about.
func (l *loader) duplicate(err error, before int64) error {
	var dup *columnar.DuplicateError
	if !errors.As(err, &dup) {
		return l.missing(err, before)
	}
	e := *pgerr.From(err)
	e.Err = err
	e.Table = l.sh.schema.Name
	e.File, e.Line = l.lineOfRow(before + dup.Row)
	if dup.Earlier < 0 {
		return &e
	}
	switch file, line := l.lineOfRow(before + dup.Earlier); {
	case line == 0:
	case file == e.File:
		e.Detail += fmt.Sprintf(" It is on line %d too.", line)
	default:
		e.Detail += fmt.Sprintf(" It is on line %d of \"%s\" too.", line, file)
	}
	return &e
}

// lineOfRow returns where a row of the load ends in the input; line 0 is unknown.
func (l *loader) lineOfRow(row int64) (file string, line int64) {
	row = l.recordOf(row)
	if len(l.stretches) > 0 {
		k := sort.Search(len(l.stretches), func(k int) bool { return l.stretches[k].row > row }) - 1
		s := &l.stretches[k]
		if i := row - s.row; s.more == nil {
			line = 1 + s.lines + i
		} else {
			line = 1 + s.lines + int64(s.more[i])
		}
		return s.file, line
	}
	if len(l.inputs) == 0 {
		return "", 0 // rows without text
	}
	in := l.inputWithRow(row)
	line, err := l.lineOf(in, row)
	if err != nil {
		return in.name, 0
	}
	return in.name, line
}

// lineOf returns the last physical line of a row of in, which is read again.
func (l *loader) lineOf(in *input, row int64) (int64, error) {
	if !in.lined {
		return row - in.firstRow + 1, nil
	}
	w := l.newWorker()
	defer w.close()
	var src io.ReaderAt = bytes.NewReader(in.mem)
	if in.mem == nil {
		file := in.file
		in.file = nil
		defer func() { in.file = file }()
		var err error
		if src, err = w.open(in); err != nil {
			return 0, err
		}
	}
	start, err := l.startOf(w, in, src, row)
	if err != nil {
		return 0, err
	}
	before, err := l.linesBefore(src, in, start)
	if err != nil {
		return 0, err
	}
	var record []byte
	if in.layout.Scan != nil {
		record, err = recordAt(l.ctx, in.layout.Scan, src, start, in.end)
	} else {
		var end int64
		if end, _, err = in.layout.Walk.Skip(src, start, in.end); err == nil {
			record = make([]byte, end-start)
			_, err = io.ReadFull(io.NewSectionReader(src, start, end-start), record)
		}
	}
	return 1 + before + in.lines(body(record)), err
}

// linesBefore returns the number of line breaks of in before offset; none if its lines are
// records.
func (l *loader) linesBefore(src io.ReaderAt, in *input, offset int64) (int64, error) {
	if !in.lined {
		return 0, nil
	}
	lines, from := in.layout.Lines, in.start
	if n := in.known; n > 0 {
		k := min((offset-in.start)/l.block, int64(n-1))
		lines, from = l.splits[in.firstSplit+int(k)].lines, in.start+k*l.block
	}
	b := make([]byte, offset-from)
	if _, err := io.ReadFull(io.NewSectionReader(src, from, offset-from), b); err != nil {
		return 0, err
	}
	return lines + in.lines(b), nil
}
