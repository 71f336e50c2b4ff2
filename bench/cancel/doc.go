// Cancel measures how long a COPY goes on after its context was cancelled.
//
// Each kind of load is run once to its end, and then cancelled at moments that are spread
// evenly over the time it took, one moment per run, drawn within its share of the time.
// What counts is the time from the cancellation to the return of the statement. After each,
// the table must be as it was, and when the store has been closed, its directory as large:
// the space of a cancelled load is given back behind, so it is not looked at before.
//
//	ints10    a CSV file of ten integer columns
//	shuffled  keys in random order into an empty table: they are compared with each other
//	again     the same keys once more, into a table that has them, with ON_CONFLICT ignore
//	replace   the same with ON_CONFLICT replace
//	text      keys of text, in random order
//	record    one record of many fields, the last of which is wrong
//
// The result is a table of the number of cancelled loads, the median and the largest time,
// and where in the load the largest was. It is a measurement and no test: the times are
// those of a machine.
package main
