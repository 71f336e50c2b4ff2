package sql

import (
	"iter"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
)

// Result is how a statement ended, or the rows that it gives.
type Result struct {
	// Tag is PostgreSQL's command tag. Of a statement that gives rows it is set when the
	// last row was taken from Batches.
	Tag string
	// Statement is the tag without a number: COPY, SELECT, CREATE TABLE.
	Statement string
	// Columns describes the rows; nil if the statement gives none.
	Columns []ResultColumn
	// Batches gives the rows, once. A batch is valid during its step of the loop; its
	// columns may lie in mapped files, so code that reads them belongs in mmap.Guard.
	// Leaving the loop early ends the statement.
	Batches iter.Seq2[*RowBatch, error]
	// Rows is the number of rows that were written, deleted or given; of rows that are
	// given it is known when the loop has ended.
	Rows int64
	// Copy says what a COPY took; nil for other statements.
	Copy *copy.Result

	end func(error) // ends the statement; nil when it has ended
}

// ResultColumn is a column of a result.
type ResultColumn struct {
	Name string
	Type columnar.Type
}

// RowBatch is consecutive rows of a result, by column.
type RowBatch struct {
	Rows int
	Cols []columnar.Vec
}

// Close ends a result whose rows are not wanted to their end. It need not be called after
// the loop over Batches; the next statement of the session closes it too.
func (r *Result) Close() {
	if r.end != nil {
		end := r.end
		r.end = nil
		end(nil)
	}
}

// none is the Batches of a statement without rows.
func none(func(*RowBatch, error) bool) {}

// command returns the result of a statement without rows.
func command(tag string) *Result { return &Result{Tag: tag, Statement: tag, Batches: none} }
