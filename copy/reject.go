package copy

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// rejected is a value that its column's type does not take.
type rejected struct {
	row    int64 // of the COPY
	file   string
	line   int64
	offset int64
	placed bool // offset is known, and the record's text
	column string
	value  string
	why    string
	record string // if there is a table of rejects

	unlinked bool // an edge whose end is not there: the value is the end's key
}

// sifted is what the workers of one COPY have left out.
type sifted struct {
	skipped  atomic.Int64 // by ON_ERROR ignore
	nulled   atomic.Int64 // records of which ON_ERROR set_null changed values
	excluded atomic.Int64 // by WHERE
	unlinked int64        // edges with a missing end, by ON_ERROR ignore

	mu       sync.Mutex
	worst    rejectHeap
	filled   []filled // in order once it is asked
	rejects  []rejected
	gathered bool
}

// filled is what became of the records of one fragment.
type filled struct {
	fragment int
	row      int64 // of the COPY, the first record
	records  int
	rows     int
	holes    []uint64 // records that are no rows; empty if all are
}

// rejectHeap has the smallest rejected records, one more than REJECT_LIMIT at most, the
// greatest of them first.
type rejectHeap []rejected

func (h rejectHeap) Len() int           { return len(h) }
func (h rejectHeap) Less(i, j int) bool { return h[i].row > h[j].row }
func (h rejectHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rejectHeap) Push(x any)        { *h = append(*h, x.(rejected)) }

// Pop removes the last element.
func (h *rejectHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// siftedMark is how far the accounts were before an attempt.
type siftedMark struct {
	skipped, nulled, excluded int64
	worst                     []rejected
	filled                    int
	rejects                   []int // by worker
}

func (s *sifted) mark(pool []*worker) siftedMark {
	m := siftedMark{skipped: s.skipped.Load(), nulled: s.nulled.Load(), excluded: s.excluded.Load(), worst: slices.Clone(s.worst), filled: len(s.filled)}
	for _, w := range pool {
		m.rejects = append(m.rejects, len(w.rejects))
	}
	return m
}

// restore forgets what was accounted for since m, before another attempt.
func (s *sifted) restore(m siftedMark, pool []*worker) {
	s.skipped.Store(m.skipped)
	s.nulled.Store(m.nulled)
	s.excluded.Store(m.excluded)
	s.worst, s.filled = slices.Clone(m.worst), s.filled[:m.filled]
	for i, w := range pool {
		n := 0
		if i < len(m.rejects) {
			n = m.rejects[i]
		}
		w.rejects = w.rejects[:n]
	}
}

// grows reports whether fragments are not taken at their full size from the start: a
// WHERE may leave next to nothing of them.
func (l *loader) grows() bool { return l.sh.filter != nil }

// capacity returns what to ask for a fragment that has rows rows at most.
func (l *loader) capacity(rows int) int {
	if l.grows() {
		return min(rows, 64)
	}
	return rows
}

// begin makes out the fragment that w fills.
func (w *worker) begin(out *columnar.FragmentWriter) {
	w.rows.out, w.bytes = out, 0
	w.holes, w.taken = w.holes[:0], 0
}

// advance tells the progress of one batch, once.
func (l *loader) advance(size, rows int64) {
	if l.again {
		return
	}
	if !l.recoded {
		l.env.Progress.BytesProcessed.Add(size)
	}
	l.env.Progress.TuplesProcessed.Add(rows)
}

// account adds up what the sieve did to the first n records of the worker's batch, and
// returns how many had a value that was not taken.
func (l *loader) account(w *worker, n int) (bad int) {
	v := w.rows.sieve
	for r := range n {
		bad += int(v.bad[r>>6] >> (r & 63) & 1)
	}
	if v.onError == ErrorIgnore {
		l.sifted.skipped.Add(int64(bad))
	} else {
		l.sifted.nulled.Add(int64(bad))
	}
	l.sifted.excluded.Add(v.excluded)
	if !l.again {
		l.env.Progress.TuplesExcluded.Add(v.excluded)
		if v.onError == ErrorIgnore {
			l.env.Progress.TuplesSkipped.Add(int64(bad))
		}
	}
	if l.keyed() && !v.all {
		w.punch(v.keep, n)
	}
	w.taken += n
	return bad
}

// tells reports whether each value that was not taken is told of by itself.
func (l *loader) tells() bool {
	return l.opt.Verbosity >= Verbose || l.opt.Rejects != "" || l.opt.RejectLimit > 0
}

// tell accounts for the first n records of the worker's batch, the first of which is row.
func (l *loader) tell(w *worker, s *span, row int64, n int) error {
	if bad := l.account(w, n); !l.tells() || bad == 0 && w.lines < 0 {
		return nil
	}
	return l.tellEach(w, s, row, n)
}

// punch notes which of the next n records of the fragment are no rows.
func (w *worker) punch(keep []uint64, n int) {
	for i := range n {
		if keep[i>>6]>>(i&63)&1 == 0 {
			k := w.taken + i
			for len(w.holes) <= k>>6 {
				w.holes = append(w.holes, 0)
			}
			w.holes[k>>6] |= 1 << (k & 63)
		}
	}
}

// tellEach tells the values that were not taken of the first n records of the batch.
func (l *loader) tellEach(w *worker, s *span, row int64, n int) error {
	d, v := &w.reader, w.rows.sieve
	at := d.offsetOf(0)
	if w.lines < 0 {
		var err error
		if w.lines, err = s.before(at); err != nil {
			return err
		}
	}
	for k, b := range v.bad[:(n+63)/64] {
		for ; b != 0; b &= b - 1 {
			i := k<<6 + bits.TrailingZeros64(b)
			if i >= n {
				break
			}
			start, end := d.offsetOf(i), d.offsetOf(i+1)
			w.lines += s.in.lines(d.slice(at, start))
			at = start
			record := Record{Bytes: d.slice(start, end), File: s.in.name, Line: s.in.lineAt(w.lines, row+int64(i)), Offset: s.offset + start}
			if err := l.reject(w, s.in, &record, row+int64(i)); err != nil {
				return err
			}
		}
	}
	w.lines += s.in.lines(d.slice(at, d.offsetOf(n)))
	return nil
}

// reject keeps what is to be told of a record whose values were not all taken.
func (l *loader) reject(w *worker, in *input, record *Record, row int64) error {
	told := func(e *Error) rejected {
		e = l.placed(e, record)
		r := rejected{row: row, file: e.File, line: e.Line, offset: e.ByteOffset, placed: e.HasOffset, column: e.Column, value: e.Value, why: e.Message}
		if l.opt.Rejects != "" {
			r.record = string(body(record.Bytes))
		}
		return r
	}
	if l.opt.OnError == ErrorSetNull {
		record.Forgiven = func(e *Error) { w.rejects = append(w.rejects, told(e)) }
	}
	var e *Error
	if in.layout.Scan != nil {
		e = in.layout.Scan.Explain(record)
	} else {
		var err error
		src := bytes.NewReader(record.Bytes)
		if e, err = in.layout.Walk.Explain(io.NewSectionReader(src, 0, src.Size()), record); err != nil {
			return err
		}
	}
	if e != nil && l.opt.OnError != ErrorSetNull {
		l.keep(w, told(e))
	}
	return nil
}

// keep keeps a rejected record.
func (l *loader) keep(w *worker, r rejected) {
	if l.opt.Verbosity == Verbose || l.opt.Rejects != "" {
		w.rejects = append(w.rejects, r)
	}
	if l.opt.RejectLimit > 0 {
		l.limit(r)
	}
}

// limit fails the record that is one too many, as far as is known.
func (l *loader) limit(r rejected) {
	q := &l.sifted
	q.mu.Lock()
	defer q.mu.Unlock()
	heap.Push(&q.worst, r)
	if int64(len(q.worst)) <= l.opt.RejectLimit {
		return
	}
	if int64(len(q.worst)) > l.opt.RejectLimit+1 {
		heap.Pop(&q.worst)
	}
	r = q.worst[0]
	l.failed.record(r.row, func() error {
		e := pgerr.New(pgerr.InvalidTextRepresentation, "skipped more than REJECT_LIMIT (%d) rows due to data type incompatibility", l.opt.RejectLimit)
		return e.At(l.sh.schema.Name, r.file, r.line, "")
	})
}

// note keeps what became of the records of fragment k, if keys may make it of interest.
func (l *loader) note(w *worker, k int, row int64, records, rows int) {
	if w.rows.sieve == nil || !l.keyed() {
		return
	}
	l.sifted.mu.Lock()
	defer l.sifted.mu.Unlock()
	l.sifted.filled = append(l.sifted.filled, filled{fragment: k, row: row, records: records, rows: rows, holes: slices.Clone(w.holes)})
}

// recordOf returns the record of the input that became the given row of the load.
func (l *loader) recordOf(row int64) int64 {
	list := l.sifted.filled
	if list == nil {
		return row
	}
	slices.SortFunc(list, func(a, b filled) int { return cmp.Compare(a.fragment, b.fragment) })
	for i := range list {
		f := &list[i]
		if row >= int64(f.rows) {
			row -= int64(f.rows)
			continue
		}
		if len(f.holes) == 0 {
			return f.row + row
		}
		return f.row + int64(sort.Search(f.records, func(k int) bool {
			return int64(k+1-countBelow(f.holes, k+1)) > row
		}))
	}
	return row
}

// countBelow returns the number of bits below n that are set.
func countBelow(words []uint64, n int) int {
	whole := min(n>>6, len(words))
	c := countBits(words[:whole])
	if n&63 != 0 && whole < len(words) {
		c += bits.OnesCount64(words[whole] & (1<<(n&63) - 1))
	}
	return c
}

// told returns the rejected values of all workers in the order of the input.
func (l *loader) told() []rejected {
	q := &l.sifted
	if !q.gathered {
		for _, w := range l.pool {
			q.rejects = append(q.rejects, w.rejects...)
		}
		slices.SortStableFunc(q.rejects, func(a, b rejected) int { return cmp.Compare(a.row, b.row) })
		q.gathered = true
	}
	return q.rejects
}

// notify gives the notices of the COPY, which has succeeded or not.
func (l *loader) notify(succeeded bool) {
	if l.env.Notice == nil || l.opt.Verbosity == Silent {
		return
	}
	what := "skipping row"
	if l.opt.OnError == ErrorSetNull {
		what = "setting to null"
	}
	if l.opt.Verbosity == Verbose {
		last := l.failed.row.Load()
		for _, r := range l.told() {
			switch {
			case r.row >= last:
			case r.unlinked:
				l.env.Notice(fmt.Sprintf("skipping row due to missing node at line %d for column \"%s\": \"%s\"", r.line, r.column, pgerr.Cut(r.value)))
			default:
				l.env.Notice(fmt.Sprintf("%s due to data type incompatibility at line %d for column \"%s\": \"%s\"", what, r.line, r.column, pgerr.Cut(r.value)))
			}
		}
	}
	if !succeeded {
		return
	}
	summary := func(n int64, one, many string) {
		switch {
		case n == 1:
			l.env.Notice(one)
		case n > 1:
			l.env.Notice(fmt.Sprintf(many, n))
		}
	}
	summary(l.result.Skipped-l.sifted.unlinked, "1 row was skipped due to data type incompatibility",
		"%d rows were skipped due to data type incompatibility")
	summary(l.sifted.unlinked, "1 row was skipped due to a missing node", "%d rows were skipped due to missing nodes")
	summary(l.result.SetNull, "in 1 row, columns were set to null due to data type incompatibility",
		"in %d rows, columns were set to null due to data type incompatibility")
	summary(l.result.Ignored, "1 row was skipped because its key was there", "%d rows were skipped because their keys were there")
	summary(l.result.Replaced, "1 row was replaced", "%d rows were replaced")
}

// rejectColumns is the table of rejects.
var rejectColumns = []columnar.Column{
	{Name: "file", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "line", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "byte_offset", Type: columnar.Type{Kind: columnar.Int8}},
	{Name: "column", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "error", Type: columnar.Type{Kind: columnar.Text}},
	{Name: "text", Type: columnar.Type{Kind: columnar.Text}},
}

// rejectTable returns the schema of the table of rejects, which is made if it is missing.
func (l *loader) rejectTable(txn *columnar.Txn) (*columnar.Schema, error) {
	name := l.opt.Rejects
	t, err := txn.Table(name)
	if pgerr.Code(err) == pgerr.UndefinedTable {
		if err = txn.CreateTable(&columnar.Schema{Name: name, Columns: slices.Clone(rejectColumns)}); err == nil {
			t, err = txn.Table(name)
		}
	}
	if err != nil {
		return nil, err
	}
	s := t.Schema()
	same := slices.EqualFunc(s.Columns, rejectColumns, func(a, b columnar.Column) bool { return a.Name == b.Name && a.Type == b.Type })
	if !same {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "table \"%s\" cannot take the rejects of a COPY", name).
			WithDetail("It must have the columns file text, line int8, byte_offset int8, \"column\" text, error text, text text.").
			WithHint("Name a table that does not exist yet, and it will be made.")
	}
	return s, nil
}

// appendRejects adds what was rejected to the table of rejects.
func (l *loader) appendRejects(txn *columnar.Txn) error {
	s, err := l.rejectTable(txn)
	list := l.told()
	if err != nil || len(list) == 0 {
		return err
	}
	load, err := l.store.NewLoad(l.ctx, columnar.LoadPlan{Schema: s})
	if err != nil {
		return err
	}
	defer load.Abort()
	for k := 0; len(list) > 0; k++ {
		n := min(len(list), 1<<14)
		out, err := load.Fragment(k, n)
		if err != nil {
			return err
		}
		for i := range list[:n] {
			r := &list[i]
			text := func(pos int, v string) {
				out.Cols[pos].SetValue(i, columnar.Value{Type: rejectColumns[pos].Type, S: v, Null: v == "" && (pos != 5 || !r.placed)})
			}
			number := func(pos int, v int64, known bool) {
				out.Cols[pos].SetValue(i, columnar.Value{Type: rejectColumns[pos].Type, I: v, Null: !known})
			}
			text(0, r.file)
			number(1, r.line, r.line > 0)
			number(2, r.offset, r.placed)
			text(3, r.column)
			text(4, r.why)
			text(5, r.record)
		}
		if err := out.Finish(n); err != nil {
			return err
		}
		list = list[n:]
	}
	_, err = txn.Append(l.ctx, s.Name, load)
	return err
}
