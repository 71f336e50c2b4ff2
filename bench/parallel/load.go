package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql"
)

// way is how record ends are found.
type way uint8

const (
	workersFind way = iota
	leaderFinds
	pipe
	ways
)

func (w way) String() string { return [...]string{"workers", "leader", "pipe"}[w] }

// result is one load. firstRowBytes is what had been read of a stream when the first
// row was converted, as seen at the next read; 0 for a file.
type result struct {
	copy.Result
	firstRowBytes int64
}

// load loads path, which has the rows of k, into a new store in dir.
func load(ctx context.Context, dir string, k *kind, path string, w way, workers int) (r result, err error) {
	store, err := columnar.Open(ctx, dir, columnar.Options{Durability: columnar.None})
	if err != nil {
		return r, err
	}
	var progress *copy.Progress
	session := sql.NewSession(store, sql.SessionOptions{
		MaxWorkers: workers, Files: copy.AnyFile(), OnProgress: func(p *copy.Progress) { progress = p },
	})
	defer func() { err = errors.Join(err, session.Close(), store.Close()) }()
	if _, err := session.Exec(ctx, k.ddl); err != nil {
		return r, err
	}
	if w == workersFind {
		res, err := session.Exec(ctx, "COPY t FROM '"+path+"' (FORMAT csv, HEADER)")
		if err != nil {
			return r, err
		}
		r.Result = *res.Copy
		return r, nil
	}
	src, done, err := open(ctx, path, w)
	if err != nil {
		return r, err
	}
	in := &observed{r: src, converted: func() bool { return progress.TuplesProcessed.Load() > 0 }}
	session.SetStdin(in)
	res, err := session.Exec(ctx, "COPY t FROM STDIN (FORMAT csv, HEADER)")
	if err := errors.Join(err, done()); err != nil {
		return r, err
	}
	r.Result, r.firstRowBytes = *res.Copy, in.first.Load()
	return r, nil
}

// open returns the bytes of a file as a stream; done ends what it began.
func open(ctx context.Context, path string, w way) (src io.Reader, done func() error, err error) {
	if w == leaderFinds {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		return f, f.Close, nil
	}
	cmd := measure.Command(ctx, "cat", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("cat: %w", err)
	}
	return out, cmd.Wait, nil
}

// observed notes how many bytes of a stream had been given when converted first said
// true.
type observed struct {
	r         io.Reader
	converted func() bool
	given     int64
	first     atomic.Int64
}

// Read reads from the stream.
func (o *observed) Read(b []byte) (int, error) {
	if o.first.Load() == 0 && o.given > 0 && o.converted() {
		o.first.Store(o.given)
	}
	n, err := o.r.Read(b)
	o.given += int64(n)
	return n, err
}
