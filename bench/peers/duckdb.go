package main

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// duckMode is how DuckDB keeps the table.
type duckMode uint8

const (
	duckCompressed duckMode = iota // in a file, as it comes
	duckPlain                      // in a file, no compression
	duckMemory
)

// loadDuckDB returns the load of DuckDB in a mode. The COPY is one statement that
// commits by itself; a large one is written to the database file and synced then.
func loadDuckDB(mode duckMode) func(*job) (measure.Sample, error) {
	return func(j *job) (s measure.Sample, err error) {
		path := filepath.Join(j.Dir, "duck.db")
		if mode == duckMemory {
			path = ""
		}
		db, err := sql.Open("duckdb", path)
		if err != nil {
			return s, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		db.SetMaxOpenConns(1)
		prepare := []string{"SET threads = " + strconv.Itoa(j.Threads), createTable(j, "")}
		if mode == duckPlain {
			prepare = append(prepare, "SET force_compression = 'uncompressed'")
		}
		for _, text := range prepare {
			if _, err := db.Exec(text); err != nil {
				return s, fmt.Errorf("%s: %w", text, err)
			}
		}
		cpu, faults := measure.ProcessUsage()
		begin := time.Now()
		if _, err := db.Exec("COPY " + j.Table + " FROM " + quoted(j.File) + " (FORMAT csv, HEADER)"); err != nil {
			return s, err
		}
		s.WallNS = int64(time.Since(begin))
		cpuEnd, faultsEnd := measure.ProcessUsage()
		s.CPUNS, s.MinorFaults = cpuEnd-cpu, faultsEnd-faults
		err = db.QueryRow("SELECT count(*), version() FROM "+j.Table).Scan(&s.Rows, &s.Version)
		return s, err
	}
}
