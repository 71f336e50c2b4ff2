package ingot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/parse"
)

// CopyStats are what a COPY did and what it took: rows, bytes, workers, reservations,
// and time by stage.
type CopyStats = copy.Result

// Outcome is how a statement ended.
type Outcome struct {
	Tag  string     // as PostgreSQL words it: COPY 200000, INSERT 0 3, CREATE TABLE
	Rows int64      // stored, changed, deleted, written or returned
	Copy *CopyStats // of a COPY; nil otherwise
}

// Exec runs one statement as a transaction of its own. Rows that it returns are counted
// and dropped. $1, $2 and so on in text stand for args: nil, bool, integers, floats,
// string, []byte, time.Time.
//
// When it returns without an error, what the statement wrote is durable. After an error
// nothing of it is there.
func (db *DB) Exec(ctx context.Context, text string, args ...any) (Outcome, error) {
	s := db.Session(SessionOptions{})
	out, err := exec(ctx, s, text, args)
	return out, errors.Join(err, s.Close())
}

// exec runs one statement on s and drops its rows.
func exec(ctx context.Context, s *Session, text string, args []any) (Outcome, error) {
	res, err := s.Exec(ctx, text, args...)
	if err != nil {
		return Outcome{}, err
	}
	if res.Columns != nil {
		for _, err := range res.Batches {
			if err != nil {
				return Outcome{}, err
			}
		}
	}
	return Outcome{Tag: res.Tag, Rows: res.Rows, Copy: res.Copy}, nil
}

// Query runs one statement and returns its rows. It sees the store as of its start. The
// caller closes the rows. See Exec for args.
func (db *DB) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	s := db.Session(SessionOptions{})
	res, err := s.Exec(ctx, text, args...)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return newRows(res, s.Location(), s.Close), nil
}

// CopyFrom loads what r reads into a table, in parallel, as one transaction: all rows or
// none. options are those of COPY as they stand between its parentheses, such as
// "HEADER, NULL 'NA'"; the format is csv unless they name one.
func (db *DB) CopyFrom(ctx context.Context, table string, r io.Reader, options string) (Outcome, error) {
	s := db.Session(SessionOptions{Stdin: r})
	out, err := runCopy(ctx, s, table, "FROM STDIN", options)
	return out, errors.Join(err, s.Close())
}

// CopyTo writes a table to w. options are as for CopyFrom.
func (db *DB) CopyTo(ctx context.Context, table string, w io.Writer, options string) (Outcome, error) {
	s := db.Session(SessionOptions{Stdout: w})
	out, err := runCopy(ctx, s, table, "TO STDOUT", options)
	return out, errors.Join(err, s.Close())
}

// runCopy runs the COPY of a table whose direction and other end are given.
func runCopy(ctx context.Context, s *Session, table, end, options string) (Outcome, error) {
	text := "COPY " + ast.Quote(table) + " " + end
	if options != "" {
		text += " (" + options + ")"
	}
	stmt, err := parse.Statement(text)
	if err != nil {
		return Outcome{}, err
	}
	if c, ok := stmt.(*ast.Copy); ok && !slices.ContainsFunc(c.Options, isFormat) {
		c.Options = append(c.Options, ast.Option{
			Ident: ast.Ident{Name: "format"}, Value: ast.Value{Kind: ast.WordValue, Text: "csv"},
		})
	}
	res, err := s.Run(ctx, stmt, nil)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Tag: res.Tag, Rows: res.Rows, Copy: res.Copy}, nil
}

func isFormat(o ast.Option) bool { return o.Name == "format" }

// Tx is a transaction of several statements: they commit together, with one sync. It is
// for one goroutine at a time.
//
// It takes the store's write lock with its first statement that writes; if it had read
// before and somebody has committed since, that statement fails with ErrConflict. A
// statement sees the store as of its start and what its transaction wrote. After an error
// every statement but Rollback fails with 25P02.
type Tx struct {
	session *Session
	done    bool
}

// ErrTxDone says that a Tx was used after Commit or Rollback.
var ErrTxDone = errors.New("ingot: the transaction has ended")

// Begin starts a transaction. The caller ends it with Commit or Rollback.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	s := db.Session(SessionOptions{})
	if _, err := exec(ctx, s, "BEGIN", nil); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Tx{session: s}, nil
}

// Exec runs one statement in the transaction; see DB.Exec. Only Commit makes it durable.
func (tx *Tx) Exec(ctx context.Context, text string, args ...any) (Outcome, error) {
	if tx.done {
		return Outcome{}, ErrTxDone
	}
	return exec(ctx, tx.session, text, args)
}

// Query runs one statement in the transaction and returns its rows; see DB.Query. Close
// the rows before the next statement.
func (tx *Tx) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	if tx.done {
		return nil, ErrTxDone
	}
	res, err := tx.session.Exec(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return newRows(res, tx.session.Location(), func() error { return nil }), nil
}

// CopyFrom loads what r reads in the transaction; see DB.CopyFrom.
func (tx *Tx) CopyFrom(ctx context.Context, table string, r io.Reader, options string) (Outcome, error) {
	if tx.done {
		return Outcome{}, ErrTxDone
	}
	tx.session.SetStdin(r)
	defer tx.session.SetStdin(nil)
	return runCopy(ctx, tx.session, table, "FROM STDIN", options)
}

// Commit makes the transaction durable and seen by others. If it had failed it is rolled
// back, and the error says so.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx.done {
		return ErrTxDone
	}
	tx.done = true
	failed := tx.session.Failed()
	_, err := exec(ctx, tx.session, "COMMIT", nil)
	if err == nil && failed {
		err = fmt.Errorf("ingot: commit: a statement had failed, the transaction was rolled back")
	}
	return errors.Join(err, tx.session.Close())
}

// Rollback gives the transaction up: nothing of it was ever there. After Commit it does
// nothing and returns ErrTxDone, so that it can be deferred.
func (tx *Tx) Rollback() error {
	if tx.done {
		return ErrTxDone
	}
	tx.done = true
	return tx.session.Close()
}
