// Command peers runs the loads of the systems that ingot is measured against.
//
//	peers list                    one JSON object per peer and line: name, durable, formats, tasks, skip
//	peers load -peer NAME -input NAME [-format F] -file FILE -threads N -dir DIR [-keep]
//	peers do   -peer NAME -input NAME [-format F] -file FILE -threads N -dir DIR -tasks LIST [-runs N]
//	peers small -peer ladybug|duckdb [-file FILE -threads N -dir DIR -n N]
//	peers documents -peer ladybug|duckdb [-workload FILE -threads N -passes N -dir DIR]
//
// load makes a new database in DIR, which is empty, makes a table with the columns of the
// input (package bench/gen/inputs), loads FILE into it, counts its rows, and prints one JSON
// object, a measure.Sample. Its times are those of the statement that loads.
//
// do does tasks (package bench/internal/tasks) with the database that a load has left in DIR,
// and prints a results.TaskSample for each time; Polars reads FILE first. A query is answered
// N times, a file is written once, and removed.
//
// small does N+1 loads of a file of the input small89 in one process and prints a
// measure.Repeat. documents loads the documents of a staged.Workload, N times, each time into a
// new database, and prints a staged.Sample for each. Without a file both only say what is
// missing.
//
// A peer whose program or package is not installed has its reason in skip, and its load
// fails with the same words. Nothing is installed here: docs/BENCHMARKS.md says how.
//
// Every peer reads the same file and is told the types of the columns. What differs:
//
//	duckdb           in process, database file; commits are synced
//	duckdb-plain     the same with force_compression = uncompressed
//	duckdb-memory    in process, no file
//	chdb             ClickHouse in process, MergeTree, parts synced at insert
//	chdb-nosync      the same as it comes: parts are not synced
//	postgres         a server of its own for the load, on a Unix socket; psql
//	postgres-unlogged  the same, table UNLOGGED
//	polars           in process, a data frame in memory
//	sqlite           the shell's .import: one transaction, synced; empty text, no nulls
//	arrow-go         record batches in memory; CSV and Arrow in one goroutine, Parquet by columns
//	simdjson-go      tapes of the lines of NDJSON: no value is converted, nothing is stored
//
// Columns of chdb are Nullable only where the input has nulls, which is how its users
// would declare them. Polars and arrow-go read numeric(12,2) as float64 and uuid as text from
// CSV. Of NDJSON Polars finds the types itself; dates, times and UUIDs stay text.
//
// The module is nested so that ingot itself does not depend on cgo, which DuckDB needs.
package main
