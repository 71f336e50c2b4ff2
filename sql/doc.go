// Package sql runs statements: it binds what package parse read to the tables of a store
// and executes it.
//
// A Session is the state that statements share: the transaction, the time zone, standard
// input and output. Outside BEGIN every statement is a transaction of its own, and when
// its tag is returned, what it did is durable. Inside, a statement sees the version of the
// store at its start and what the transaction itself wrote; the write lock is taken by
// the first statement that writes, which fails with 40001 (columnar.ErrConflict) if
// somebody committed since the transaction first read. An error ends the transaction: its
// lock is given back at once, and every statement but ROLLBACK is 25P02.
//
// # Queries
//
// A SELECT reads one table. Rows pass through these steps, a batch of at most 2,048 rows
// at a time:
//
//	scan      columns that the query names, fragments that WHERE can exclude left out
//	filter    WHERE gives a bitmap; what it leaves out is not computed
//	group     hash of the keys, aggregates by kernels where there is one group
//	project   the select list
//	distinct, sort, offset and limit
//
// Filter and group run on several workers when there is more than one row group. A worker
// takes a row group at a time, and what the groups gave is put together in row order, so
// the result is the same for every number of workers, floating-point sums included.
//
// Memory for grouping and sorting is bounded by SessionOptions.MemoryLimit; beyond it a
// statement fails with 53200.
package sql
