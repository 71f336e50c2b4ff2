package copy

import (
	"context"
	"sync/atomic"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
)

// container writes everything as a container.
func (w *writer) container(format ContainerWriter, path string, workers *int) error {
	if w.recoder != nil {
		return errInternal("format \"%s\" has no encoding", w.format)
	}
	out := &Output{Binding: w.binding, Writer: (*containerOut)(w), Name: path, Rows: w.content.count}
	archive, err := format.Create(out)
	if err != nil {
		return err
	}
	*workers = max(1, min(*workers, archive.Workers(*workers)))
	switch {
	case w.content.table == nil:
		err = w.packQuery(archive)
	case *workers == 1:
		err = w.packAlone(archive)
	default:
		err = w.packAhead(archive, *workers)
	}
	if err != nil {
		return err
	}
	return archive.Close()
}

// containerOut is the writer that an archive writes to.
type containerOut writer

// Write writes b whole, or fails.
func (o *containerOut) Write(b []byte) (int, error) {
	if err := (*writer)(o).write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// packRows is about how many rows of a query make a pack.
const packRows = columnar.MaxFragmentRows

// put ends the pack of p and writes it.
func put(a Archive, p Packer, last bool) error {
	pack, err := p.Pack(last)
	if err != nil || pack == nil {
		return err
	}
	return a.Put(pack)
}

// packQuery packs the rows of an iterator.
func (w *writer) packQuery(a Archive) error {
	p := a.Packer()
	rows := 0
	for b, err := range w.content.rows {
		if err == nil {
			err = w.ctx.Err()
		}
		if err == nil {
			err = mmap.Guard(func() error { return p.Add(b) })
		}
		if err != nil {
			return err
		}
		w.count(b.Rows)
		if rows += b.Rows; rows >= packRows {
			if err := put(a, p, false); err != nil {
				return err
			}
			rows = 0
		}
	}
	return put(a, p, true)
}

// pack adds the rows of row group g to p.
func (w *writer) pack(ctx context.Context, p Packer, g int) error {
	return mmap.Guard(func() error {
		for b, err := range w.content.table.ScanGathered(ctx, columnar.ScanOptions{Columns: w.content.columns, FirstGroup: g, GroupCount: 1}) {
			if err != nil {
				return err
			}
			if err := p.Add(Batch{Rows: b.Rows, Cols: b.Cols}); err != nil {
				return err
			}
			w.count(b.Rows)
		}
		return nil
	})
}

// packAlone packs and writes the table in the calling goroutine.
func (w *writer) packAlone(a Archive) error {
	p := a.Packer()
	for g := range w.content.table.Groups() {
		if err := w.pack(w.ctx, p, g); err != nil {
			return err
		}
		if err := put(a, p, false); err != nil {
			return err
		}
	}
	return put(a, p, true)
}

// packAhead packs row groups in parallel and writes them in order. No more packs wait than
// there are workers, twice.
func (w *writer) packAhead(a Archive, workers int) error {
	packs := make([]chan any, w.content.table.Groups())
	for i := range packs {
		packs[i] = make(chan any, 1)
	}
	ahead := make(chan struct{}, 2*workers) // groups begun and not yet written
	var next atomic.Int64
	return w.abreast(workers,
		func(ctx context.Context) error { return w.packGroups(ctx, a.Packer(), &next, ahead, packs) },
		func(ctx context.Context) error { return w.putInOrder(ctx, a, packs, ahead) })
}

// packGroups packs the next row groups until none is left.
func (w *writer) packGroups(ctx context.Context, p Packer, next *atomic.Int64, ahead chan<- struct{}, packs []chan any) error {
	for {
		select {
		case ahead <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		g := int(next.Add(1)) - 1
		if g >= len(packs) {
			return nil
		}
		if err := w.pack(ctx, p, g); err != nil {
			return err
		}
		pack, err := p.Pack(true)
		if err != nil {
			return err
		}
		packs[g] <- pack
	}
}

// putInOrder writes the packs one after another.
func (w *writer) putInOrder(ctx context.Context, a Archive, packs []chan any, ahead <-chan struct{}) error {
	for _, q := range packs {
		w.clock.enter(StageRead) // waiting for the workers
		select {
		case pack := <-q:
			if pack != nil {
				if err := a.Put(pack); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		<-ahead
	}
	return nil
}
