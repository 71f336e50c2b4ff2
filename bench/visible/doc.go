// Command visible measures what it costs to ask whether a row can be seen: random ids, in a
// table of one row group and in one of 2 million rows, of which nothing, the first row of
// each group, 1 % or 50 % is deleted, by 1 to 16 goroutines that share one version.
//
//	go run ./bench/visible [-groups LIST] [-goroutines LIST] [-checks N] [-rounds R] [-results DIR]
//
// It is run from the root of the repository. A round measures every combination once, so
// that what disturbs the machine disturbs all of them; R rounds are made. Raw numbers go to
// RESULTS/visible-DATE.txt, a table of medians to standard output: the nanoseconds of processor
// time of one check by the first number of goroutines, which say something on a busy machine
// too, and millions of checks in a second by all.
//
// With one group the bitmaps of the delete states are 16 KiB, in the L1 cache; with 16 they
// are 256 KiB, in L2. The ids are 65,536 in random order, 512 KiB, read in sequence. A check
// adds its answer to a count, without a branch: what a branch on it costs is a matter of the
// answers.
//
// Between two and more goroutines than processors the number of checks in a second must not
// fall: they share memory that nobody writes to.
package main
