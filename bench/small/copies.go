package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/vfs"
	"github.com/ingotdb/ingot/sql"
)

// table is the input, and the name of the table for it.
const table = "small89"

// writeInput writes rows rows of the input into dir and returns the file's path.
func writeInput(dir string, rows int) (string, error) {
	path := filepath.Join(dir, fmt.Sprintf("%s-%d.csv", table, rows))
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	return path, errors.Join(inputs.Write(f, table, rows), f.Close())
}

// target is an open store with an empty table for the input.
type target struct {
	fs      *countingFS
	store   *columnar.Store
	session *sql.Session
	text    string // the COPY
	empty   bool   // the table is emptied after each COPY of rows
}

// openTarget makes a store in dir. The COPY reads file with up to workers goroutines.
func openTarget(ctx context.Context, dir, file string, workers int, durability columnar.Durability) (*target, error) {
	base, err := vfs.OpenDir(dir, true)
	if err != nil {
		return nil, err
	}
	t := &target{fs: &countingFS{FS: base}, text: "COPY " + table + " FROM '" + file + "' (FORMAT csv, HEADER)"}
	t.store, err = columnar.Open(ctx, dir, columnar.Options{Durability: durability, FS: t.fs})
	if err != nil {
		return nil, err
	}
	t.session = sql.NewSession(t.store, sql.SessionOptions{MaxWorkers: workers, Files: copy.AnyFile()})
	if _, err := t.session.Exec(ctx, inputs.Schema(table)); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// copyOnce does one COPY and returns the rows that it loaded.
func (t *target) copyOnce(ctx context.Context) (int64, error) {
	res, err := t.session.Exec(ctx, t.text)
	if err != nil {
		return 0, err
	}
	if t.empty && res.Rows > 0 {
		_, err = t.session.Exec(ctx, "TRUNCATE "+table)
	}
	return res.Rows, err
}

func (t *target) close() error { return errors.Join(t.session.Close(), t.store.Close()) }

// repeat does n+1 COPYs and measures them.
func (t *target) repeat(ctx context.Context, n int) (measure.Repeat, error) {
	var before, after runtime.MemStats
	var syncs, bytes int64
	r, err := measure.RunRepeat(n, func() (int64, error) { return t.copyOnce(ctx) }, func() {
		runtime.ReadMemStats(&before)
		syncs, bytes = t.fs.logSyncs.Load(), t.fs.logBytes.Load()
	})
	if err != nil || n == 0 {
		return r, err
	}
	runtime.ReadMemStats(&after)
	r.LogSyncs = float64(t.fs.logSyncs.Load()-syncs) / float64(n)
	r.LogBytes = (t.fs.logBytes.Load() - bytes) / int64(n)
	r.Allocations = int64(after.Mallocs-before.Mallocs) / int64(n)
	r.AllocBytes = int64(after.TotalAlloc-before.TotalAlloc) / int64(n)
	return r, nil
}
