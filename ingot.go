// Package ingot is an embedded columnar store: it takes files and Arrow data in as fast
// as the machine allows, keeps the columns in memory-mapped files, and answers from them
// through snapshots that no lock guards.
//
//	db, err := ingot.Open(ctx, "flights.ingot", ingot.Options{Files: ingot.AnyFile()})
//	...
//	defer db.Close()
//	_, err = db.Exec(ctx, `COPY flights FROM 'flights.csv' (FORMAT csv, HEADER)`)
//	rows, err := db.Query(ctx, `SELECT origin, count(*) FROM flights GROUP BY origin`)
//
// # Statements
//
// Exec and Query run one statement of ingot's SQL, with $1, $2 and so on taken from the
// arguments. Each is a transaction of its own; when it returns without an error, what it
// wrote is durable (see Options.Durability). Begin starts a Tx of several statements.
// There is one write transaction at a time per store; readers never wait and are never
// waited for. Session is the same for programs that take statements from elsewhere, with
// BEGIN and COMMIT, COPY FROM STDIN and TO STDOUT, notices and progress.
//
// # Formats
//
// COPY reads and writes csv, text, PostgreSQL's binary, NDJSON and Arrow IPC, and Parquet in a
// program that imports copy/parquet; copy.Register adds a format. Files are read and written
// as Options.Files allows, which is not at all unless it is set. Arrow data of the program is
// read by queries under the name that DB.RegisterArrow gives it.
//
// # Graphs
//
// A rel table has edges between rows of tables with a primary key. Statements search it by
// table functions (package sql), programs by Snapshot.Graph and package graph.
//
// # Columns
//
// DB.Scan and Snapshot.Scan read a table as Arrow record batches, without a copy. Such a
// batch holds a lease on the mapping it looks at: Release it, and Retain it to keep it
// beyond the loop.
//
// # Errors
//
// Every error of a statement has a SQLSTATE (SQLState) and, where input is to blame,
// file, line, column and value (AsError). Outcomes that a program acts on are the
// sentinels of this package: errors.Is(err, ingot.ErrConflict).
//
// # Memory that is not yours
//
// Values of a Batch and of zero-copy Arrow data lie in mapped files. A Batch is valid
// during its step of the loop only. If a file of the store is truncated by somebody else
// while it is read, ingot's own goroutines turn the fault into an error; a goroutine of
// yours that reads batches does so inside mmap.Guard.
package ingot

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql"
)

// Durability says when a commit may be lost.
type Durability = columnar.Durability

// Full syncs every commit before it is acknowledged. None leaves that to the system: a
// crash of the machine can lose the latest commits, each wholly, and never damages the
// store; CHECKPOINT and Close make everything durable.
const (
	Full = columnar.Full
	None = columnar.None
)

// Files says which files statements may read and write; see AnyFile and FilesIn.
type Files = copy.Files

// AnyFile allows every file that the process can reach: right for a tool that its own
// user runs.
func AnyFile() Files { return copy.AnyFile() }

// FilesIn allows the files below dir: names are relative to it, and neither .. nor a
// symbolic link leads out of it. Close the result when no DB uses it any more.
func FilesIn(dir string) (Files, error) { return copy.FilesIn(dir) }

// Options say how a store is opened and how statements run. The zero value opens for
// writing, creates the store if it is absent, syncs every commit, uses every processor,
// and lets no statement touch a file.
type Options struct {
	ReadOnly    bool           // open an existing store; writing statements are 25006
	Durability  Durability     // Full or None
	MaxWorkers  int            // goroutines of one statement at most; 0 is GOMAXPROCS. What the input does not justify is not used
	BlockSize   int            // bytes of input a worker takes at a time; 0 is copy's default. Any size gives the same table
	MemoryLimit int64          // bytes that sorts and groupings of a statement, and all key indexes of the store, may take before they fail with 53200; 0 is DefaultMemoryLimit
	Files       Files          // files that statements may name; the zero Files is none. Go calls that are given a reader or a writer need no permission
	BusyTimeout time.Duration  // wait for another write transaction at most; 0 is 5 s, negative does not wait
	Location    *time.Location // session time zone; nil is UTC. The environment is never asked
	Logger      *slog.Logger   // where background work reports; nil is nowhere

	// Program runs the commands of COPY ... PROGRAM; nil, the default, refuses them. What
	// it returns gives the command's output or takes its input; Close waits for its end and
	// returns an error if it has failed, which fails the COPY.
	Program func(ctx context.Context, command string, write bool) (io.ReadWriteCloser, error)
}

// DefaultMemoryLimit is Options.MemoryLimit if that is 0.
const DefaultMemoryLimit = sql.DefaultMemoryLimit

// check refuses what no statement could make sense of.
func (o *Options) check() error {
	switch {
	case o.MaxWorkers < 0:
		return fmt.Errorf("ingot: MaxWorkers is %d: want 0 for every processor, or more", o.MaxWorkers)
	case o.BlockSize < 0:
		return fmt.Errorf("ingot: BlockSize is %d: want 0 for the default, or more", o.BlockSize)
	case o.MemoryLimit < 0:
		return fmt.Errorf("ingot: MemoryLimit is %d: want 0 for the default, or more", o.MemoryLimit)
	case o.Durability != Full && o.Durability != None:
		return fmt.Errorf("ingot: Durability is %d: want Full or None", o.Durability)
	}
	return nil
}

// DB is an open store. It is safe for concurrent use. Close it when done.
type DB struct {
	store *columnar.Store
	path  string
	opt   Options

	shared sql.Shared
}

// Path returns the directory of the store, as it was given to Open.
func (db *DB) Path() string { return db.path }

// Close makes everything committed durable, unlocks the store and refuses new work. It
// does not wait for readers: snapshots and batches stay valid until they are released,
// and what is still out is reported as a *Leased error.
func (db *DB) Close() error { return db.store.Close() }

// Checkpoint writes what small transactions left in the log into data files, so that the
// log can be cut and the next open is quick. Readers and the space they hold are left
// alone.
func (db *DB) Checkpoint(ctx context.Context) error { return db.store.Checkpoint(ctx) }

// Vacuum gives the space of deleted rows back.
func (db *DB) Vacuum(ctx context.Context) error { return db.store.Vacuum(ctx) }

// Session is a sequence of statements with its own transaction, time zone, standard
// input and output.
type Session = sql.Session

// Result is how a statement of a Session ended.
type Result = sql.Result

// Batch is consecutive rows of a result, by column. It is valid during its step only.
type Batch = sql.RowBatch

// Progress is how far a running COPY is. Its counters change while it runs.
type Progress = copy.Progress

// SessionOptions are what a Session has beside the options of its DB. The zero value
// reads and writes no standard stream and reports nothing.
type SessionOptions struct {
	Stdin      io.Reader       // what COPY FROM STDIN reads
	Stdout     io.Writer       // what COPY TO STDOUT writes
	OnNotice   func(string)    // called with each notice
	OnProgress func(*Progress) // called when a COPY begins; any goroutine may read the counters
}

// RegisterArrow lets queries of every session read t by name, as a table in FROM:
//
//	err := db.RegisterArrow("staged", t)
//	_, err = db.Exec(ctx, "COPY nodes FROM (SELECT id, name FROM staged)")
//
// The data is not copied where an Arrow type has the layout of a column, which are
// integers, floats, booleans, dates, utf8, binary, microseconds and decimals of the width that
// their precision needs. t is retained until the name is registered again or unregistered, by
// when queries that read it must have ended, and must not be changed. A table of the store
// with the same name comes first.
func (db *DB) RegisterArrow(name string, t arrow.Table) error {
	return db.shared.RegisterArrow(name, t)
}

// UnregisterArrow takes a name back, and releases its data. Queries that read it must have
// ended. A name that is not registered is 42P01.
func (db *DB) UnregisterArrow(name string) error { return db.shared.UnregisterArrow(name) }

// Session starts a session. It is for one goroutine; Close rolls back what is open.
func (db *DB) Session(opt SessionOptions) *Session {
	return sql.NewSession(db.store, sql.SessionOptions{
		MaxWorkers: db.opt.MaxWorkers, BlockSize: db.opt.BlockSize, MemoryLimit: db.opt.MemoryLimit,
		Files: db.opt.Files, Location: db.opt.Location, Program: db.opt.Program, Shared: &db.shared,
		Stdin: opt.Stdin, Stdout: opt.Stdout, OnNotice: opt.OnNotice, OnProgress: opt.OnProgress,
	})
}
