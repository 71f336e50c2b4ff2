package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/bench/gen/inputs"
	"github.com/ingotdb/ingot/bench/internal/measure"
)

// smallJob is a number of small loads, one after the other.
type smallJob struct {
	job
	Loads int `json:"loads"` // after the first
}

// smallPeers are the peers of bench/small.
var smallPeers = map[string]struct {
	missing func() string
	load    func(j *smallJob) (measure.Repeat, error)
}{
	"ladybug": {nodeMissing("@ladybugdb/core"), repeatLadybug},
	"duckdb":  {present, repeatDuckDB},
}

// small runs the small loads that args describe. Without -file it only says, as an
// error, what is missing.
func small(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("small", flag.ContinueOnError)
	name := flags.String("peer", "", "`name` of the peer")
	file := flags.String("file", "", "CSV `file` of the input small89")
	threads := flags.Int("threads", 1, "`number` of threads to use at most")
	dir := flags.String("dir", "", "empty `directory` for the database")
	loads := flags.Int("n", 20, "`number` of loads after the first")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p, ok := smallPeers[*name]
	if !ok {
		return fmt.Errorf("no peer for small loads is called %q", *name)
	}
	if why := p.missing(); why != "" {
		return fmt.Errorf("%s: %s", *name, why)
	}
	if *file == "" {
		return nil
	}
	if *threads < 1 || *dir == "" || *loads < 0 {
		return errors.New("-threads, -dir and -n are needed")
	}
	const input = "small89"
	columns, err := parseColumns(inputs.Schema(input))
	if err != nil {
		return err
	}
	r, err := p.load(&smallJob{job{Table: input, Columns: columns, Format: "csv", File: *file, Threads: *threads, Dir: *dir, Durable: true}, *loads})
	if err != nil {
		return fmt.Errorf("%s: %w", *name, err)
	}
	return json.NewEncoder(w).Encode(r)
}

// repeatDuckDB loads into a database file; each COPY is a transaction of its own.
func repeatDuckDB(j *smallJob) (r measure.Repeat, err error) {
	db, err := openDuckDB(filepath.Join(j.Dir, "duck.db"), j.Threads)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Exec(createTable(&j.job, "")); err != nil {
		return r, err
	}
	text := "COPY " + j.Table + " FROM " + quoted(j.File) + " (FORMAT csv, HEADER)"
	r, err = measure.RunRepeat(j.Loads, func() (int64, error) {
		res, err := db.Exec(text)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}, nil)
	if err != nil {
		return r, err
	}
	err = db.QueryRow("SELECT version()").Scan(&r.Version)
	r.Version = strings.TrimPrefix(r.Version, "v")
	return r, err
}

// repeatLadybug runs the script for LadybugDB, which prints the samples of all loads.
func repeatLadybug(j *smallJob) (r measure.Repeat, err error) {
	out, err := node("ladybug", j, j.Threads)
	if err != nil {
		return r, err
	}
	var samples []measure.Sample
	if err := json.Unmarshal(out, &samples); err != nil {
		return r, fmt.Errorf("%w: %q", err, out)
	}
	if len(samples) != j.Loads+1 {
		return r, fmt.Errorf("%d samples of %d loads", len(samples), j.Loads+1)
	}
	first, m := samples[0], measure.Medians(samples[1:])
	return measure.Repeat{
		Loads: j.Loads, Rows: first.Rows, Version: first.Version,
		FirstWallNS: first.WallNS, FirstCPUNS: first.CPUNS, FirstFaults: first.MinorFaults,
		WallNS: m.WallNS, CPUNS: m.CPUNS, Faults: m.MinorFaults,
	}, nil
}
