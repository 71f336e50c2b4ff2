// Package measure is what the benchmark programs share: their command lines (Main, Parse),
// one measurement (Sample, Timed), the memory of a process tree while it runs (Run),
// instructions (CountInstructions), the speed of the disk (ProbeDisk), raw files with the
// machine in their header (CreateRaw), and medians.
//
// Times are nanoseconds and sizes are bytes, each said in the name. Memory is RssAnon:
// the pages of a process that no file backs. Pages of mapped files are the page cache's
// and not counted, for ingot and for its peers alike. It is read from /proc, so it is 0
// on systems without one.
package measure
