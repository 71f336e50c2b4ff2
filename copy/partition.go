package copy

import (
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
)

// partitioner writes the rows of a COPY TO with PARTITION_BY.
//
// Rows are staged in memory as they come, and each is told its partition. When there is no
// room for more, a counting sort brings rows of a partition together, in their order, and
// they are appended to one file of blocks, the spill. In the end each partition's rows are
// read from the spill, and then from what is left in memory, and its file is written from
// front to back like that of any COPY TO. So there are never more open files than workers
// and the spill, however many partitions there are, whatever the format; and a file that is
// compressed, or a container, is the same as if its rows had come alone.
//
// Memory holds the staged rows, the names of the partitions with where their rows are, and
// what each worker needs for one file.
//
// Partitions are numbered in the order in which they appear, and written in that order by
// workers, a file each. The error is that of the first partition that has one.
type partitioner struct {
	w   *writer
	opt *ToOptions
	dir *directory

	keys    *partitionKeys
	keyAt   []int // columns of the content that name the partition
	keptAt  []int // and those that are in the files
	types   []columnar.Type
	keyVecs []columnar.Vec
	vecs    []columnar.Vec

	room   int   // rows of a staged batch
	budget int64 // bytes that staged rows may take
	limit  int64 // bytes that the partitions may take; 0 is no limit

	staged []*rowBuffer
	spare  []*rowBuffer
	parts  []uint32 // of the staged rows
	closed int64    // bytes of staged batches but the last
	total  int64    // bytes of all rows, about

	counts  []int64 // rows of each partition
	extents [][]extent
	marks   int64 // bytes of extents
	spill   *spill

	starts []uint32 // of each partition in refs
	refs   []rowRef // staged rows by partition
	block  *rowBuffer
}

// Without a memory limit staged rows may take stagedBytes, else a quarter of it.
const stagedBytes = 256 << 20

// fileWork is what making a file is worth in bytes of rows, where workers follow the work.
const fileWork = 64 << 10

// partitions writes the content into the directory dst.
func (w *writer) partitions(dst Destination, opt *ToOptions, workers *int) error {
	if dst.writer != nil {
		return pgerr.New(pgerr.FeatureNotSupported, "COPY PARTITION_BY writes files and cannot be used with STDOUT").
			WithHint("Name a directory.")
	}
	p, err := w.newPartitioner(opt)
	if err != nil {
		return err
	}
	if p.dir, err = w.env.Files.createDirectory(dst.path, opt.output.overwrite); err != nil {
		return err
	}
	defer p.dir.abandon()
	defer p.closeSpill()
	if err := p.collect(); err != nil {
		return err
	}
	*workers = max(1, min(workersFor(p.total+int64(len(p.counts))*fileWork, opt.Parallelism, w.env), len(p.counts)))
	if err := p.write(dst.path, *workers); err != nil {
		return err
	}
	if err := p.dropSpill(); err != nil {
		return err
	}
	return p.dir.complete()
}

// newPartitioner divides the columns and binds the format to those that are written.
func (w *writer) newPartitioner(opt *ToOptions) (*partitioner, error) {
	p := &partitioner{w: w, opt: opt, budget: stagedBytes}
	var err error
	if p.keyAt, p.keptAt, err = opt.output.split(w.binding); err != nil {
		return nil, err
	}
	if w.env.MemoryLimit > 0 {
		p.budget, p.limit = w.env.MemoryLimit/4, w.env.MemoryLimit/2
	}
	var keys, kept []Column
	for _, i := range p.keyAt {
		keys = append(keys, w.binding.Columns[i])
	}
	for _, i := range p.keptAt {
		kept = append(kept, w.binding.Columns[i])
		p.types = append(p.types, w.binding.Columns[i].Type)
	}
	p.keys = newPartitionKeys(keys, w.binding.Location)
	w.binding.Columns = kept
	p.room = max(64, min(stagedRows, int(min(stagedFixed, p.budget/4))/rowBytes(p.types)))
	p.block = newRowBuffer(p.types, min(p.room, blockRows))
	return p, w.bind(opt)
}

// collect stages all rows.
func (p *partitioner) collect() error {
	for b, err := range p.w.content.batches(p.w.ctx) {
		if err == nil {
			err = p.w.ctx.Err()
		}
		if err == nil {
			err = mmap.Guard(func() error { return p.add(b) })
		}
		if err == nil && p.held() > p.budget {
			err = p.unload()
		}
		if err != nil {
			return err
		}
	}
	p.total += p.held()
	p.sort()
	return p.affordable()
}

// add stages the rows of a batch.
func (p *partitioner) add(b Batch) (err error) {
	p.keyVecs, p.vecs = p.keyVecs[:0], p.vecs[:0]
	for _, i := range p.keyAt {
		p.keyVecs = append(p.keyVecs, b.Cols[i])
	}
	for _, i := range p.keptAt {
		p.vecs = append(p.vecs, b.Cols[i])
	}
	before := len(p.parts)
	if p.parts, err = p.keys.of(p.parts, p.keyVecs, b.Rows); err != nil {
		return err
	}
	for len(p.counts) < len(p.keys.names) {
		p.counts = append(p.counts, 0)
	}
	for _, part := range p.parts[before:] {
		p.counts[part]++
	}
	for from := 0; from < b.Rows; {
		n := 0
		if len(p.staged) > 0 {
			n = p.staged[len(p.staged)-1].add(p.vecs, from, b.Rows-from)
		}
		if n == 0 {
			p.open(b.Rows - from)
		}
		from += n
	}
	return p.affordable()
}

// open begins a staged batch, which few rows do not make large.
func (p *partitioner) open(rows int) {
	if n := len(p.staged); n > 0 {
		p.closed += p.bytesOf(p.staged[n-1])
		rows = p.room
	}
	if n := len(p.spare); n > 0 {
		p.staged = append(p.staged, p.spare[n-1])
		p.spare = p.spare[:n-1]
		return
	}
	p.staged = append(p.staged, newRowBuffer(p.types, min(rows, p.room)))
}

// bytesOf returns the memory of a staged batch.
func (p *partitioner) bytesOf(b *rowBuffer) int64 {
	return int64(b.room*rowBytes(p.types)) + b.dataBytes()
}

// rowMarks is what the partition and the place of a staged row take.
const rowMarks = 12

// held returns about how many bytes staged rows take.
func (p *partitioner) held() int64 {
	n := p.closed + int64(len(p.parts))*rowMarks
	if k := len(p.staged); k > 0 {
		n += p.bytesOf(p.staged[k-1])
	}
	return n
}

// affordable is an error if the partitions take more memory than they may.
func (p *partitioner) affordable() error {
	if p.limit == 0 || p.keys.held+p.marks <= p.limit {
		return nil
	}
	return pgerr.New(pgerr.OutOfMemory, "%d partitions need more memory than the limit allows", len(p.counts)).
		WithDetail("The memory limit is %d bytes, half of which the names and places of partitions may take.", p.w.env.MemoryLimit).
		WithHint("Partition by columns with fewer values, or write parts of the rows, chosen by WHERE, one after the other.")
}

// sort brings the staged rows of each partition together, in their order.
func (p *partitioner) sort() {
	n := len(p.counts)
	if cap(p.starts) <= n {
		p.starts = make([]uint32, 0, 2*n+1)
	}
	p.starts = p.starts[:n+1]
	clear(p.starts)
	for _, part := range p.parts {
		p.starts[part]++
	}
	sum := uint32(0)
	for i, k := range p.starts {
		p.starts[i] = sum
		sum += k
	}
	if cap(p.refs) < len(p.parts) {
		p.refs = make([]rowRef, len(p.parts))
	}
	p.refs = p.refs[:len(p.parts)]
	at := 0
	for k, b := range p.staged {
		for row := range b.rows {
			part := p.parts[at]
			p.refs[p.starts[part]] = rowRef{uint32(k), uint32(row)}
			p.starts[part]++
			at++
		}
	}
	for i := n; i > 0; i-- { // each has become the start of the next
		p.starts[i] = p.starts[i-1]
	}
	p.starts[0] = 0
}

// extentBytes is what an extent takes, with room for more.
const extentBytes = 32

// unload moves the staged rows to the spill.
func (p *partitioner) unload() error {
	p.w.clock.enter(StageStore)
	defer p.w.clock.enter(StageConvert)
	p.total += p.held()
	if p.spill == nil {
		name := filepath.Join(p.dir.temp, spillName)
		file, err := p.w.env.Files.openFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fileError(err, "could not create file", name)
		}
		p.spill = &spill{file: file, name: name}
	}
	p.sort()
	for len(p.extents) < len(p.counts) {
		p.extents = append(p.extents, nil)
	}
	for part := range p.counts {
		refs := p.refs[p.starts[part]:p.starts[part+1]]
		if len(refs) == 0 {
			continue
		}
		if err := p.w.ctx.Err(); err != nil {
			return err
		}
		from := p.spill.at
		for len(refs) > 0 {
			refs = refs[p.block.gather(p.staged, refs):]
			if err := p.spill.write(p.block); err != nil {
				return err
			}
		}
		p.extents[part] = append(p.extents[part], extent{from, p.spill.at - from})
		p.marks += extentBytes
	}
	for _, b := range p.staged {
		b.reset()
	}
	p.spare, p.staged = append(p.spare, p.staged...), p.staged[:0]
	p.parts, p.closed = p.parts[:0], 0
	return p.spill.flush()
}

// spillName is the name of the spill in the directory, until that is complete.
const spillName = ".rows"

// dropSpill removes the spill.
func (p *partitioner) dropSpill() error {
	if p.spill == nil {
		return nil
	}
	p.closeSpill()
	return fileError(p.w.env.Files.remove(p.spill.name), "could not remove file", p.spill.name)
}

// closeSpill closes the spill, which only was read since its last write succeeded.
func (p *partitioner) closeSpill() {
	if p.spill != nil {
		p.spill.file.Close()
	}
}

// rows returns the rows of a partition. The batches are valid until the next one.
func (p *partitioner) rows(part int, block *rowBuffer, spilled *spillReader) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		if part < len(p.extents) {
			for _, x := range p.extents[part] {
				for x.size > 0 {
					b, err := spilled.next(&x)
					if !yield(b, err) || err != nil {
						return
					}
				}
			}
		}
		refs := p.refs[p.starts[part]:p.starts[part+1]]
		for len(refs) > 0 {
			refs = refs[block.gather(p.staged, refs):]
			spilled.cols = block.vecs(spilled.cols)
			if !yield(Batch{Rows: block.rows, Cols: spilled.cols}, nil) {
				return
			}
		}
	}
}

// write writes the files of all partitions, whose names begin with path.
func (p *partitioner) write(path string, workers int) error {
	var next, first atomic.Int64 // the next partition; the first that failed
	first.Store(int64(len(p.counts)))
	var failed error
	var mu sync.Mutex // of failed
	run := func(w *writer, block *rowBuffer) {
		spilled := &spillReader{spill: p.spill, types: p.types}
		for {
			part := next.Add(1) - 1
			if part >= first.Load() {
				return
			}
			w.content = Content{rows: p.rows(int(part), block, spilled), count: p.counts[part]}
			w.name = filepath.Join(path, p.keys.names[part], p.opt.partFile())
			err := guarded(w.format, func() error { return p.file(w, p.keys.names[part]) })
			if err == nil {
				continue
			}
			mu.Lock()
			if part < first.Load() {
				failed = err
				first.Store(part)
			}
			mu.Unlock()
			return
		}
	}
	if workers == 1 {
		run(p.w, p.block)
		return failed
	}
	p.w.clock.enter(StageRead) // waiting for the workers
	writers := make([]*writer, workers)
	var wg sync.WaitGroup
	for i := range writers {
		w := &writer{ctx: p.w.ctx, binding: p.w.binding, format: p.w.format, enc: p.w.enc, env: p.w.env, labels: p.w.labels}
		writers[i] = w
		wg.Go(func() {
			w.clock.start(StageConvert, w.labels)
			defer w.clock.stop()
			run(w, newRowBuffer(p.types, p.block.room))
		})
	}
	wg.Wait()
	for _, w := range writers {
		p.w.clocks = append(p.w.clocks, w.clock)
		p.w.rows.Add(w.rows.Load())
		p.w.written += w.written
	}
	return failed
}

// file writes the file of the partition that w has the rows of.
func (p *partitioner) file(w *writer, dir string) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	name := p.opt.partFile()
	out, err := p.dir.create(dir, name)
	if err != nil {
		return err
	}
	one := 1
	if err := w.fill(out, name, p.opt, &one); err != nil {
		out.Close()
		return err
	}
	return fileError(out.Close(), "could not write to file", w.name)
}
