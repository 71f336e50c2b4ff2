package copy

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// Containers. Their parts are put together to tasks, each of which has the rows of a fragment
// at least where there are as many; a task belongs to one goroutine, and its fragments to it.
// If all parts of all inputs say their rows before they are read, tasks and fragments are
// planned first and everything is reserved at once. Otherwise the calling goroutine asks
// for one part after the other and hands tasks on.

// content is an open container.
type content struct {
	Container
	name    string
	info    fs.FileInfo // nil for a stream
	file    *os.File
	counted *countedReader // of a stream, or what is read into memory
	told    atomic.Int64   // bytes that the progress knows of, of a file
	rest    *inflated      // of a compressed stream: what the format has not read; nil otherwise
	sh      *shape         // as far as this input fills it
}

// task is consecutive parts.
type task struct {
	parts    []taskPart
	row      int64 // of the COPY, the first
	rows     int64
	varBytes int64 // -1: unknown
	fragment int   // index of the first
	most     int   // rows of a fragment
}

// taskPart is a part, and where it stands.
type taskPart struct {
	Part
	of    *content
	row   int64 // of the input, the first
	rows  int64
	bytes int64 // of the input, for the progress
}

// fromContainers stores the rows of files, or of a stream.
func (l *loader) fromContainers(src *Source) error {
	list, err := l.openContainers(src)
	defer func() {
		for _, c := range list {
			c.close()
		}
	}()
	if err != nil {
		return err
	}
	exact := true
	for _, c := range list {
		class, _ := c.Rows()
		exact = exact && class == Exact
	}
	if exact {
		l.result.Cardinality = l.class(Exact)
		err = l.planned(list)
	} else {
		err = l.unplanned(list)
	}
	if l.failed.err != nil {
		return l.failed.err
	}
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := c.drain(); err != nil {
			return err
		}
		if err := l.unchanged(c); err != nil {
			return err
		}
		if c.counted != nil {
			l.bytes += c.counted.n
		} else {
			l.env.Progress.BytesProcessed.Add(c.info.Size() - c.told.Load())
		}
	}
	return l.checkRows()
}

// close closes everything of c.
func (c *content) close() {
	if c.Container != nil {
		c.Container.Close() // it was only read
	}
	if c.rest != nil {
		c.rest.Close()
	}
	if c.file != nil {
		c.file.Close()
	}
}

// drain reads a compressed stream to its end. A format that is told by its bytes where they
// end, as Arrow is, reads no further, but the checksum comes behind everything.
func (c *content) drain() error {
	if c.rest == nil {
		return nil
	}
	_, err := io.Copy(io.Discard, c.rest)
	return inFile(err, c.name)
}

// unchanged returns an error if the file of c was written to while it was read. A named pipe
// always is.
func (l *loader) unchanged(c *content) error {
	if c.info == nil || c.file == nil || !c.info.Mode().IsRegular() {
		return nil
	}
	info, err := c.file.Stat()
	if err != nil {
		return fileError(err, "could not stat file", c.name)
	}
	if in := (&input{info: c.info, size: c.info.Size()}); !in.same(info) {
		return errChanged(c.name)
	}
	return nil
}

// openContainers opens the inputs of src and matches their columns. What it returns is to be
// closed whatever the error.
func (l *loader) openContainers(src *Source) (list []*content, err error) {
	open := func(c *content, in *Input) error {
		list = append(list, c)
		var err error
		if c.Container, err = l.opt.container.Open(l.ctx, in); err != nil {
			return inFile(err, c.name)
		}
		return inFile(l.match(c), c.name)
	}
	if src.reader != nil {
		c := &content{name: src.name}
		in, err := l.containerStream(c, src.reader, nil)
		if err != nil {
			return list, err
		}
		return list, open(c, in)
	}
	names, err := l.env.Files.expand(src.paths)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		c := &content{name: name}
		if c.file, c.info, err = l.env.Files.open(l.ctx, name); err != nil {
			return list, err
		}
		in := &Input{Name: name, At: c.file, Size: c.info.Size()}
		if kind, must := mustStream(c.file, c.info); must {
			if in, err = l.containerStream(c, c.file, kind); err != nil {
				c.close()
				return list, err
			}
		} else {
			l.bytes += c.info.Size()
			l.env.Progress.BytesTotal.Add(c.info.Size())
		}
		if err := open(c, in); err != nil {
			return list, err
		}
	}
	return list, nil
}

// inFile gives an error of a format the name of its file.
func inFile(err error, name string) error {
	if err == nil {
		return nil
	}
	err = fileError(err, "could not read from file", name)
	if e, is := err.(*Error); is && e.File == "" {
		e.File = name
	}
	return err
}

// containerStream returns the input of what r reads, decompressed if kind is not nil: as a
// stream if the format takes one, else in memory.
func (l *loader) containerStream(c *content, r io.Reader, kind *compression) (*Input, error) {
	c.counted = &countedReader{r: r, progress: l.env.Progress}
	r = c.counted
	if kind != nil {
		var err error
		if c.rest, err = newInflated(c.counted, kind, c.name); err != nil {
			return nil, err
		}
		r = c.rest
	}
	if l.opt.container.Streams() {
		return &Input{Name: c.name, Stream: r}, nil
	}
	var b bytes.Buffer
	limit := l.env.MemoryLimit
	if limit <= 0 {
		limit = 1 << 62
	}
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fileError(err, "could not read from", c.name)
	}
	if n > limit {
		return nil, pgerr.New(pgerr.OutOfMemory, "\"%s\" does not fit the memory limit of %d bytes", c.name, limit).
			WithHint("A file of this format must be read at any place: decompress it into a file.").In(c.name)
	}
	return &Input{Name: c.name, At: bytes.NewReader(b.Bytes()), Size: n}, nil
}

// match finds the columns of the COPY among those of c. What the input lacks has its default
// unless the statement names it.
func (l *loader) match(c *content) error {
	has, named := c.Columns(), l.sh.format.Named
	if p, is := l.opt.container.(Positional); is && p.ByPosition() {
		named = false
	}
	sh := *l.sh
	c.sh = &sh
	b := *l.sh.binding
	sh.binding, b.Columns, b.Where = &b, nil, nil
	from := []int{}
	index := make([]int, len(l.sh.fields)) // of a field in b
	for i := range l.sh.fields {
		f := &l.sh.fields[i]
		k := i
		if named {
			is := func(h ContainerColumn) bool { return h.Name == f.Name }
			if k = slices.IndexFunc(has, is); k >= 0 && slices.ContainsFunc(has[k+1:], is) {
				return pgerr.New(pgerr.AmbiguousColumn, "\"%s\" has more than one column \"%s\"", c.name, f.Name)
			}
		}
		if k < 0 || k >= len(has) {
			if l.sh.explicit || !named {
				return errLacks(c.name, f.Name, has)
			}
			sh.consts = append(slices.Clip(sh.consts), newConstant(l.sh.schema, l.sh.defaults, f.Pos))
			index[i] = -1
			continue
		}
		if has[k].Type == (columnar.Type{}) {
			return pgerr.New(pgerr.FeatureNotSupported, "column \"%s\" has the type %s, which is not supported", has[k].Name, has[k].Says)
		}
		index[i] = len(from)
		from = append(from, k)
		b.Columns = append(b.Columns, *f)
	}
	if len(from) == 0 && len(l.sh.fields) > 0 {
		return errLacks(c.name, l.sh.fields[0].Name, has)
	}
	if !named && len(has) > len(from) {
		return pgerr.New(pgerr.DatatypeMismatch, "\"%s\" has %d columns and the COPY fills %d", c.name, len(has), len(from))
	}
	for _, p := range l.sh.binding.Where {
		if p.Column = index[p.Column]; p.Column >= 0 {
			b.Where = append(b.Where, p)
		}
	}
	sh.fields = b.Columns
	return c.Bind(&b, from)
}

// errLacks is the error for a column that an input does not have.
func errLacks(file, name string, has []ContainerColumn) *Error {
	var names []string
	for i := range has[:min(10, len(has))] {
		names = append(names, has[i].Name)
	}
	return pgerr.New(pgerr.UndefinedColumn, "\"%s\" has no column \"%s\"", file, name).
		WithHint("Its columns begin with: %s.", strings.Join(names, ", "))
}

// maxClaim is how many rows the parts of a COPY may say they have. It is more than a disk
// holds, and few enough to be planned for.
const maxClaim = 1 << 40

// believable returns an error if a part of c says more rows than can be, behind those before.
func (c *content) believable(before, rows int64) error {
	if rows <= maxClaim-before {
		return nil
	}
	return pgerr.New(pgerr.ProgramLimitExceeded, "a part of \"%s\" says that it has %d rows", c.name, rows).In(c.name)
}

// planned stores containers whose parts all say their rows before they are read.
func (l *loader) planned(list []*content) error {
	var parts []taskPart
	total := int64(0)
	for _, c := range list {
		l.begins(c, total)
		row, first := int64(0), len(parts)
		for p, err := range c.Parts() {
			if err != nil {
				return inFile(err, c.name)
			}
			rows, _ := p.Size()
			if rows < 0 {
				return errInternal("a part of \"%s\" does not say its rows", c.name)
			}
			if err := c.believable(total+row, rows); err != nil {
				return err
			}
			parts = append(parts, taskPart{Part: p, of: c, row: row, rows: rows})
			row += rows
		}
		if c.counted == nil {
			share(parts[first:], row, c.info.Size())
		}
		total += row
	}
	l.most = workersFor(l.bytes, l.opt.Parallelism, l.env)
	most := int64(l.fragmentRows())
	if each := (total + int64(l.most) - 1) / int64(l.most); l.most > 1 && each < most {
		most = max(64, each)
	}
	tasks := cutTasks(parts, most)
	plan := columnar.LoadPlan{}
	varBytes := int64(0)
	for i := range tasks {
		t := &tasks[i]
		t.number(i)
		t.most = l.fragmentRows()
		if varBytes >= 0 {
			varBytes += t.varBytes
		}
		if t.varBytes < 0 {
			varBytes = -1
		}
	}
	exact := !l.grows() && (!l.variable() || varBytes >= 0)
	if exact {
		plan.Fragments, plan.VarBytes = []int{}, l.constBytes(list, total)+max(varBytes, 0)
		for i := range tasks {
			t := &tasks[i]
			t.fragment, t.most = len(plan.Fragments), rowsWithin(l.sh.schema, t.rows, t.varBytes)
			plan.Fragments = append(plan.Fragments, planRows(t.rows, t.most)...)
		}
	}
	var err error
	if l.load, err = l.newLoad(plan); err != nil {
		return err
	}
	l.workers = max(1, min(l.most, len(tasks)))
	l.result.Workers = l.workers
	var next atomic.Int64
	err = l.run(StageConvert, func(w *worker) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(tasks) || l.failed.row.Load() < tasks[k].row {
				return nil
			}
			if err := l.perform(w, &tasks[k], exact); err != nil {
				next.Store(int64(len(tasks)))
				return ignoreStop(err)
			}
		}
	})
	l.rows = total
	return err
}

// begins notes that the rows of c begin with the given one of the COPY, for errors that are
// found when all rows are there.
func (l *loader) begins(c *content, row int64) {
	if l.keyed() {
		l.stretches = append(l.stretches, stretch{file: c.name, row: row})
	}
}

// ignoreStop returns err unless it says that a row has failed.
func ignoreStop(err error) error {
	if err == errStopped {
		return nil
	}
	return err
}

// share gives each part its share of the bytes of its input.
func share(parts []taskPart, rows, bytes int64) {
	for i := range parts {
		n := bytes
		if rows > 0 && i < len(parts)-1 {
			n = int64(float64(bytes) * (float64(parts[i].rows) / float64(rows)))
		}
		n = min(n, bytes)
		parts[i].bytes = n
		bytes -= n
		rows -= parts[i].rows
	}
}

// constBytes returns the bytes of strings in the columns that an input does not fill.
func (l *loader) constBytes(list []*content, rows int64) (n int64) {
	for _, c := range list {
		most := int64(0)
		for i := range c.sh.consts {
			if k := &c.sh.consts[i]; k.value.Type.Variable() {
				most += int64(len(k.value.S))
			}
		}
		n = max(n, most*rows)
	}
	return n
}

// cutTasks puts parts together to tasks of most rows or little more.
func cutTasks(parts []taskPart, most int64) (tasks []task) {
	row := int64(0)
	for len(parts) > 0 {
		t := task{row: row}
		for len(parts) > 0 && (len(t.parts) == 0 || t.rows < most) {
			t.add(parts[0])
			parts = parts[1:]
		}
		row += t.rows
		tasks = append(tasks, t)
	}
	return tasks
}

// add adds a part to t.
func (t *task) add(p taskPart) {
	_, n := p.Size()
	if t.parts = append(t.parts, p); n < 0 {
		t.varBytes = -1
	} else if t.varBytes >= 0 {
		t.varBytes += n
	}
	t.rows += p.rows
}

// taskFragments is how many fragments a task without a plan may have: how many it gets, the
// length of its strings and its WHERE decide.
const taskFragments = 1 << 20

// number gives t, the i-th task, indexes of its own for its fragments.
func (t *task) number(i int) { t.fragment = i * taskFragments }

// rowsWithin returns the rows of a fragment where so many rows have so many bytes of strings.
func rowsWithin(s *columnar.Schema, rows, varBytes int64) int {
	each := int64(s.RowBytes()) + max(varBytes, 0)/max(1, rows)
	return min(fragmentRows(s), max(64, int(columnar.FragmentBytes/max(1, each)&^63)))
}

// perform stores the rows of t. exact says that its fragments are planned.
func (l *loader) perform(w *worker, t *task, exact bool) error {
	g := &gatherer{l: l, w: w, most: t.most, open: l.capacity(int(min(max(t.rows, 1), int64(t.most)))), first: t.fragment, row: t.row}
	if exact {
		g.plan = planRows(t.rows, g.most)
	}
	for i := range t.parts {
		p := &t.parts[i]
		if err := l.readPart(g, p); err != nil {
			return err
		}
	}
	return g.close()
}

// readPart stores the rows of p.
func (l *loader) readPart(g *gatherer, p *taskPart) error {
	g.w.rows.sh = p.of.sh
	s := &Sink{g: g, of: p.of, row: p.row}
	g.place = func(row int64, e *Error) { s.placed(row-g.row, e) }
	before := g.rows
	g.w.clock.enter(StageRead)
	err := p.Read(l.ctx, s)
	g.w.clock.enter(StageConvert)
	if err == nil && p.rows >= 0 && g.rows-before != p.rows {
		err = pgerr.New(pgerr.DataCorrupted, "a part of \"%s\" has %d rows, and %d were expected", p.of.name, g.rows-before, p.rows)
	}
	if err != nil && err != errStopped {
		l.failed.record(g.row, func() error { return inFile(err, p.of.name) })
		err = errStopped
	}
	p.of.told.Add(p.bytes)
	l.env.Progress.BytesProcessed.Add(p.bytes)
	return err
}

// partLeader asks containers for their parts one after the other and hands tasks on to
// workers, of which it starts one when a task has nobody to take it.
type partLeader struct {
	l       *loader
	ctx     context.Context
	cancel  context.CancelCauseFunc
	work    chan *task
	wg      sync.WaitGroup
	started int

	next  task // that is being put together
	tasks int  // that were handed on
	alone *gatherer
}

// unplanned stores containers that tell their parts one after the other.
func (l *loader) unplanned(list []*content) error {
	var err error
	if l.load, err = l.newLoad(columnar.LoadPlan{}); err != nil {
		return err
	}
	d := &partLeader{l: l, work: make(chan *task)}
	d.ctx, d.cancel = context.WithCancelCause(l.ctx)
	defer d.cancel(nil)
	l.workers = workersFor(1<<62, l.opt.Parallelism, l.env)
	err = guarded(l.sh.name, func() error { return d.lead(list) })
	close(d.work)
	d.wg.Wait()
	if cause := context.Cause(d.ctx); err == nil && cause != nil {
		err = cause
	}
	l.rows, l.result.Workers = d.next.row, max(1, d.started)
	return ignoreStop(err)
}

// start starts a worker.
func (d *partLeader) start() {
	w := d.l.newWorker()
	d.started++
	d.wg.Go(func() {
		err := guarded(d.l.sh.name, func() error {
			for t := range d.work {
				if err := d.perform(w, t); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			d.cancel(err)
		}
	})
}

// perform stores a task.
func (d *partLeader) perform(w *worker, t *task) error {
	w.clock.start(StageConvert, d.l.labels)
	defer w.clock.stop()
	return mmap.Guard(func() error { return d.l.perform(w, t, false) })
}

// flush hands on the task that was put together. The last is the leader's own, if it is
// the only one.
func (d *partLeader) flush(last bool) error {
	if len(d.next.parts) == 0 {
		return nil
	}
	t := d.next
	t.most = d.l.fragmentRows()
	t.number(d.tasks)
	d.tasks++
	d.next = task{row: t.row + t.rows}
	if last && d.started == 0 {
		return d.perform(d.l.newWorker(), &t)
	}
	select {
	case d.work <- &t:
		return nil
	default:
	}
	if d.started < d.l.workers {
		d.start()
	}
	select {
	case d.work <- &t:
		return nil
	case <-d.ctx.Done():
		return context.Cause(d.ctx)
	}
}

// lead asks for the parts one after the other. A part that does not say its rows is read by
// the calling goroutine, and so are all that follow it.
func (d *partLeader) lead(list []*content) error {
	for _, c := range list {
		d.l.begins(c, d.next.row+d.next.rows)
		row := int64(0)
		for p, err := range c.Parts() {
			if d.ctx.Err() != nil {
				return context.Cause(d.ctx)
			}
			if err != nil {
				d.l.failed.record(d.next.row+d.next.rows, func() error { return inFile(err, c.name) })
				return d.flush(true)
			}
			if d.l.failed.row.Load() <= d.next.row {
				return nil
			}
			rows, _ := p.Size()
			if err := c.believable(d.next.row+d.next.rows, rows); err != nil {
				return err
			}
			part := taskPart{Part: p, of: c, row: row, rows: rows}
			if rows < 0 || d.alone != nil {
				if rows, err = d.read(&part); err != nil {
					return err
				}
			} else if d.next.add(part); d.next.rows >= int64(d.l.fragmentRows()) {
				if err := d.flush(false); err != nil {
					return err
				}
			}
			row += rows
		}
	}
	if d.alone != nil {
		return mmap.Guard(d.alone.close)
	}
	return d.flush(true)
}

// read stores a part in the calling goroutine, and returns its rows.
func (d *partLeader) read(p *taskPart) (rows int64, err error) {
	if d.alone == nil {
		if err := d.flush(false); err != nil {
			return 0, err
		}
		d.alone = &gatherer{l: d.l, w: d.l.newWorker(), most: d.l.fragmentRows(), open: 64, first: d.tasks * taskFragments, row: d.next.row}
	}
	clock := &d.alone.w.clock
	clock.start(StageRead, d.l.labels)
	defer clock.stop()
	before := d.alone.rows
	err = mmap.Guard(func() error { return d.l.readPart(d.alone, p) })
	rows = d.alone.rows - before
	d.next.row += rows
	return rows, err
}
