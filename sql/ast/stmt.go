package ast

import "github.com/ingotdb/ingot/columnar"

// ColumnDef is a column of CREATE TABLE or ADD COLUMN.
type ColumnDef struct {
	Ident
	Type       columnar.Type
	NotNull    bool
	PrimaryKey bool
	Unique     bool
	Default    Expr // or nil
	Checks     []Check
}

// Check is a CHECK constraint of a column or a table.
type Check struct {
	Name string // or ""
	Expr Expr
}

// Key is a PRIMARY KEY or UNIQUE constraint of a table.
type Key struct {
	At
	Name    string // or ""
	Primary bool
	Columns []Ident
}

// CreateTable is CREATE TABLE.
type CreateTable struct {
	Base
	IfNotExists bool
	Table       TableName
	Columns     []ColumnDef
	Keys        []Key
	Checks      []Check
}

// RelPair is a pair of node tables that a rel table connects.
type RelPair struct {
	From, To TableName
}

// CreateRelTable is CREATE REL TABLE.
type CreateRelTable struct {
	Base
	IfNotExists bool
	Table       TableName
	Pairs       []RelPair
	Columns     []ColumnDef
}

// AlterTable is ALTER TABLE with its actions in order.
type AlterTable struct {
	Base
	IfExists bool
	Table    TableName
	Actions  []AlterAction
}

// AlterAction is one action of ALTER TABLE: exactly one field is set.
type AlterAction struct {
	Add        *AddColumn
	Drop       *DropColumn
	Rename     *RenameColumn
	RenameTo   *Ident
	SetDefault *SetDefault
	SetNotNull *SetNotNull
}

// AddColumn is ADD COLUMN.
type AddColumn struct {
	IfNotExists bool
	Column      ColumnDef
}

// DropColumn is DROP COLUMN.
type DropColumn struct {
	IfExists bool
	Cascade  bool
	Column   Ident
}

// RenameColumn is RENAME COLUMN.
type RenameColumn struct {
	Column, To Ident
}

// SetDefault is ALTER COLUMN SET DEFAULT, or DROP DEFAULT where Value is nil.
type SetDefault struct {
	Column Ident
	Value  Expr
}

// SetNotNull is ALTER COLUMN SET NOT NULL, or DROP NOT NULL.
type SetNotNull struct {
	Column Ident
	Drop   bool
}

// DropTable is DROP TABLE.
type DropTable struct {
	Base
	IfExists bool
	Tables   []TableName
	Cascade  bool
}

// Truncate is TRUNCATE.
type Truncate struct {
	Base
	Tables  []TableName
	Cascade bool
}

// Insert is INSERT: exactly one of Query and DefaultValues is set. VALUES is a Query
// whose Values are set; only there can a row hold Default.
type Insert struct {
	Base
	Table         TableName
	Alias         string
	Columns       []Ident
	Query         *Select
	DefaultValues bool
	Returning     []SelectItem
}

// Assignment is column = value in UPDATE.
type Assignment struct {
	Column Ident
	Value  Expr
}

// Update is UPDATE.
type Update struct {
	Base
	Table     TableName
	Alias     string
	Set       []Assignment
	Where     Expr // or nil
	Returning []SelectItem
}

// Delete is DELETE. Cascade deletes the relations of a deleted node too.
type Delete struct {
	Base
	Table     TableName
	Alias     string
	Where     Expr // or nil
	Cascade   bool
	Returning []SelectItem
}

// Endpoint is the other side of a COPY.
type Endpoint uint8

// The endpoints.
const (
	File Endpoint = iota
	Std           // STDIN or STDOUT, by the direction
	Program
	Query
)

// Copy is COPY. To a file or STDOUT the rows come from Table or, where Table is empty,
// from Query or from Change, an INSERT, UPDATE or DELETE. From a query (Endpoint Query)
// they come from Query.
type Copy struct {
	Base
	Table    TableName
	Columns  []Ident
	Query    *Select
	Change   Stmt
	To       bool
	Endpoint Endpoint
	Paths    []string // File: paths and patterns, of which TO has one; Program: the command
	PathAt   At
	Options  []Option
	Where    Expr // or nil; only from
}

// ValueKind is how the value of an Option was written.
type ValueKind uint8

// The kinds.
const (
	NoValue     ValueKind = iota
	WordValue             // true, csv, match; folded to lower case unless quoted
	StringValue           // 'x'
	NumberValue           // 12, -1.5
	StarValue             // *
	ListValue             // (a, 'b')
)

// Option is one option of COPY, in the order written. The old syntax without
// parentheses gives the same options as the new one.
type Option struct {
	Ident
	Value Value
}

// Value is the value of an Option or an element of a list.
type Value struct {
	At
	Kind ValueKind
	Text string  // WordValue, StringValue, NumberValue
	List []Value // ListValue: words and strings
}

// SelectItem is an element of the select list: all columns (Star), or an expression.
type SelectItem struct {
	At
	Star  bool
	Table string // Star: t.* where not empty
	Expr  Expr
	Alias string // or ""
}

// From is what a SELECT reads: a table, or a table function where Call is set.
type From struct {
	Table TableName
	Call  *Call
	Alias string
}

// OrderItem is an element of ORDER BY.
type OrderItem struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool // resolved: the default is last for ascending, first for descending
}

// Select is SELECT, or VALUES where Values is set: then only OrderBy, Limit and
// Offset can be set beside it.
type Select struct {
	Base
	Values   [][]Expr
	Distinct bool
	Items    []SelectItem
	From     *From // or nil
	Where    Expr  // or nil
	GroupBy  []Expr
	Having   Expr // or nil
	OrderBy  []OrderItem
	Limit    Expr // or nil
	Offset   Expr // or nil
}

// Explain is EXPLAIN of a SELECT, a COPY or another statement that reads or writes
// rows.
type Explain struct {
	Base
	Analyze bool
	JSON    bool
	Stmt    Stmt
}

// Begin is BEGIN or START TRANSACTION.
type Begin struct {
	Base
	Start    bool // START TRANSACTION
	ReadOnly bool
}

// Commit is COMMIT or END.
type Commit struct{ Base }

// Rollback is ROLLBACK or ABORT.
type Rollback struct{ Base }

// Checkpoint is CHECKPOINT.
type Checkpoint struct{ Base }

// Vacuum is VACUUM of the named tables, or of all.
type Vacuum struct {
	Base
	Tables []TableName
}

// Set is SET name = value, SET TIME ZONE included (name timezone).
type Set struct {
	Base
	Local   bool
	Name    string
	Value   Value // WordValue, StringValue, NumberValue, ListValue
	Default bool  // SET name TO DEFAULT, RESET name, SET TIME ZONE LOCAL
}

// Show is SHOW name.
type Show struct {
	Base
	Name string
}
