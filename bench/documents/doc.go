// Command documents measures loads as a program does them that projects documents into
// graphs: many small COPYs of Arrow data in one transaction per document.
//
//	go run ./bench/documents [-workers LIST] [-passes N] [-rounds R] [-results DIR]
//	go run ./bench/documents peers [-peers LIST] [-workers LIST] [-documents N] [-passes N] [-rounds R] [-short] [-results DIR]
//	go run ./bench/documents instructions [-document D] [-workers LIST] [-n N] [-results DIR]
//	go run ./bench/documents run -workers LIST -durability full|none [-documents N] [-files FILE] -passes N -dir DIR
//	go run ./bench/documents repeat -document D -workers N -n N -dir DIR
//
// It is run from the root of the repository.
//
// # Workload
//
// There are 12 tables of nodes, of 9 to 89 columns, 660 in all, and 47 tables of edges, one
// per pair of tables that edges go between. Fifteen documents of 22 to 21,935 nodes, with one
// edge fewer than nodes, fill 14 to 32 of these each. The 366 statements are small: 127 have
// fewer than 10 rows, 248 fewer than 100, 334 fewer than 1,000, 364 fewer than 10,000; the
// median is 30, the largest 11,297. The first table of nodes gets one row from every document.
//
// A node is a key (bigint, PRIMARY KEY, ascending) and properties of text, bigint, integer,
// double precision, boolean, timestamptz and date, many of them mostly null. An edge is two
// keys of nodes and three properties; its table is a plain one.
//
// Each statement is two calls: the Arrow table that has its rows is registered under a name,
// and COPY t FROM (SELECT columns FROM that name) loads it. Registering is part of the
// measured time, making the Arrow table is not.
//
// # Measures
//
// The first form runs, for durability full and none in turn and that R times, a new process
// that loads all documents N+1 times. A process has one new store each time for every number
// of workers, and loads a document into each of them before it goes to the next document, so
// that what is compared was measured within a moment; the order changes every time. The first
// time is kept in the raw file and not in the medians. The list of workers ends with its first
// number again: what differs between those two is noise, and no other difference that is not
// larger means anything. Raw numbers go to RESULTS/documents-DATE.txt, tables of medians to
// standard output.
//
// Wall time, CPU time of the process, minor faults and allocations of Go's heap are those
// from BEGIN to the end of COMMIT, of whatever the process does in that time: collecting
// garbage and folding the log are in it.
//
// The second form compares with DuckDB and LadybugDB, if bench/peers can be built and has
// them: per round and number of threads one process of each, who begins rotates. They load the
// same rows from CSV files in the page cache, one for each statement, in one transaction per
// document, durably. LadybugDB's edges are relations, the others' plain tables. Two loaders are
// ingot's: ingot loads Arrow data as above, ingot-csv the files. Raw samples go to
// RESULTS/documents-peers-DATE.txt.
//
// The third form counts instructions of one document with valgrind's callgrind, without
// sync: of 2N loads less those of N, divided by N. Each load is followed by a TRUNCATE of
// what it filled, counted too.
//
// The fourth and fifth forms are what these start.
//
// The same loads are Go benchmarks:
//
//	go test -run '^$' -bench . ./bench/documents
package main
