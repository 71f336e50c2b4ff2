package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/sql/parse"
)

// Conn is a connection: a session of the store.
type Conn struct {
	db      *ingot.DB
	session *ingot.Session
	owns    *Connector // closed with the connection; nil if others use it
}

// What database/sql looks for beside driver.Conn.
var (
	_ driver.ExecerContext     = (*Conn)(nil)
	_ driver.QueryerContext    = (*Conn)(nil)
	_ driver.ConnBeginTx       = (*Conn)(nil)
	_ driver.Pinger            = (*Conn)(nil)
	_ driver.SessionResetter   = (*Conn)(nil)
	_ driver.NamedValueChecker = (*Conn)(nil)
)

// Close rolls back what is open.
func (c *Conn) Close() error {
	err := c.session.Close()
	if c.owns != nil {
		err = errors.Join(err, c.owns.Close())
	}
	return err
}

// Ping reports whether the store is still open.
func (c *Conn) Ping(context.Context) error {
	snap, err := c.db.Snapshot()
	if err != nil {
		return err
	}
	snap.Release()
	return nil
}

// ResetSession readies the connection for its next user: what a BEGIN left open is rolled
// back, and the time zone is again that of the data source name.
func (c *Conn) ResetSession(context.Context) error {
	err := c.session.Close()
	c.session = c.db.Session(ingot.SessionOptions{})
	return err
}

// CheckNamedValue lets readers and writers pass, which stand for STDIN and STDOUT. Other
// values are converted as database/sql does it.
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error {
	if v.Name != "" {
		return fmt.Errorf("ingot: the argument is named %s: parameters are $1, $2 and so on", v.Name)
	}
	switch v.Value.(type) {
	case driver.Valuer:
	case io.Reader, io.Writer:
		return nil
	}
	return driver.ErrSkip
}

// run runs a statement. stop gives STDIN and STDOUT back when it has ended.
func (c *Conn) run(ctx context.Context, text string, args []driver.NamedValue) (res *ingot.Result, stop func(), err error) {
	values := make([]any, 0, len(args))
	var in io.Reader
	var out io.Writer
	for _, a := range args {
		switch v := a.Value.(type) {
		case io.Reader:
			in = v
		case io.Writer:
			out = v
		default:
			values = append(values, v)
		}
	}
	c.session.SetStdin(in)
	c.session.SetStdout(out)
	stop = func() {
		c.session.SetStdin(nil)
		c.session.SetStdout(nil)
	}
	if res, err = c.session.Exec(ctx, text, values...); err != nil {
		stop()
		return nil, nil, err
	}
	return res, stop, nil
}

// ExecContext runs a statement; rows that it returns are counted and dropped.
func (c *Conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	res, stop, err := c.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	defer stop()
	for _, err := range res.Batches {
		if err != nil {
			return nil, err
		}
	}
	return affected(res.Rows), nil
}

// QueryContext runs a statement and returns its rows.
func (c *Conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	res, stop, err := c.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	stop()
	return newRows(ingot.NewRows(c.session, res)), nil
}

// affected is what database/sql wants to know of a statement that returns no rows.
type affected int64

// LastInsertId is not known: rows have no number that a statement could use.
func (affected) LastInsertId() (int64, error) {
	return 0, errors.New("ingot: there is no last insert id: use RETURNING")
}

// RowsAffected returns the number of rows stored, changed, deleted, or written.
func (n affected) RowsAffected() (int64, error) { return int64(n), nil }

// Begin starts a transaction.
func (c *Conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx starts a transaction. A transaction sees one commit of the store and its own
// changes, and one that read before it wrote fails with 40001 if somebody else has
// committed in between: that is serializable, and so every isolation level is met.
func (c *Conn) BeginTx(ctx context.Context, opt driver.TxOptions) (driver.Tx, error) {
	if level := sql.IsolationLevel(opt.Isolation); level < sql.LevelDefault || level > sql.LevelLinearizable {
		return nil, fmt.Errorf("ingot: there is no isolation level %d", opt.Isolation)
	}
	text := "BEGIN"
	if opt.ReadOnly {
		text = "BEGIN READ ONLY"
	}
	if _, err := c.session.Exec(ctx, text); err != nil {
		return nil, err
	}
	return tx{c}, nil
}

// tx is the transaction that is open on a connection.
type tx struct{ *Conn }

// Commit makes the transaction durable. If a statement of it had failed it is rolled back,
// and the error says so.
func (t tx) Commit() error {
	failed := t.session.Failed()
	if _, err := t.session.Exec(context.Background(), "COMMIT"); err != nil {
		return err
	}
	if failed {
		return errors.New("ingot: commit: a statement had failed, the transaction was rolled back")
	}
	return nil
}

// Rollback gives the transaction up.
func (t tx) Rollback() error {
	_, err := t.session.Exec(context.Background(), "ROLLBACK")
	return err
}

// Prepare checks the syntax of a statement.
func (c *Conn) Prepare(text string) (driver.Stmt, error) {
	if _, err := parse.Statement(text); err != nil {
		return nil, err
	}
	return &stmt{c, text}, nil
}

// stmt is a prepared statement. What its names mean is looked up when it runs.
type stmt struct {
	conn *Conn
	text string
}

// Close does nothing.
func (s *stmt) Close() error { return nil }

// NumInput leaves the check of the arguments to the statement.
func (s *stmt) NumInput() int { return -1 }

// CheckNamedValue does what that of the connection does.
func (s *stmt) CheckNamedValue(v *driver.NamedValue) error { return s.conn.CheckNamedValue(v) }

// Exec runs the statement.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), numbered(args))
}

// Query runs the statement and returns its rows.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), numbered(args))
}

// ExecContext runs the statement.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.text, args)
}

// QueryContext runs the statement and returns its rows.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.text, args)
}

func numbered(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, v := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return out
}
