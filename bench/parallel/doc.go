// Command parallel compares the two ways in which a parallel COPY finds where records
// end:
//
//	workers  a regular file: every worker counts record ends in its splits, then the
//	         splits are summed up and each worker knows where its rows begin
//	leader   a stream: one goroutine reads, finds record ends and hands ranges to workers
//	pipe     the same, from a pipe that another process writes into
//
//	go run ./bench/parallel [-kinds LIST] [-workers LIST] [-rounds N] [-scale F] [-long] [-dir DIR] [-results DIR]
//
// leader reads the same file as workers, so what differs is the design; pipe adds what a
// pipe costs. There are four kinds of input:
//
//	narrow   two integers, 14 bytes a row
//	wide     89 integers, 930 bytes a row
//	quotes   five quoted text fields with quotes, delimiters and line feeds in them
//	long     an integer and 1 MB of text; 300 rows, or 10,000 with -long
//
// The ways take turns: one load each, into a new store and without sync, then again, N
// times. Raw numbers go to RESULTS/parallel-DATE.txt, a table of medians to standard
// output. The column "first row" says how much of the stream had been read when the
// first row was converted: a stream that comes slowly is not waited for to its end.
//
// Exit status: 0 done, 1 something failed, 2 usage.
package main
