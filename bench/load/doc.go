// Command load measures bulk loads of CSV: the ingot command, durable and without sync,
// beside the peers of bench/peers that are installed.
//
//	go run ./bench/load [-inputs LIST] [-threads LIST] [-rounds N] [-peers LIST|all|none]
//	                    [-scale F] [-dir DIR] [-results DIR] [-ingot FILE]
//
// It is run from the root of the repository. The inputs are those of bench/gen; -scale
// 0.1 takes a tenth of their rows.
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
// Raw samples go to RESULTS/load-DATE.txt, a line of JSON each, below a header that says
// on what machine. Tables of medians go to standard output, as Markdown. The column
// "ratio" is the loader's wall time by that of ingot with the same promise: of durable
// loads that of ingot, of others that of ingot-nosync. "CPU ratio" is the same of CPU time,
// which a busy machine disturbs less.
//
// A peer that is not installed, or that fails, is named with its reason, in both.
//
// Exit status: 0 done, 1 something failed, 2 usage.
package main
