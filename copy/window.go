package copy

import (
	"io"
	"math"
	"slices"
	"time"

	"github.com/ingotdb/ingot/columnar"
)

// Input that is larger than the memory limit is taken in windows: ranges of splits that are
// counted, reserved and converted before the next are counted, so that what is read
// twice is still in memory the second time. The records of a window are those that end
// in it; the first of them may begin before it. Each window is a load of its own, made
// durable when it is full, and all are appended by one transaction.

// mostWindowBytes is the most input of a window.
const mostWindowBytes = 1 << 30

// sealed is a load that is complete and durable.
type sealed struct {
	load *columnar.Load
	rows int64
}

// summing is where the sum over the splits stands: in which input, and behind its last split
// that was counted.
type summing struct {
	input  int
	split  int
	state  State
	lines  int64
	open   bool // behind the last record end there is more
	looked bool // a marker was looked at
	ended  bool // the input ended at one
}

// windowSplits returns the number of splits of a window.
func (l *loader) windowSplits() int {
	limit := l.env.MemoryLimit
	if l.walks() || limit <= 0 || l.bytes <= limit {
		return len(l.splits)
	}
	return int(max(1, min(mostWindowBytes, limit/4)/l.block))
}

// fromFiles converts regular files; l.inputs is opened and their prologues are read.
func (l *loader) fromFiles() error {
	l.result.Cardinality = l.class(Exact)
	l.most = workersFor(l.bytes, l.opt.Parallelism, l.env)
	l.workers, l.result.Workers = l.most, 1
	l.layOut()
	for {
		if err := l.window(); err != nil {
			return err
		}
		if l.counted == len(l.splits) {
			return nil
		}
		if err := l.seal(); err != nil {
			return err
		}
	}
}

// window counts and converts the next window.
func (l *loader) window() error {
	first, before := l.counted, l.rows
	if before > 0 {
		first = l.splitWithEnd(before - 1)
	}
	l.workers = l.most
	if err := l.countNext(l.windowSplits()); err != nil {
		return err
	}
	last := l.counted == len(l.splits)
	if last {
		if err := l.checkRows(); err != nil {
			return err
		}
		for _, in := range l.inputs {
			l.env.Progress.BytesProcessed.Add(in.size - in.end) // a trailer, or what nobody looks at
		}
	}
	l.span = min(l.bytes, int64(l.counted-first)*l.block)
	l.firstFragment = len(l.fragments)
	l.cut(before)
	if l.rows == before && (before > 0 || !last) {
		return l.verify(last)
	}
	l.slack = l.expansion(l.rows - before)
	l.again = false
	mark := l.sifted.mark(l.pool)
	for {
		l.grown.Store(0)
		l.next.Store(int64(l.firstFragment))
		err := l.attempt(before, last)
		grown := l.grown.Load()
		if err != nil || grown <= l.slack {
			return err
		}
		// Numbers such as 1e1000 took more bytes than were reserved. All were converted, so
		// now it is known how many.
		l.load.Abort()
		l.slack = grown
		l.again = true
		l.sifted.restore(mark, l.pool)
	}
}

// countNext counts and sums the next n splits.
func (l *loader) countNext(n int) error {
	from := l.counted
	l.counted = min(from+n, len(l.splits))
	if l.walks() {
		if err := l.walk(); err != nil {
			return err
		}
	}
	if l.scans() {
		if err := l.count(from, l.counted); err != nil {
			return err
		}
	}
	if err := l.sum(); err != nil {
		return err
	}
	l.counted = max(l.counted, l.sums.split) // an end-of-copy marker makes the rest of an input nothing
	return nil
}

// layOut gives every input its splits.
func (l *loader) layOut() {
	total := 0
	for _, in := range l.inputs {
		in.firstSplit, in.splits = total, splitsOf(in, l.block)
		in.firstRow = math.MaxInt64 / 2 // behind everything until it is counted
		total += in.splits
	}
	l.splits = make([]split, total)
}

// sum gives every split that was counted its start state and the rows and lines before it,
// and every input its rows. Where text has an end-of-copy marker the input ends.
func (l *loader) sum() error {
	z := &l.sums
	for ; z.input < len(l.inputs); z.input++ {
		in := l.inputs[z.input]
		if !in.begun {
			in.begun, in.firstRow = true, l.rows
			*z = summing{input: z.input, split: in.firstSplit, lines: in.layout.Lines}
		}
		end := in.firstSplit + in.splits
		if in.layout.Walk != nil {
			for i := range in.splits {
				l.splits[in.firstSplit+i].rows += l.rows
			}
			l.rows += in.rows
			z.split, in.known, in.whole = end, splitsOf(in, l.block), true
			continue
		}
		for ; z.split < min(end, l.counted) && !z.ended; z.split++ {
			if err := l.sumSplit(in, z); err != nil {
				return err
			}
		}
		if z.ended {
			z.split = end
		}
		in.rows = l.rows - in.firstRow
		if z.split < end {
			return nil
		}
		in.known = min(in.known, splitsOf(in, l.block))
		if in.whole = true; in.splits > 0 && !z.ended && z.open {
			in.rows++ // the last record has no end
			l.rows++
		}
	}
	return nil
}

// sumSplit adds the next split of in.
func (l *loader) sumSplit(in *input, z *summing) error {
	i := z.split - in.firstSplit
	s := &l.splits[z.split]
	s.state, s.rows, s.lines = z.state, l.rows, z.lines
	in.known = i + 1
	if s.Mark[z.state] && !z.looked {
		z.looked = true // the record with another one fails
		w := l.pool[0]
		defer w.close()
		if err := l.endIn(w, in, i, z.state); err != nil {
			return err
		}
		if z.ended = in.end < in.size; z.ended && splitsOf(in, l.block) <= i {
			return nil
		}
	}
	l.rows += s.Ends[z.state]
	z.lines += s.Lines
	z.open = s.Open[z.state]
	z.state = s.Next[z.state]
	return nil
}

// endIn asks the format for the end of in, which something in split i, which starts in state
// s, may be. If it is, so does the split end, whose tally is made anew.
func (l *loader) endIn(w *worker, in *input, i int, s State) error {
	ender, is := in.layout.Scan.(Ender)
	if !is {
		return nil
	}
	src, err := w.source(in)
	if err != nil {
		return err
	}
	off := in.start + int64(i)*l.block
	end, err := ender.End(src, in.start, off, min(off+l.block, in.size), in.size, s)
	if err != nil {
		return readError(err, in.name)
	}
	if end < 0 {
		return nil
	}
	in.end = end
	t := &l.splits[in.firstSplit+i].Tally
	if *t = EmptyTally(); end > off {
		b := make([]byte, end-off)
		if _, err := io.ReadFull(io.NewSectionReader(src, off, end-off), b); err != nil {
			return readError(err, in.name)
		}
		*t = in.layout.Scan.Count(b, off-in.start)
	}
	return nil
}

// walks reports whether there is an input whose records are found one after the other.
func (l *loader) walks() bool {
	return slices.ContainsFunc(l.inputs, func(in *input) bool { return in.layout.Walk != nil })
}

// scans reports whether there is one whose record ends show.
func (l *loader) scans() bool {
	return slices.ContainsFunc(l.inputs, func(in *input) bool { return in.layout.Scan != nil })
}

// expansion returns what the format guesses that so many rows of the window take more than
// their records.
func (l *loader) expansion(rows int64) int64 {
	if x, is := l.sh.records.(Expander); is {
		return max(0, x.Expansion(rows, l.span))
	}
	return 0
}

// attempt reserves space for the rows from before on and converts them into it; last says
// that they are the last.
func (l *loader) attempt(before int64, last bool) error {
	fragments := l.fragments[l.firstFragment:]
	plan := columnar.LoadPlan{}
	if l.grows() {
		l.slack = math.MaxInt64
	} else {
		plan.Fragments, plan.VarBytes = make([]int, len(fragments)), l.varBytes(l.rows-before)
		for i := range fragments {
			plan.Fragments[i] = fragments[i].rows
		}
	}
	var err error
	if l.load, err = l.newLoad(plan); err != nil {
		return err
	}
	l.mapped = !l.grows() && !l.load.Stats().Inline
	l.workers = min(l.most, max(1, len(fragments)))
	l.result.Workers = max(l.workers, l.result.Workers)
	if err = l.run(StageConvert, l.convertFragments); err == nil {
		err = l.failed.err
	}
	if changed := l.verify(last && err == nil); changed != nil {
		return changed
	}
	return err
}

// class returns what is known of the number of rows that are stored if c is what is known
// of the number of records.
func (l *loader) class(c Cardinality) Cardinality {
	if c == Exact && (l.sh.filter != nil || l.opt.OnError == ErrorIgnore || l.opt.OnConflict != columnar.ConflictError) {
		return AtMost
	}
	return c
}

// seal makes the rows of the present load durable, though not part of the table.
func (l *loader) seal() error {
	if l.load == nil {
		return nil
	}
	start := time.Now()
	err := l.load.Sync(l.ctx)
	edges := l.load.Stats().EdgesNS
	l.result.Stages[StageIndex].NS += edges
	l.result.Stages[StageSync].NS += int64(time.Since(start)) - edges
	before := l.sealed
	l.loads = append(l.loads, sealed{l.load, l.stored() - before})
	l.load, l.sealed = nil, l.stored()
	return l.missing(err, before)
}
