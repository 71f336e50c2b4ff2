package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql"
)

// target is an open store with the empty tables of a workload.
type target struct {
	work    *workload
	store   *columnar.Store
	shared  *sql.Shared
	session *sql.Session
}

// openTarget makes a store in dir. COPYs use up to workers goroutines. The log is one of
// full size, as in a store that has been in use, and not the small first one.
func openTarget(ctx context.Context, dir string, w *workload, workers int, d columnar.Durability) (*target, error) {
	store, err := columnar.Open(ctx, dir, columnar.Options{Durability: d})
	if err != nil {
		return nil, err
	}
	t := &target{work: w, store: store, shared: new(sql.Shared)}
	t.session = sql.NewSession(store, sql.SessionOptions{MaxWorkers: workers, Shared: t.shared, Files: copy.AnyFile()})
	create := []string{"BEGIN"}
	for i := range w.nodes {
		create = append(create, w.nodes[i].create())
	}
	for i := range w.edges {
		create = append(create, w.edges[i].create())
	}
	if err := t.exec(ctx, append(create, "COMMIT", "CHECKPOINT")...); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (t *target) close() error { return errors.Join(t.session.Close(), t.store.Close()) }

func (t *target) exec(ctx context.Context, texts ...string) error {
	for _, s := range texts {
		if _, err := t.session.Exec(ctx, s); err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

// load loads a document as one transaction and returns the rows that it loaded.
func (t *target) load(ctx context.Context, number int) (rows int64, err error) {
	if err := t.exec(ctx, "BEGIN"); err != nil {
		return 0, err
	}
	for i := range t.work.statements[number] {
		st := &t.work.statements[number][i]
		if st.data != nil {
			if err := t.shared.RegisterArrow(stagedName, st.data); err != nil {
				return 0, err
			}
		}
		res, err := t.session.Exec(ctx, st.text)
		if err != nil {
			return 0, fmt.Errorf("%.40s: %w", st.text, err)
		}
		rows += res.Rows
	}
	return rows, t.exec(ctx, "COMMIT")
}

// empty deletes the rows of the tables that a document fills.
func (t *target) empty(ctx context.Context, number int) error {
	text := "TRUNCATE "
	for i, st := range t.work.statements[number] {
		if i > 0 {
			text += ", "
		}
		text += st.table.name
	}
	return t.exec(ctx, text)
}

// sample is one measured load of a document.
type sample struct {
	Pass     int `json:"pass"`  // 0: the first of the process
	Place    int `json:"place"` // in the list of workers
	Workers  int `json:"workers"`
	Document int `json:"document"`
	measure.Sample
	Allocations int64 `json:"allocations"` // on Go's heap
	AllocBytes  int64 `json:"alloc_bytes"`
	LogSyncs    int64 `json:"log_syncs"` // of the superblock, too
}

// measure loads a document and measures this process.
func (t *target) measure(ctx context.Context, number int) (sample, error) {
	s := sample{Document: number}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	syncs := t.store.LogSyncs()
	var rows int64
	var err error
	s.Sample, err = measure.Timed(func() (err error) { rows, err = t.load(ctx, number); return err })
	if err != nil {
		return s, err
	}
	s.Rows = rows
	if want := documents[number].rows(); s.Rows != int64(want) {
		return s, fmt.Errorf("document %d: %d rows loaded of %d", number, s.Rows, want)
	}
	runtime.ReadMemStats(&after)
	s.LogSyncs = t.store.LogSyncs() - syncs
	s.Allocations, s.AllocBytes = int64(after.Mallocs-before.Mallocs), int64(after.TotalAlloc-before.TotalAlloc)
	return s, nil
}

// pass loads all documents of w, the smallest first, into one new store in dir for each of the
// limits of workers, and gives the samples to each. A document goes into every store before
// the next document does, each time another store first.
func pass(ctx context.Context, dir string, w *workload, number int, workers []int, d columnar.Durability, each func(sample) error) (err error) {
	targets := make([]*target, len(workers))
	defer func() {
		for _, t := range targets {
			if t != nil {
				err = errors.Join(err, t.close())
			}
		}
	}()
	for i := range targets {
		if targets[i], err = openTarget(ctx, filepath.Join(dir, strconv.Itoa(i)), w, workers[i], d); err != nil {
			return err
		}
	}
	for doc := range documents {
		if w.statements[doc] == nil {
			continue
		}
		for k := range targets {
			place := (number + doc + k) % len(targets)
			s, err := targets[place].measure(ctx, doc)
			if err != nil {
				return err
			}
			s.Pass, s.Place, s.Workers = number, place, workers[place]
			if err := each(s); err != nil {
				return err
			}
		}
	}
	return nil
}
