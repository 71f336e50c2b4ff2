package copy

import (
	"context"
	"fmt"
	"io"
)

// Plan is what a COPY FROM would do, for EXPLAIN.
type Plan struct {
	Cardinality Cardinality
	Rows        int64 // as Cardinality says; -1 if Unknown
	Bytes       int64 // of input; 0 if unknown
	Files       int
	Workers     int
	Windows     int    // that the input is taken in; 0 is one
	Reason      string // for cardinality and workers
}

// PlanFrom returns the plan of a COPY FROM without carrying it out. A stream is not
// touched; of a large file only the beginning is read.
func PlanFrom(ctx context.Context, t *Target, src Source, opt *FromOptions, env Env) (p Plan, err error) {
	l, err := newLoader(ctx, nil, t, opt, &env)
	if err != nil {
		return p, asError(err)
	}
	if src.rows != nil {
		p = Plan{Cardinality: src.rows.class, Rows: src.rows.rows, Workers: 1, Reason: "the source is columns: they are copied by one worker"}
		if p.Cardinality == Unknown {
			p.Rows = -1
		}
		return p, nil
	}
	done := false
	err = guarded(opt.Format, func() (err error) {
		p, done, err = l.plan(&src)
		return err
	})
	if done || err != nil {
		return p, asError(err)
	}
	p = Plan{Cardinality: Unknown, Rows: -1, Workers: workersFor(1<<62, opt.Parallelism, &env)}
	p.Reason = fmt.Sprintf("a stream: rows are known at its end, up to %d workers once it has shown more than one parcel", p.Workers)
	if opt.Rows >= 0 {
		p.Cardinality, p.Rows = Exact, opt.Rows
		p.Reason = "ROWS says so; checked at the end"
	}
	return p, nil
}

// plan plans for a source that can be looked at; done is false for a stream.
func (l *loader) plan(src *Source) (p Plan, done bool, err error) {
	if src.reader != nil {
		return p, false, nil
	}
	if l.opt.container != nil {
		p, err = l.planContainers(src)
		return p, true, err
	}
	streams, err := l.openFiles(src.paths)
	defer l.closeFiles()
	if err != nil || streams != nil {
		return p, false, err
	}
	p, err = l.planFiles()
	return p, true, err
}

// planContainers plans for containers, which are asked for their rows.
func (l *loader) planContainers(src *Source) (p Plan, err error) {
	list, err := l.openContainers(src)
	defer func() {
		for _, c := range list {
			c.close()
		}
	}()
	if err != nil {
		return p, err
	}
	p = Plan{Cardinality: Exact, Files: len(list), Bytes: l.bytes, Workers: workersFor(l.bytes, l.opt.Parallelism, l.env)}
	for _, c := range list {
		class, n := c.Rows()
		p.Cardinality = min(p.Cardinality, class)
		p.Rows += n
	}
	if p.Cardinality = l.class(p.Cardinality); p.Cardinality == Unknown {
		p.Rows = -1
		p.Reason = "the files do not say their rows"
		return p, nil
	}
	p.Reason = fmt.Sprintf("the files say so; one worker for each %d bytes and part, limit %d", workerBytes, workersFor(1<<62, l.opt.Parallelism, l.env))
	return p, nil
}

// planFiles plans for regular files, whose prologues are read.
func (l *loader) planFiles() (Plan, error) {
	p := Plan{Bytes: l.bytes, Files: len(l.inputs), Workers: workersFor(l.bytes, l.opt.Parallelism, l.env)}
	if l.bytes <= l.env.small() {
		l.workers = 1
		l.layOut()
		if err := l.countNext(len(l.splits)); err != nil {
			return p, asError(err)
		}
		p.Cardinality, p.Rows = l.class(Exact), l.rows
		p.Reason = fmt.Sprintf("counted; %d bytes do not justify a second worker", l.bytes)
		return p, nil
	}
	p.Cardinality = Estimate
	p.Reason = fmt.Sprintf("estimated from the first records, counted at execution; one worker for each %d bytes, limit %d",
		workerBytes, workersFor(1<<62, l.opt.Parallelism, l.env))
	l.layOut()
	if n := l.windowSplits(); n < len(l.splits) {
		p.Windows = (len(l.splits) + n - 1) / n
		p.Reason += fmt.Sprintf("; %d windows, since the input is larger than the memory limit", p.Windows)
	}
	w := l.newWorker()
	defer w.close()
	var sampled, ends int64
	for _, in := range l.inputs {
		src, err := w.open(in)
		if err != nil {
			return p, asError(err)
		}
		b := make([]byte, min(countBytes, in.size-in.start))
		if _, err := io.ReadFull(io.NewSectionReader(src, in.start, int64(len(b))), b); err != nil && len(b) > 0 {
			return p, asError(readError(err, in.name))
		}
		sampled += int64(len(b))
		ends += l.endsIn(in, b)
		if sampled >= 16*countBytes {
			break
		}
	}
	if sampled > 0 {
		p.Rows = int64(float64(l.bytes) * float64(max(ends, 1)) / float64(sampled))
	}
	return p, nil
}

// endsIn returns the number of records that end in b, which begins with one.
func (l *loader) endsIn(in *input, b []byte) (n int64) {
	switch {
	case len(b) == 0:
	case in.layout.Scan != nil:
		n = in.layout.Scan.Count(b, 0).Ends[0]
	default:
		_, n, _ = in.layout.Walk.Walk(b, false, len(b), 1<<62)
	}
	return n
}
