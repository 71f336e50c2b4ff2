package driver

import (
	"database/sql/driver"
	"io"
	"math"
	"reflect"
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
)

// rows are the rows of a statement.
type rows struct {
	rows    *ingot.Rows
	columns []ingot.Column
	dest    []any // pointers to values
	values  []any
}

// What database/sql looks for beside driver.Rows.
var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
	_ driver.RowsColumnTypeLength           = (*rows)(nil)
)

func newRows(r *ingot.Rows) *rows {
	out := &rows{rows: r, columns: r.Columns()}
	out.values, out.dest = make([]any, len(out.columns)), make([]any, len(out.columns))
	for i := range out.values {
		out.dest[i] = &out.values[i]
	}
	return out
}

// Columns returns the names of the columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
	}
	return names
}

// Close gives the rows up.
func (r *rows) Close() error { return r.rows.Close() }

// Next stores the next row in dest.
func (r *rows) Next(dest []driver.Value) error {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	if err := r.rows.Scan(r.dest...); err != nil {
		return err
	}
	for i, v := range r.values {
		dest[i] = v
	}
	return nil
}

// ColumnTypeDatabaseTypeName returns the type as PostgreSQL names it: int4, numeric, text[].
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	t := r.columns[i].Type
	t.Length, t.Precision, t.Scale = 0, 0, 0
	if t.Kind == columnar.Decimal {
		t.Kind = columnar.Numeric
	}
	return t.String()
}

// ColumnTypeScanType returns the Go type that values of the column have.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	t := r.columns[i].Type
	switch {
	case t.Array:
	case t.Kind == columnar.Bool:
		return reflect.TypeFor[bool]()
	case t.Kind == columnar.Int2, t.Kind == columnar.Int4, t.Kind == columnar.Int8:
		return reflect.TypeFor[int64]()
	case t.Kind == columnar.Float4, t.Kind == columnar.Float8:
		return reflect.TypeFor[float64]()
	case t.Kind == columnar.Bytea:
		return reflect.TypeFor[[]byte]()
	case t.Kind == columnar.Date, t.Kind == columnar.Timestamp, t.Kind == columnar.TimestampTZ:
		return reflect.TypeFor[time.Time]()
	}
	return reflect.TypeFor[string]()
}

// ColumnTypePrecisionScale returns those of numeric(p,s).
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.columns[i].Type
	return int64(t.Precision), int64(t.Scale), t.Kind == columnar.Decimal
}

// ColumnTypeLength returns the characters of varchar(n), and no limit for other types of
// variable length.
func (r *rows) ColumnTypeLength(i int) (length int64, ok bool) {
	t := r.columns[i].Type
	if t.Kind == columnar.Varchar && t.Length > 0 {
		return int64(t.Length), true
	}
	return math.MaxInt64, t.Variable()
}
