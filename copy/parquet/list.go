package parquet

import (
	"slices"

	"github.com/ingotdb/ingot/internal/bitmap"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/internal/pgtext"
)

// listState is what a column of lists has between two batches. A list ends where the next
// begins, which may be in another page.
type listState struct {
	open bool // a list was begun whose end was not seen
	some bool // it has an element
	null bool // it is none

	reps, defs []uint8
	at, n      int   // levels taken, levels there
	value      int   // of the next among the values that are there
	lists      batch // what is given away
	bad        bool  // an element of the open list is none of its type's
}

// levelStep is how many levels are read at a time.
const levelStep = 1024

// fillList is fill for a column of lists. A list is stored as PostgreSQL's text of an array.
func (c *column) fillList(n int) error {
	s := c.list
	out := &s.lists
	t := c.field.columnType()
	out.reset(t, n)
	for s.open || out.rows < n && (out.rows == 0 || len(out.data) < batchBytes) {
		if s.at == s.n {
			more, err := c.moreLevels()
			if err != nil {
				return err
			}
			if !more {
				c.endList(out)
				return nil
			}
		}
		if err := c.take(out, n); err != nil {
			return err
		}
	}
	return nil
}

// moreLevels reads the next levels of the page, or of the next page, and the values that
// belong to them.
func (c *column) moreLevels() (bool, error) {
	s := c.list
	for c.inPage == 0 {
		if ok, err := c.nextPage(); err != nil || !ok {
			return false, err
		}
	}
	k := min(levelStep, c.inPage, c.step())
	if s.reps == nil {
		s.reps, s.defs = make([]uint8, levelStep), make([]uint8, levelStep)
	}
	if !readHybrid(&c.reps, s.reps[:k]) || !readHybrid(&c.defs, s.defs[:k]) {
		return false, c.damaged("its levels end too early")
	}
	present := 0
	for i, d := range s.defs[:k] {
		if int(d) > c.field.maxDef || s.reps[i] > 1 {
			return false, c.damaged("it has levels that its schema does not have")
		}
		if int(d) == c.field.maxDef {
			present++
		}
	}
	c.out.reset(c.typ, present)
	bitmap.Set(c.out.valid, 0, present)
	if err := c.values(0, present); err != nil {
		return false, err
	}
	c.out.rows = present
	c.inPage -= k
	s.at, s.n, s.value = 0, k, 0
	return true, nil
}

// take goes through the levels that are there, until out has n lists or is long.
func (c *column) take(out *batch, n int) error {
	s := c.list
	f := c.field
	elements := c.out.vec(c.typ)
	for s.at < s.n {
		def := int(s.defs[s.at])
		if s.reps[s.at] == 0 {
			if s.open {
				c.endList(out)
				if out.rows == n || len(out.data) >= batchBytes {
					return nil
				}
			}
			s.open, s.some, s.null, s.bad = true, false, def < f.listDef, false
			if !s.null {
				out.data = append(out.data, '{')
			}
		} else if !s.open || !s.some || s.null {
			return c.damaged("a list goes on that has not begun")
		}
		s.at++
		if def <= f.listDef {
			if def < f.listDef || !s.some {
				continue // no list, or an empty one
			}
			return c.damaged("an empty list has elements")
		}
		if len(out.data) > maxBatchBytes/2 {
			return pgerr.New(pgerr.ProgramLimitExceeded, "an array of column \"%s\" exceeds 1 GiB", f.name)
		}
		if s.some {
			out.data = append(out.data, ',')
		}
		s.some = true
		if def < f.maxDef {
			out.data = append(out.data, "NULL"...)
			continue
		}
		if _, is := slices.BinarySearch(c.out.bad, int32(s.value)); is {
			s.bad = true
		} else {
			c.scratch = elements.AppendText(c.scratch[:0], s.value, c.location)
			out.data = pgtext.AppendArrayElement(out.data, c.scratch)
		}
		s.value++
	}
	return nil
}

// endList ends the list that is open, if one is.
func (c *column) endList(out *batch) {
	s := c.list
	if !s.open {
		return
	}
	s.open = false
	if s.null {
		out.nulls = true
	} else {
		out.data = append(out.data, '}')
		bitmap.Set(out.valid, out.rows, 1)
		if s.bad {
			out.bad = append(out.bad, int32(out.rows))
		}
	}
	out.rows++
	out.offsets[out.rows] = int32(len(out.data))
}
