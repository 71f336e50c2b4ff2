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
// # Statements
//
// They are spelled as PostgreSQL spells them, where PostgreSQL has them:
//
//	CREATE TABLE [IF NOT EXISTS] t (column type [NOT NULL] [PRIMARY KEY] [UNIQUE] [DEFAULT e] [CHECK (e)], ...,
//	    [PRIMARY KEY (columns)] [UNIQUE (columns)] [CHECK (e)])
//	CREATE REL TABLE [IF NOT EXISTS] r (FROM a TO b [, FROM c TO d ...] [, property type ...])
//	ALTER TABLE t ADD COLUMN, DROP COLUMN, RENAME COLUMN, RENAME TO, ALTER COLUMN SET and DROP DEFAULT and NOT NULL
//	DROP TABLE [IF EXISTS] t, ... [CASCADE]      TRUNCATE t, ... [CASCADE]
//	INSERT INTO t [(columns)] {VALUES ... | SELECT ... | DEFAULT VALUES} [RETURNING list]
//	UPDATE t SET column = e, ... [WHERE e] [RETURNING list]
//	DELETE FROM t [WHERE e] [CASCADE] [RETURNING list]
//	SELECT [DISTINCT] list [FROM {t | function(...)} [AS name]] [WHERE e] [GROUP BY ...] [HAVING e]
//	    [ORDER BY ...] [LIMIT n] [OFFSET n]      VALUES (...), ...
//	COPY                                         docs/COPY.md
//	EXPLAIN [ANALYZE] [(FORMAT json)] statement
//	BEGIN [READ ONLY]  COMMIT  ROLLBACK          CHECKPOINT  VACUUM
//	SET TIME ZONE      SHOW name
//
// What is known and not done is 0A000 with a hint: joins, subqueries, WITH, window functions,
// UNION, views, indexes, savepoints, ON CONFLICT of INSERT, UPDATE with FROM, DELETE with
// USING, another type for a column, constraints added later.
//
// RETURNING is computed before the statement commits and held in memory, within
// SessionOptions.MemoryLimit; an error in it undoes the statement.
//
// # Graphs
//
// A rel table shows the primary keys of its nodes in the columns from and to, wherever a
// statement reads or writes it; one of several pairs is a rel group, a table for each pair.
// Searches are functions in FROM:
//
//	neighbors('rel', key)                    node, hops     one hop away, or min to max hops
//	reachable('rel', key)                    node, hops     any number of hops away, from 1 on
//	shortest_path('rel', from, to)           length, nodes [, weight]    one path, or no row
//	all_shortest_paths('rel', from, to)      length, nodes  a row for each path
//
// with these, by name: min and max bound the hops; direction is 'forward', 'backward' or
// 'both'; table is the node table that the keys are of, from_table and to_table that of either,
// where more than one has the key (22023 without); weight, of shortest_path alone, is a
// property, and the path is then one of least weight, whatever its hops, so that min and max
// are 0A000 beside it. A key that no node has gives no rows. Where the search meets it, a
// negative weight is 22003, one that is NULL or NaN 22023. Keys are of their tables' type, or
// text where the tables of the graph differ. More, such as walks, filters, components and
// PageRank, is in package graph.
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
