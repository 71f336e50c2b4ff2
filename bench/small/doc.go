// Command small measures what a small COPY costs, whatever it is configured with: 100
// rows of 89 bigint columns from a CSV file of 94 kB, and no rows at all, in one process,
// with a limit of 1, 4, 16 and 64 workers.
//
//	go run ./bench/small [-rows LIST] [-workers LIST] [-n N] [-rounds R] [-peers=false] [-results DIR]
//	go run ./bench/small instructions [-n N] [the same]
//	go run ./bench/small run -file FILE -workers N -durability full|none [-empty] -n N -dir DIR
//
// It is run from the root of the repository. The first form measures, for every number of
// rows and workers, ingot (durable), ingot without sync, and LadybugDB and DuckDB if they
// are installed, one after the other, and that R times. Each is a new process with a new
// database, which does one COPY and then N more. Raw numbers go to RESULTS/small-DATE.txt,
// a table of medians to standard output.
//
// The second form counts instructions with valgrind's callgrind, without sync. It runs N
// and then 2N COPYs and divides the difference by N, so what a process does once is not in
// it. Each COPY of rows is followed by a TRUNCATE, counted too: rows that stay would be
// folded in the background, now a little earlier, now later. Two runs differ by a few in a
// thousand, on any machine, busy or not.
//
// The third form is what both start: N+1 COPYs of FILE, one line of JSON.
//
// The same COPYs are Go benchmarks:
//
//	go test -run '^$' -bench . ./bench/small
//
// Log bytes are what was written to the log, in whole blocks of 4 KiB, without the zeros
// that a log is prepared with. Every COPY is parsed from its text, as a program would
// have it done.
package main
