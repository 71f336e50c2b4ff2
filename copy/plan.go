package copy

import (
	"io"
	"runtime"
	"sort"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
)

// split is a piece of an input of the block size, counted without knowing what came
// before it; the fields behind the tally are then summed up from the left.
type split struct {
	Tally
	state  State // of its first byte
	anchor int64 // of an input that is walked: where the last record ends that ends before it, or the first begins
	rows   int64 // of the COPY that ended before it
	lines  int64 // line breaks of its input before it
}

// piece is the part of a fragment that comes from one input. start and end are filled in
// by the worker that converted it; together the pieces of an input must be all of it.
type piece struct {
	in         *input
	row        int64 // first row, in the COPY
	rows       int
	start, end int64
}

// fragmentPlan is the rows of one fragment.
type fragmentPlan struct {
	row  int64
	rows int
	from []piece
}

// limit returns the most goroutines that may work, o being what the statement asks for, 0
// for nothing.
func (e *Env) limit(o int) int {
	limit := e.MaxWorkers
	if limit <= 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	if o > 0 {
		limit = min(limit, o)
	}
	return limit
}

// workersFor returns how many goroutines work on n bytes: no more than asked for, and
// no more than the bytes justify.
func workersFor(n int64, o int, e *Env) int {
	limit := e.limit(o)
	if n <= e.small() {
		return 1
	}
	by := int64(workerBytes)
	if e.smallBytes != 0 {
		by = max(1, min(by, n/int64(limit)))
	}
	return max(1, min(limit, int(n/by)))
}

// splitsOf returns the number of splits of in.
func splitsOf(in *input, block int64) int { return int((in.end - in.start + block - 1) / block) }

// countTask is the least work that a goroutine takes at once in the count.
const countTask = 1 << 20

// count fills the tallies of the splits first to total-1, in parallel.
func (l *loader) count(first, total int) error {
	perTask := int(max(1, countTask/l.block))
	var next atomic.Int64
	next.Store(int64(first))
	return l.run(StageSplit, func(w *worker) error {
		for {
			first := int(next.Add(int64(perTask))) - perTask
			if first >= total {
				return nil
			}
			if err := l.ctx.Err(); err != nil {
				return err
			}
			if err := l.countSplits(w, first, min(first+perTask, total)); err != nil {
				return err
			}
		}
	})
}

// inputOf returns the input that split i belongs to.
func (l *loader) inputOf(i int) *input {
	k := sort.Search(len(l.inputs), func(k int) bool { return l.inputs[k].firstSplit > i }) - 1
	return l.inputs[k]
}

// countBytes is what a count reads at a time.
const countBytes = 256 << 10

// countSplits counts splits first to end-1.
func (l *loader) countSplits(w *worker, first, end int) error {
	for i := first; i < end; {
		in := l.inputOf(i)
		stop := min(end, in.firstSplit+splitsOf(in, l.block))
		if in.layout.Walk != nil {
			i = stop
			continue
		}
		off := in.start + int64(i-in.firstSplit)*l.block
		last := min(in.start+int64(stop-in.firstSplit)*l.block, in.size)
		for ; i < stop; i++ {
			l.splits[i].Tally = EmptyTally()
		}
		if in.mem != nil {
			l.countBlock(in, off, in.mem[off:last])
			continue
		}
		src, err := w.open(in)
		if err != nil {
			return err
		}
		for off < last {
			if len(w.count) < countBytes {
				w.count = make([]byte, countBytes)
			}
			b := w.count[:min(countBytes, last-off)]
			w.clock.enter(StageRead)
			if _, err := io.ReadFull(io.NewSectionReader(src, off, int64(len(b))), b); err != nil {
				return readError(err, in.name)
			}
			w.clock.bytes[StageRead] += int64(len(b))
			w.clock.enter(StageSplit)
			w.clock.bytes[StageSplit] += int64(len(b))
			l.countBlock(in, off, b)
			off += int64(len(b))
		}
	}
	return nil
}

// countBlock adds b, which stands at off, to the tallies of its splits.
func (l *loader) countBlock(in *input, off int64, b []byte) {
	for len(b) > 0 {
		i := (off - in.start) / l.block
		n := min(int64(len(b)), in.start+(i+1)*l.block-off)
		s := &l.splits[in.firstSplit+int(i)]
		s.Tally = s.Then(in.layout.Scan.Count(b[:n], off-in.start))
		b = b[n:]
		off += n
	}
}

// Every worker keeps the string bytes of its fragment in memory until the fragment closes.
// textBytes is about how much of that there is, at least leastTextBytes for each.
const (
	textBytes      = 64 << 20
	leastTextBytes = 1 << 20
)

// cut divides the rows from first on into fragments.
//
// A fragment has at most columnar.MaxFragmentRows rows and about
// columnar.FragmentBytes of values, on a multiple of 64 rows where records are short
// enough. A small input is cut finer, so that every worker has one, and so is text where
// many workers hold some.
func (l *loader) cut(first int64) {
	rows := l.rows - first
	perRow := int64(l.sh.schema.RowBytes())
	if l.sh.variable && rows > 0 {
		perRow += l.span / rows
	}
	size := int64(columnar.FragmentBytes)
	if l.sh.variable {
		size = max(min(size, textBytes/int64(l.workers)), leastTextBytes)
	}
	most := max(64, size/max(1, perRow)&^63)
	most = min(most, columnar.MaxFragmentRows)
	if each := (rows + int64(l.workers) - 1) / int64(l.workers); each < most {
		most = max(64, (each+63)&^63)
	}
	for row := first; row < l.rows; {
		n := min(most, l.rows-row)
		n = l.shorten(row, n)
		f := fragmentPlan{row: row, rows: int(n)}
		for left := n; left > 0; {
			in := l.inputWithRow(row)
			k := min(left, in.firstRow+in.rows-row)
			f.from = append(f.from, piece{in: in, row: row, rows: int(k)})
			row += k
			left -= k
		}
		l.fragments = append(l.fragments, f)
	}
}

// shorten returns how many of the n rows from row on make a fragment, so that their input
// is not much longer than a fragment should be.
func (l *loader) shorten(row, n int64) int64 {
	const most = 2 * columnar.FragmentBytes
	if !l.sh.variable || l.spread(row, n) <= most {
		return n
	}
	less := sort.Search(int(n-1), func(k int) bool { return l.spread(row, int64(k)+1) > most })
	if less >= 64 {
		return int64(less) &^ 63
	}
	return int64(max(less, 1))
}

// spread returns about how many bytes n rows from row on take in the input: exact to two
// splits per input.
func (l *loader) spread(row, n int64) int64 {
	return int64(l.splitWithEnd(row+n-1)-l.splitWithEnd(row)) * l.block
}

// inputWithRow returns the input that holds row.
func (l *loader) inputWithRow(row int64) *input {
	k := sort.Search(len(l.inputs), func(k int) bool {
		in := l.inputs[k]
		return in.firstRow+in.rows > row
	})
	return l.inputs[k]
}

// splitWithEnd returns the split that the end of row is in.
func (l *loader) splitWithEnd(row int64) int {
	in := l.inputWithRow(row)
	k := sort.Search(in.known-1, func(k int) bool { return l.splits[in.firstSplit+k+1].rows > row })
	return in.firstSplit + k
}
