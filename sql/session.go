package sql

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/sql/ast"
	"github.com/ingotdb/ingot/sql/internal/expr"
	"github.com/ingotdb/ingot/sql/parse"
	"github.com/ingotdb/ingot/visibility"
)

// DefaultMemoryLimit is what sorts and groupings of a statement may take if
// SessionOptions do not say it.
const DefaultMemoryLimit = 1 << 30

// SessionOptions configure a Session. The zero value is the documented default of each.
type SessionOptions struct {
	MaxWorkers  int            // goroutines of one statement at most; 0 is GOMAXPROCS
	BlockSize   int            // bytes of a split of a COPY; 0 is copy's default
	MemoryLimit int64          // bytes that sorts and groupings may take; 0 is DefaultMemoryLimit
	Files       copy.Files     // files that statements may name
	Location    *time.Location // time zone until SET TIME ZONE; nil is UTC
	Stdin       io.Reader      // what COPY FROM STDIN reads; nil refuses it
	Stdout      io.Writer      // what COPY TO STDOUT writes; nil refuses it
	OnNotice    func(string)   // called with each notice
	// OnProgress is called when a COPY begins, with counters that change while it runs
	// and may be read from any goroutine.
	OnProgress func(*copy.Progress)
	// Program runs the command of a COPY ... PROGRAM: what it writes is read, or what it reads
	// is written. Close waits for its end and returns an error if it has failed. nil, the
	// default, refuses every PROGRAM.
	Program func(ctx context.Context, command string, write bool) (io.ReadWriteCloser, error)
	// Shared is what the session has in common with others; nil is something of its own.
	Shared *Shared
}

// Session runs statements one after the other. It is for one goroutine at a time.
type Session struct {
	store *columnar.Store
	opt   SessionOptions
	loc   *time.Location
	tx    *transaction // nil outside BEGIN
	open  *Result      // whose rows are not all taken
}

// transaction is what BEGIN opened.
type transaction struct {
	txn     *columnar.Txn // from the first write on
	read    bool          // a statement has read
	readSeq visibility.CommitSeq
	failed  bool
	begun   time.Time
	snap    *columnar.Snapshot // what every statement of a READ ONLY transaction sees; nil in others
}

// NewSession returns a session on store, which stays the caller's.
func NewSession(store *columnar.Store, opt SessionOptions) *Session {
	if opt.MemoryLimit == 0 {
		opt.MemoryLimit = DefaultMemoryLimit
	}
	if opt.Location == nil {
		opt.Location = time.UTC
	}
	if opt.Shared == nil {
		opt.Shared = new(Shared)
	}
	return &Session{store: store, opt: opt, loc: opt.Location}
}

// SetStdin sets what COPY FROM STDIN reads from the next statement on.
func (s *Session) SetStdin(r io.Reader) { s.opt.Stdin = r }

// SetStdout sets what COPY TO STDOUT writes to from the next statement on.
func (s *Session) SetStdout(w io.Writer) { s.opt.Stdout = w }

// Location returns the session's time zone.
func (s *Session) Location() *time.Location { return s.loc }

// InTransaction reports whether BEGIN is open, failed or not.
func (s *Session) InTransaction() bool { return s.tx != nil }

// Failed reports whether an error has ended the open transaction, so that only ROLLBACK
// is accepted.
func (s *Session) Failed() bool { return s.tx != nil && s.tx.failed }

// Close ends what is open and rolls back.
func (s *Session) Close() error {
	s.closeOpen()
	s.rollback()
	return nil
}

// Exec runs a text that is one statement. Arguments stand for $1, $2 and so on.
func (s *Session) Exec(ctx context.Context, text string, args ...any) (*Result, error) {
	vals, err := values(args)
	if err != nil {
		return nil, s.fail(err)
	}
	stmt, err := parse.Statement(text)
	if err != nil {
		return nil, s.fail(err)
	}
	return s.Run(ctx, stmt, vals)
}

// Run runs a statement. An argument whose type is not set is a literal: its text is in S.
func (s *Session) Run(ctx context.Context, stmt ast.Stmt, args []columnar.Value) (*Result, error) {
	s.closeOpen()
	if err := s.allowed(stmt); err != nil {
		return nil, s.fail(err)
	}
	r := &run{Session: s, ctx: ctx, args: args, source: stmt.Source(), now: time.Now().UnixMicro()}
	if s.tx != nil {
		r.now = s.tx.begun.UnixMicro()
	}
	var res *Result
	err := mmap.Guard(func() (err error) {
		res, err = r.statement(stmt)
		return err
	})
	if err != nil {
		return nil, s.fail(err)
	}
	if res.end != nil {
		s.open = res
	}
	return res, nil
}

// fail makes the open transaction a failed one and returns err.
func (s *Session) fail(err error) error {
	if s.tx != nil {
		s.tx.failed = true
		s.giveUp()
	}
	return err
}

// giveUp rolls the writes of the open transaction back and releases the write lock.
func (s *Session) giveUp() {
	if s.tx.txn != nil {
		s.tx.txn.Rollback()
		s.tx.txn = nil
	}
}

// end gives the snapshot of a READ ONLY transaction up.
func (tx *transaction) end() {
	if tx.snap != nil {
		tx.snap.Release()
	}
}

func (s *Session) rollback() {
	if s.tx != nil {
		s.giveUp()
		s.tx.end()
		s.tx = nil
	}
}

func (s *Session) closeOpen() {
	if s.open != nil {
		s.open.Close()
		s.open = nil
	}
}

// notice hands a notice on.
func (s *Session) notice(format string, args ...any) {
	if s.opt.OnNotice != nil {
		s.opt.OnNotice(fmt.Sprintf(format, args...))
	}
}

// allowed returns the error of a statement that the state of the transaction forbids.
func (s *Session) allowed(stmt ast.Stmt) error {
	if s.tx == nil {
		return nil
	}
	_, rollback := stmt.(*ast.Rollback)
	_, commit := stmt.(*ast.Commit)
	if s.tx.failed && !rollback && !commit {
		return pgerr.New(pgerr.InFailedTransaction,
			"current transaction is aborted, commands ignored until end of transaction block").
			WithHint("Send ROLLBACK.")
	}
	if s.tx.snap != nil && writes(stmt) {
		return pgerr.New(pgerr.ReadOnlyTransaction, "cannot write in a read-only transaction")
	}
	return nil
}

// writes reports whether a statement changes the store.
func writes(stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.Copy:
		return !stmt.To || stmt.Change != nil
	case *ast.Explain:
		return stmt.Analyze && writes(stmt.Stmt)
	case *ast.Insert, *ast.Update, *ast.Delete, *ast.CreateTable, *ast.CreateRelTable,
		*ast.AlterTable, *ast.DropTable, *ast.Truncate:
		return true
	}
	return false
}

// run is one statement at work.
type run struct {
	*Session
	ctx    context.Context
	args   []columnar.Value
	source string
	now    int64 // microseconds since 1970
}

// at returns err with its place, the byte pos of the statement.
func (r *run) at(pos int, err *pgerr.Error) error {
	if r.source == "" {
		return err
	}
	return ast.NewError(r.source, pos, err)
}

// statement dispatches on the kind of the statement.
func (r *run) statement(stmt ast.Stmt) (*Result, error) {
	switch stmt := stmt.(type) {
	case *ast.Select:
		return r.query(stmt)
	case *ast.Insert:
		return r.insert(stmt)
	case *ast.Update:
		return r.update(stmt)
	case *ast.Delete:
		return r.delete(stmt)
	case *ast.Copy:
		return r.copy(stmt)
	case *ast.Explain:
		return r.explain(stmt)
	case *ast.CreateTable:
		return r.createTable(stmt)
	case *ast.AlterTable:
		return r.alterTable(stmt)
	case *ast.DropTable:
		return r.dropTable(stmt)
	case *ast.Truncate:
		return r.truncate(stmt)
	case *ast.CreateRelTable:
		return r.createRelTable(stmt)
	}
	return r.control(stmt)
}

// control runs the statements that touch no table.
func (r *run) control(stmt ast.Stmt) (*Result, error) {
	switch stmt := stmt.(type) {
	case *ast.Begin:
		return r.begin(stmt)
	case *ast.Commit:
		return r.commit()
	case *ast.Rollback:
		if r.tx == nil {
			r.notice("there is no transaction in progress")
		}
		r.rollback()
		return command("ROLLBACK"), nil
	case *ast.Checkpoint:
		if err := r.outside("CHECKPOINT"); err != nil {
			return nil, err
		}
		return command("CHECKPOINT"), r.store.Checkpoint(r.ctx)
	case *ast.Vacuum:
		return r.vacuum(stmt)
	case *ast.Set:
		return r.set(stmt)
	case *ast.Show:
		return r.show(stmt)
	}
	return nil, pgerr.New(pgerr.InternalError, "sql: statement %T", stmt)
}

func (r *run) begin(stmt *ast.Begin) (*Result, error) {
	tag := "BEGIN"
	if stmt.Start {
		tag = "START TRANSACTION"
	}
	if r.tx != nil {
		r.notice("there is already a transaction in progress")
		return command(tag), nil
	}
	tx := &transaction{begun: time.Now()}
	if stmt.ReadOnly {
		var err error
		if tx.snap, err = r.store.Snapshot(); err != nil {
			return nil, err
		}
	}
	r.tx = tx
	return command(tag), nil
}

// commit answers ROLLBACK if an error had ended the transaction.
func (r *run) commit() (*Result, error) {
	tx := r.tx
	switch {
	case tx == nil:
		r.notice("there is no transaction in progress")
		return command("COMMIT"), nil
	case tx.failed:
		r.rollback()
		return command("ROLLBACK"), nil
	}
	r.tx = nil
	tx.end()
	if tx.txn != nil {
		if _, err := tx.txn.Commit(r.ctx); err != nil {
			return nil, err
		}
	}
	return command("COMMIT"), nil
}

// outside returns an error inside a transaction.
func (r *run) outside(what string) error {
	if r.tx != nil {
		return pgerr.New(pgerr.ActiveTransaction, "%s cannot run inside a transaction block", what)
	}
	return nil
}

func (r *run) vacuum(stmt *ast.Vacuum) (*Result, error) {
	if err := r.outside("VACUUM"); err != nil {
		return nil, err
	}
	if len(stmt.Tables) > 0 {
		v, err := r.view()
		if err != nil {
			return nil, err
		}
		defer v.release()
		for _, name := range stmt.Tables {
			if _, err := r.table(v, name); err != nil {
				return nil, err
			}
		}
	}
	return command("VACUUM"), r.store.Vacuum(r.ctx)
}

// view is the tables that a statement sees.
type view interface {
	Table(name string) (*columnar.Table, error)
	Keyed(name string) (*columnar.Table, error)
	Tables() []*columnar.Table
	Adjacency(rel string) (*columnar.Adjacency, error)
}

// reading is a view that is given back.
type reading struct {
	view
	release func()
}

// view returns what a statement that reads sees: what had committed when it began, with
// the open transaction's own writes; in a READ ONLY transaction what had committed at
// BEGIN, whatever others commit, delete, fold or drop since.
func (r *run) view() (reading, error) {
	if r.tx != nil && r.tx.txn != nil {
		return reading{r.tx.txn, func() {}}, nil
	}
	if r.tx != nil && r.tx.snap != nil {
		return reading{r.tx.snap, func() {}}, nil
	}
	snap, err := r.store.Snapshot()
	if err != nil {
		return reading{}, err
	}
	if r.tx != nil && !r.tx.read {
		r.tx.read, r.tx.readSeq = true, snap.Seq()
	}
	return reading{snap, snap.Release}, nil
}

// table returns the named table as statements see it, with keys at the ends of edges. It
// must be in the one schema there is.
func (r *run) table(v view, name ast.TableName) (*columnar.Table, error) {
	return r.lookup(v, name, v.Keyed)
}

// stored returns the named table as it is stored, for statements that change its schema.
func (r *run) stored(v view, name ast.TableName) (*columnar.Table, error) {
	return r.lookup(v, name, v.Table)
}

func (r *run) lookup(v view, name ast.TableName, find func(string) (*columnar.Table, error)) (*columnar.Table, error) {
	if name.Schema != "" && name.Schema != "public" {
		return nil, r.at(name.Pos(), pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", name).
			WithHint("There is one schema, public."))
	}
	t, err := find(name.Name)
	if pgerr.Code(err) == pgerr.UndefinedTable {
		if pairs := groupTables(v, name.Name); len(pairs) > 0 {
			return nil, r.at(name.Pos(), errGroup(name.Name, pairs))
		}
		e := pgerr.From(err)
		if near := expr.Near(name.Name, tableNames(v)); near != "" {
			e.WithHint("Perhaps you meant the table \"%s\".", near)
		}
		return nil, r.at(name.Pos(), e)
	}
	return t, err
}

func tableNames(v view) []string {
	var names []string
	for _, t := range v.Tables() {
		names = append(names, t.Schema().Name)
	}
	return names
}

// write runs fn in the transaction: the open one, or one of its own that is committed
// when fn succeeds.
func (r *run) write(fn func(*columnar.Txn) error) error {
	if r.tx != nil {
		if r.tx.txn == nil {
			txn, err := r.store.BeginWrite(r.ctx)
			if err != nil {
				return err
			}
			if r.tx.read && txn.BaseSeq() != r.tx.readSeq {
				txn.Rollback()
				return columnar.Conflict()
			}
			r.tx.txn = txn
		}
		return fn(r.tx.txn)
	}
	txn, err := r.store.BeginWrite(r.ctx)
	if err != nil {
		return err
	}
	if err := fn(txn); err != nil {
		txn.Rollback()
		return err
	}
	_, err = txn.Commit(r.ctx)
	return err
}

// scope returns what names mean over the columns of a table; t may be nil.
func (r *run) scope(t *columnar.Table, alias, clause string) *expr.Scope {
	s := &expr.Scope{Source: r.source, Params: r.args, Location: r.loc, Now: r.now, Clause: clause}
	if t == nil {
		return s
	}
	s.Table = t.Schema().Name
	if alias != "" {
		s.Table, s.Hidden = alias, s.Table
	}
	s.Columns = columnsOf(t.Schema())
	return s
}

func columnsOf(s *columnar.Schema) []expr.Column {
	out := make([]expr.Column, len(s.Columns))
	for i := range s.Columns {
		out[i] = expr.Column{Name: s.Columns[i].Name, Type: s.Columns[i].Type}
	}
	return out
}
