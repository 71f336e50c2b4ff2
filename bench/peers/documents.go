package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ingotdb/ingot/bench/internal/measure"
	"github.com/ingotdb/ingot/bench/internal/staged"
)

// documentPeers are the peers of bench/documents.
var documentPeers = map[string]struct {
	missing func() string
	load    func(j *documentJob, each func(staged.Sample) error) error
}{
	"duckdb":  {present, documentsDuckDB},
	"ladybug": {nodeMissing("@ladybugdb/core"), documentsLadybug},
}

// documentJob is loads of documents, all of them once in every pass.
type documentJob struct {
	*staged.Workload
	Threads int    `json:"threads"`
	Passes  int    `json:"passes"`
	Dir     string `json:"dir"`
}

// documents loads the documents that args say. Without -workload it only says, as an error,
// what is missing.
func documents(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("documents", flag.ContinueOnError)
	name := flags.String("peer", "", "`name` of the peer")
	workload := flags.String("workload", "", "`file` that says what to load")
	threads := flags.Int("threads", 1, "`number` of threads to use at most")
	passes := flags.Int("passes", 1, "`number` of loads of all documents, each into a new database")
	dir := flags.String("dir", "", "empty `directory` for the databases")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p, ok := documentPeers[*name]
	if !ok {
		return fmt.Errorf("no peer for documents is called %q", *name)
	}
	if why := p.missing(); why != "" {
		return fmt.Errorf("%s: %s", *name, why)
	}
	if *workload == "" {
		return nil
	}
	if *threads < 1 || *passes < 1 || *dir == "" {
		return errors.New("-threads, -passes and -dir are needed")
	}
	work, err := staged.Read(*workload)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	if err := p.load(&documentJob{work, *threads, *passes, *dir}, func(s staged.Sample) error { return enc.Encode(s) }); err != nil {
		return fmt.Errorf("%s: %w", *name, err)
	}
	return nil
}

// documentsDuckDB loads into tables of nodes with a primary key and tables of edges without.
func documentsDuckDB(j *documentJob, each func(staged.Sample) error) error {
	for pass := range j.Passes {
		dir := filepath.Join(j.Dir, fmt.Sprint(pass))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		err := passDuckDB(j, filepath.Join(dir, "duck.db"), func(document int, s measure.Sample) error {
			return each(staged.Sample{Pass: pass, Document: document, Sample: s})
		})
		if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	return nil
}

// passDuckDB loads every document once, into a new database file.
func passDuckDB(j *documentJob, path string, each func(int, measure.Sample) error) (err error) {
	db, err := openDuckDB(path, j.Threads)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version string
	if err := db.QueryRow("SELECT version()").Scan(&version); err != nil {
		return err
	}
	for _, t := range j.Tables {
		if _, err := db.Exec(t.Create()); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	for i, doc := range j.Documents {
		var rows int64
		s, err := measure.Timed(func() (err error) { rows, err = documentDuckDB(db, doc); return err })
		if err != nil {
			return err
		}
		s.Rows, s.Version = rows, strings.TrimPrefix(version, "v")
		if err := each(i, s); err != nil {
			return err
		}
	}
	return nil
}

// documentDuckDB loads one document in one transaction.
func documentDuckDB(db *sql.DB, doc []staged.Statement) (rows int64, err error) {
	if _, err := db.Exec("BEGIN"); err != nil {
		return 0, err
	}
	for _, st := range doc {
		res, err := db.Exec("COPY " + st.Table + " FROM " + quoted(st.File) + " (FORMAT csv, HEADER)")
		if err != nil {
			return 0, fmt.Errorf("%s: %w", st.File, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, err
		}
		rows += n
	}
	_, err = db.Exec("COMMIT")
	return rows, err
}

// documentsLadybug runs the script for LadybugDB, which prints all samples.
func documentsLadybug(j *documentJob, each func(staged.Sample) error) error {
	out, err := node("documents", j, j.Threads)
	if err != nil {
		return err
	}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var s staged.Sample
		if err := in.Decode(&s); err != nil {
			return fmt.Errorf("%w: %q", err, out)
		}
		if err := each(s); err != nil {
			return err
		}
	}
	return nil
}
