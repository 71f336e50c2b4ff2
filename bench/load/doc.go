// Command load measures bulk loads, files written from a loaded table, and queries of it: the
// ingot command beside the peers of bench/peers that are installed.
//
//	go run ./bench/load     [-inputs LIST] [flags]              loads
//	go run ./bench/load out [-inputs LIST] [-tasks LIST] [-runs N] [flags]
//
//	flags: [-threads LIST] [-rounds N] [-scale F] [-short|-long] [-peers LIST|all|none]
//	       [-dir DIR] [-results DIR] [-ingot FILE]
//
// It is run from the root of the repository. The inputs are those of bench/gen; behind a
// point an input may have a format: ints10.binary is ints10 as PostgreSQL's binary, and
// there are csv, which is left out, text, binary, ndjson, arrow and parquet. A CSV file is
// written by bench/gen, any other by ingot from that, before anything is measured; one that
// is in DIR already, such as mixed-3000000.parquet, is taken as it is. NDJSON has a third of
// the rows. -scale 0.1 takes a tenth of all rows. -short is a hundredth in one round, to see
// that everything works; -long is 2.2 times the rows, 1 GB of CSV, in five.
//
// # Loads
//
// For every input and number of threads there are N rounds; in each, every loader loads
// the file once, in a new process and into a new database: A B C, B C A, C A B. So what
// disturbs the machine disturbs all of them. The file was read just before, so it is in
// the page cache. After each load its database is removed and the disk is synced, so that
// no loader pays for the pages of another.
//
// A sample's times are those of the statement that loads; the peak of anonymous memory is
// of the process, its children included. In every round the disk is probed with one sync
// of as many bytes as ingot has stored. A durable load cannot be faster than its bound:
//
//	bound = CPU time of the load without sync / threads + time of that sync
//
// # Files and queries
//
// Every loader has the CSV file of an input in a database before anything is measured; Polars
// reads it into memory each time instead. In each round every one of them, in a new process
// and in turn as above, does the tasks of the input: queries, each several times, of which
// the first is in the raw file and not in the medians; then files, each once, that are
// removed and, afterwards, synced outside the measured time. Package bench/internal/tasks has
// the list. Answers to a query must be the same from all.
//
// # Results
//
// Raw samples go to RESULTS/load-DATE.txt, or RESULTS/out-DATE.txt, a line of JSON each,
// below a header that says on what machine. Tables of medians go to standard output, as
// Markdown. The column "ratio" is the loader's wall time by that of ingot with the same
// promise: of durable loads that of ingot, of others that of ingot-nosync. "CPU ratio" is
// the same of CPU time, which a busy machine disturbs less.
//
// A peer that is not installed, or that fails, is named with its reason, in both.
//
// Exit status: 0 done, 1 something failed, 2 usage.
package main
