package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
)

// duckMode is how DuckDB keeps the table.
type duckMode uint8

const (
	duckCompressed duckMode = iota // in a file, as it comes
	duckPlain                      // in a file, no compression
	duckMemory
)

// duckOptions are the options of DuckDB's COPY for a format.
var duckOptions = map[string]string{
	"csv": "FORMAT csv, HEADER", "ndjson": "FORMAT json", "parquet": "FORMAT parquet",
}

// openDuckDB opens the database file in a directory, or one in memory, with one connection.
func openDuckDB(path string, threads int) (*sql.DB, error) {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET threads = " + strconv.Itoa(threads)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// loadDuckDB returns the load of DuckDB in a mode. The COPY is one statement that
// commits by itself; a large one is written to the database file and synced then.
func loadDuckDB(mode duckMode) func(*job) (measure.Sample, error) {
	return func(j *job) (s measure.Sample, err error) {
		path := filepath.Join(j.Dir, "duck.db")
		if mode == duckMemory {
			path = ""
		}
		db, err := openDuckDB(path, j.Threads)
		if err != nil {
			return s, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		prepare := []string{createTable(j, "")}
		if mode == duckPlain {
			prepare = append(prepare, "SET force_compression = 'uncompressed'")
		}
		for _, text := range prepare {
			if _, err := db.Exec(text); err != nil {
				return s, fmt.Errorf("%s: %w", text, err)
			}
		}
		s, err = measure.Timed(func() error {
			_, err := db.Exec("COPY " + j.Table + " FROM " + quoted(j.File) + " (" + duckOptions[j.Format] + ")")
			return err
		})
		if err != nil {
			return s, err
		}
		err = db.QueryRow("SELECT count(*), version() FROM "+j.Table).Scan(&s.Rows, &s.Version)
		s.Version = strings.TrimPrefix(s.Version, "v")
		return s, err
	}
}

// doDuckDB does tasks with the database file that a load has left.
func doDuckDB(w *work, each func(results.TaskSample) error) (err error) {
	db, err := openDuckDB(filepath.Join(w.Dir, "duck.db"), w.Threads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version string
	if err := db.QueryRow("SELECT version()").Scan(&version); err != nil {
		return err
	}
	version = strings.TrimPrefix(version, "v")
	for _, t := range w.Tasks {
		for range w.runs(t) {
			var r results.TaskSample
			if t.Query != "" {
				r, err = queryDuckDB(db, t)
			} else {
				r, err = writeDuckDB(db, w, t.Name)
			}
			if err != nil {
				r.Failed = err.Error()
			}
			r.Task, r.Version = t.Name, version
			if err := each(r); err != nil {
				return err
			}
			if r.Failed != "" {
				break
			}
		}
	}
	return nil
}

// queryDuckDB answers a query once.
func queryDuckDB(db *sql.DB, t tasks.Task) (r results.TaskSample, err error) {
	var answer [][]string
	r.Sample, err = measure.Timed(func() (err error) {
		rows, err := db.Query(t.Query)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(to...); err != nil {
				return err
			}
			fields := make([]string, len(values))
			for i, v := range values {
				fields[i] = fmt.Sprint(v)
			}
			answer = append(answer, fields)
		}
		return rows.Err()
	})
	r.Answer, r.Rows = tasks.Answer(answer), int64(len(answer))
	return r, err
}

// writeDuckDB writes the table to a file once, which is gone afterwards.
func writeDuckDB(db *sql.DB, w *work, format string) (r results.TaskSample, err error) {
	file := w.output(format)
	r.Sample, err = measure.Timed(func() error {
		res, err := db.Exec("COPY " + w.Table + " TO " + quoted(file) + " (" + duckOptions[format] + ")")
		if err != nil {
			return err
		}
		r.Rows, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return r, err
	}
	r.StoredBytes, err = removed(file)
	return r, err
}

// removed removes a file and returns how long it was.
func removed(file string) (int64, error) {
	st, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return st.Size(), os.Remove(file)
}
