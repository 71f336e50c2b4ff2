package columnar

import (
	"context"
	"hash/crc32"

	"github.com/ingotdb/ingot/visibility"
)

// When a checkpoint writes runs.
const (
	foldEdges = 1 << 14 // edges in memory that are worth storing, rather than building again
	maxRuns   = 8       // that a table keeps: a search looks into each
)

// A runFold replaces consecutive runs of a rel table by one of the same edges.
type runFold struct {
	table *Table
	old   []*adjRun
	new   *adjRun
}

// runFolds returns which runs a checkpoint writes that also makes the given folds.
func runFolds(tables []*Table, folds []fold) []runFold {
	var out []runFold
	for _, t := range tables {
		if t.schema.Rel == nil {
			continue
		}
		from := mergeFrom(t.runs)
		alone := t.lonely(folds)
		for _, r := range t.runs[:from] {
			if alone[r.file] {
				out = append(out, runFold{table: t, old: []*adjRun{r}})
			}
		}
		if from < len(t.runs) {
			out = append(out, runFold{table: t, old: t.runs[from:]})
		}
	}
	for i := range out {
		for _, r := range out[i].old {
			r.folding.Store(true)
		}
	}
	return out
}

// mergeFrom returns the first of the runs that a checkpoint makes one of; len(runs) if
// none. Runs in memory are stored once they have foldEdges together; a run in front of
// what is merged joins in if it is not larger, or if there would be more than maxRuns. So
// runs grow geometrically, and an edge is written O(log n) times.
func mergeFrom(runs []*adjRun) int {
	memory, from := uint64(0), len(runs)
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].file == nil {
			memory += uint64(runs[i].count)
			from = i
		}
	}
	if memory < foldEdges {
		from = len(runs)
	}
	sum := uint64(0)
	for _, r := range runs[from:] {
		sum += uint64(r.count)
	}
	for from > 0 {
		left := from + b2i(from < len(runs))
		n := uint64(runs[from-1].count)
		if (left <= maxRuns && n > sum) || sum+n > 1<<31 {
			break
		}
		from--
		sum += n
	}
	if from == len(runs)-1 && runs[from].file != nil {
		return len(runs)
	}
	return from
}

// lonely returns the data files that lose their last fragment of the table by the folds, so
// that only a run would keep them.
func (t *Table) lonely(folds []fold) map[*dataFile]bool {
	left := map[*dataFile]int{}
	t.pieces(func(_ visibility.RowID, p piece) {
		if p.from == 0 && p.frag.file != nil {
			left[p.frag.file]++
		}
	})
	out := map[*dataFile]bool{}
	for i := range folds {
		if folds[i].table != t.schema.ID {
			continue
		}
		for _, f := range folds[i].old {
			if f.file == nil {
				continue
			}
			if left[f.file]--; left[f.file] == 0 {
				out[f.file] = true
			}
		}
	}
	return out
}

// write makes the fold's new run and writes it, without the edges that are deleted.
func (fo *runFold) write(ctx context.Context, w *chunkWriter, df *dataFile) error {
	first, last := fo.old[0], fo.old[len(fo.old)-1]
	r := memoryRun(first.first, uint32(last.end()-first.first), last.nodes)
	var a AdjacencyRun
	if err := fo.table.buildRun(ctx, r, &a, true); err != nil {
		return err
	}
	if fo.new = r; len(a.Forward.Neighbors) == 0 {
		return nil
	}
	r.file = df
	for i, c := range []*CSR{&a.Forward, &a.Backward} {
		d := dirOf(c)
		if err := w.direction(c, &d); err != nil {
			return err
		}
		r.dirs[i] = d
	}
	return nil
}

// direction writes one direction of a run and sets its place and checksum.
func (w *chunkWriter) direction(c *CSR, d *csrDir) error {
	n := d.size()
	if err := w.file.Allocate(w.at, n); err != nil {
		return diskError(err, n)
	}
	d.off, d.crc = w.at, w.seed
	for _, v := range [][]uint32{c.Neighbors, c.Edges, c.Offsets, c.Keys, c.Starts} {
		b := bytes32(v)
		if _, err := w.file.WriteAt(b, w.at); err != nil {
			return diskError(err, int64(len(b)))
		}
		var pad [chunkAlign]byte // what the file has between the arrays: zeros
		d.crc = crc32.Update(d.crc, castagnoli, b)
		d.crc = crc32.Update(d.crc, castagnoli, pad[:align(int64(len(b)))-int64(len(b))])
		w.at += align(int64(len(b)))
	}
	return nil
}

// foldRuns makes those run folds whose old runs the draft still has.
func (d *draft) foldRuns(folds []runFold) {
	for i := range folds {
		fo := &folds[i]
		slot := d.slotOf(fo.table.schema.ID)
		if slot < 0 {
			continue
		}
		t := *d.tables[slot]
		at := fo.at(t.runs)
		if at < 0 {
			continue
		}
		runs := append(t.runs[:at:at], fo.new)
		t.runs = append(runs, t.runs[at+len(fo.old):]...)
		for _, r := range fo.old {
			if r.file != nil {
				d.refs[r.file]--
			}
		}
		if fo.new.file != nil {
			d.refs[fo.new.file]++
		}
		d.set(slot, &t)
	}
}

// at returns where in runs the fold's old ones are; -1 if they are not.
func (fo *runFold) at(runs []*adjRun) int {
	for i := range runs {
		if runs[i] != fo.old[0] {
			continue
		}
		for k, r := range fo.old {
			if i+k == len(runs) || runs[i+k] != r {
				return -1
			}
		}
		return i
	}
	return -1
}

// unbuilt returns runs of which those in memory that nobody has wanted yet are others: a
// version that has given the values of deleted edges up must not be the one that builds
// a run for versions that have them.
func unbuilt(runs []*adjRun) []*adjRun {
	out := make([]*adjRun, len(runs))
	for i, r := range runs {
		if out[i] = r; r.file == nil && r.opened.Load() == nil {
			out[i] = memoryRun(r.first, r.count, r.nodes)
		}
	}
	return out
}
