package naive

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/mmap"
	"github.com/ingotdb/ingot/visibility"
)

var ctx = context.Background()

// every is a table with a column of each type, and of each width of numeric(p,s).
func every(name string) *columnar.Schema {
	s := &columnar.Schema{Name: name, Columns: []columnar.Column{{Name: "id", Type: columnar.Type{Kind: columnar.Int8}, NotNull: true}}}
	for _, t := range kinds() {
		s.Columns = append(s.Columns, columnar.Column{Name: t.String(), Type: t})
	}
	s.Columns[2].HasDefault, s.Columns[2].Default = true, "42"
	s.Constraints = []columnar.Constraint{
		{Name: name + "_pkey", Kind: columnar.PrimaryKey, Columns: []uint32{1}},
		{Name: name + "_check", Kind: columnar.Check, Columns: []uint32{1}, Expr: "id >= 0"},
	}
	return s
}

// kinds returns the types that a store can have.
func kinds() []columnar.Type {
	var types []columnar.Type
	for k := columnar.Bool; k <= columnar.JSON; k++ {
		switch k {
		case columnar.Decimal:
			for _, p := range []uint8{9, 18, 38} {
				types = append(types, columnar.Type{Kind: k, Precision: p, Scale: 2})
			}
		case columnar.Varchar:
			types = append(types, columnar.Type{Kind: k, Length: 40})
		default:
			types = append(types, columnar.Type{Kind: k})
		}
	}
	return types
}

// valueOf returns the value of type t in row i of the tests, the edges of the type among them.
func valueOf(t columnar.Type, i int) columnar.Value {
	v := columnar.Value{Type: t}
	if (i+int(t.Kind))%7 == 3 {
		v.Null = true
		return v
	}
	edge := i % 11
	sign := int64(1 - i%2*2)
	switch t.Kind {
	case columnar.Bool:
		v.I = int64(i / 3 % 2)
	case columnar.Int2:
		v.I = pick(edge, int64(i%30000)*sign, math.MinInt16, math.MaxInt16)
	case columnar.Int4, columnar.Date:
		v.I = pick(edge, int64(i)*1009%math.MaxInt32*sign, math.MinInt32, math.MaxInt32)
	case columnar.Float4:
		v.F = pick(edge, float64(float32(i)/3), math.NaN(), math.Copysign(0, -1), math.MaxFloat32, math.Inf(-1))
	case columnar.Float8:
		v.F = pick(edge, float64(i)*1e100/3, math.NaN(), math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.Inf(1))
	case columnar.Decimal:
		v.I = int64(i) * 12345 % 999999999 * sign
		v.Hi = v.I >> 63
		if edge == 1 {
			v = columnar.Value{Type: t, F: math.NaN()}
		} else if t.Precision == 38 {
			v.Hi = sign * int64(i) << 30
		}
	case columnar.Numeric:
		v.S = pick(edge, fmt.Sprintf("%d.%02d", i-500, i%100), "NaN", "-Infinity", "0", "123456789012345678901234567890.5")
	case columnar.JSON:
		v.S = fmt.Sprintf(`{"a": [%d, "ü"]}`, i)
	case columnar.Text, columnar.Varchar:
		v.S = pick(edge, fmt.Sprintf("row %d", i), "", "ü€😀", strings.Repeat("z", 32), strings.Repeat("é", 18))
	case columnar.Bytea:
		v.S = pick(edge, fmt.Sprintf("\x00%d\x80", i), "", strings.Repeat("\xff", 40), "\xff\xfe")
	case columnar.UUID:
		v.S = fmt.Sprintf("%08x\x00\x01\x02\x03\xfc\xfd\xfe\xff", i*2654435761&0xffffffff)
	case columnar.Time:
		v.I = pick(edge, int64(i)*1000003%86400e6, 0, 86400e6-1)
	default:
		v.I = pick(edge, int64(i)*1e9*sign, math.MinInt64, math.MaxInt64)
	}
	return v
}

// pick returns others[edge-1] where there is one, usual otherwise.
func pick[T any](edge int, usual T, others ...T) T {
	if edge > 0 && edge <= len(others) {
		return others[edge-1]
	}
	return usual
}

// store is a store under construction and the directory it is in.
type store struct {
	*columnar.Store
	t   testing.TB
	dir string
	opt columnar.Options
}

func open(t testing.TB, dir string, opt columnar.Options) *store {
	t.Helper()
	s := &store{t: t, dir: dir, opt: opt}
	s.open()
	t.Cleanup(func() { s.Close() }) // after a failure; elsewhere it was closed
	return s
}

func (s *store) open() {
	s.t.Helper()
	var err error
	if s.Store, err = columnar.Open(ctx, s.dir, s.opt); err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) close() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// write commits what fn does.
func (s *store) write(fn func(*columnar.Txn) error) {
	s.t.Helper()
	tx, err := s.BeginWrite(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		s.t.Fatal(err)
	}
	if _, err := tx.Commit(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// load appends rows to a table in fragments of the given sizes: column c of row i is what
// valueOf says, and a not null column the row's number. Without a plan it writes three rows
// more of the fixed-width columns than it closes a fragment with, which must leave no trace.
func load(s *store, tx *columnar.Txn, table string, first int, planned bool, sizes ...int) error {
	tab, err := tx.Table(table)
	if err != nil {
		return err
	}
	p := columnar.LoadPlan{Schema: tab.Schema()}
	if planned {
		p.Fragments = sizes
		for _, n := range sizes {
			p.VarBytes += int64(n) * 400
		}
	}
	l, err := s.NewLoad(ctx, p)
	if err != nil {
		return err
	}
	defer l.Abort()
	i := first
	for k, rows := range sizes {
		room, written := rows, rows
		if !planned {
			room, written = 1, rows+3
		}
		w, err := l.Fragment(k, room)
		if err != nil {
			return err
		}
		w.Grow(written)
		for r := range written {
			for c := range w.Cols {
				col := &p.Schema.Columns[c]
				if r >= rows && col.Type.Variable() {
					continue
				}
				v := valueOf(col.Type, i+r)
				if col.NotNull {
					v = columnar.Value{Type: col.Type, I: int64(i + r)}
				}
				w.Cols[c].SetValue(r, v)
			}
		}
		i += rows
		if err := w.Finish(rows); err != nil {
			return err
		}
	}
	_, err = tx.Append(ctx, table, l)
	return err
}

// loaded commits a load on its own.
func (s *store) loaded(table string, first int, planned bool, sizes ...int) {
	s.t.Helper()
	s.write(func(tx *columnar.Txn) error { return load(s, tx, table, first, planned, sizes...) })
}

// removed commits the deletion of rows from up to to-1, each step-th.
func (s *store) removed(table string, from, to, step int) {
	s.t.Helper()
	s.write(func(tx *columnar.Txn) error { return remove(tx, table, from, to, step) })
}

func remove(tx *columnar.Txn, table string, from, to, step int) error {
	var ids []visibility.RowID
	for i := from; i < to; i += step {
		ids = append(ids, visibility.RowID(i))
	}
	_, err := tx.Delete(table, ids)
	return err
}

// altered commits a change of a table's schema.
func (s *store) altered(table string, change func(*columnar.Schema)) {
	s.t.Helper()
	s.write(func(tx *columnar.Txn) error {
		tab, err := tx.Table(table)
		if err != nil {
			return err
		}
		schema := tab.Schema().Clone()
		change(schema)
		return tx.AlterTable(schema)
	})
}

// engine renders all tables of the store as columnar reads them.
func (s *store) engine() (string, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return "", err
	}
	defer snap.Release()
	d := dump{}
	for _, t := range snap.Tables() {
		schema := t.Schema()
		d.table(schema.Name)
		for i := range schema.Columns {
			c := &schema.Columns[i]
			d.column(c.ID, c.Name, c.Type.Kind, c.Type.Precision, c.Type.Scale, c.Type.Length, c.NotNull, c.HasDefault, c.Default)
		}
		for _, k := range schema.Constraints {
			d.constraint(byte(k.Kind), k.Name, k.Expr, k.Columns)
		}
		if r := schema.Rel; r != nil {
			d.rel(r.From, r.To, r.Group)
		}
		err := mmap.Guard(func() error {
			for b, err := range t.Scan(ctx, columnar.ScanOptions{}) {
				if err != nil {
					return err
				}
				row := make([]any, len(b.Cols))
				for r := range b.Rows {
					for c := range b.Cols {
						row[c] = engineValue(&b.Cols[c], r)
					}
					d.row(int(b.First)+r, row)
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		d.end(int(t.NextRow()))
	}
	return d.String(), nil
}

// engineValue returns a value of the engine in the form that this package gives it.
func engineValue(v *columnar.Vec, i int) any {
	if v.IsNull(i) {
		return nil
	}
	switch v.Type().Kind {
	case columnar.Bool:
		return v.Bool(i)
	case columnar.Int2:
		return v.Int16s()[i]
	case columnar.Int4, columnar.Date:
		return v.Int32s()[i]
	case columnar.Float4:
		return v.Float32s()[i]
	case columnar.Float8:
		return v.Float64s()[i]
	case columnar.Decimal:
		hi, lo, nan := v.Decimal(i)
		if nan {
			return Decimal{NaN: true}
		}
		return Decimal{Hi: hi, Lo: lo}
	case columnar.Bytea:
		return v.Bytes(i)
	case columnar.UUID:
		return [16]byte(v.Bytes(i))
	}
	if v.Type().Variable() {
		return string(v.Bytes(i))
	}
	return v.Int64s()[i]
}

// render renders all tables of a store that this package read.
func (s *Store) render() string {
	d := dump{}
	for _, t := range byName(s.Tables) {
		d.table(t.Name)
		for _, c := range t.Columns {
			d.column(c.ID, c.Name, columnar.Kind(c.Type.Kind), uint8(c.Type.Precision), uint8(c.Type.Scale), int32(c.Type.Length), c.NotNull, c.HasDefault, c.Default)
		}
		for _, k := range t.Constraints {
			d.constraint(k.Kind, k.Name, k.Expression, k.Columns)
		}
		if r := t.Rel; r != nil {
			d.rel(r.From, r.To, r.Group)
		}
		for id, row := range t.Live() {
			d.row(id, row)
		}
		d.end(t.Rows)
	}
	return d.String()
}

// dump is the text form of a store: floats as bits, a line for each run of equal rows.
type dump struct {
	strings.Builder
	first, last int
	text        string
}

func (d *dump) table(name string) { fmt.Fprintf(d, "table %q\n", name) }

func (d *dump) column(id uint32, name string, kind columnar.Kind, p, s uint8, length int32, notNull, hasDefault bool, def string) {
	fmt.Fprintf(d, "column %d %q kind %d (%d, %d, %d) not null %v default %v %q\n", id, name, kind, p, s, length, notNull, hasDefault, def)
}

func (d *dump) constraint(kind byte, name, expr string, columns []uint32) {
	fmt.Fprintf(d, "constraint %d %q %q %v\n", kind, name, expr, columns)
}

func (d *dump) rel(from, to uint32, group string) {
	fmt.Fprintf(d, "from table %d to table %d, group %q\n", from, to, group)
}

func (d *dump) row(id int, row []any) {
	var b strings.Builder
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			b.WriteString(" -")
		case float32:
			fmt.Fprintf(&b, " %08x", math.Float32bits(v))
		case float64:
			fmt.Fprintf(&b, " %016x", math.Float64bits(v))
		case [16]byte:
			fmt.Fprintf(&b, " %x", v[:])
		case []byte:
			fmt.Fprintf(&b, " x%x", v)
		case string:
			fmt.Fprintf(&b, " %q", v)
		case Decimal:
			if v.NaN {
				b.WriteString(" NaN")
			} else {
				fmt.Fprintf(&b, " %016x%016x", uint64(v.Hi), v.Lo)
			}
		default:
			fmt.Fprintf(&b, " %v", v)
		}
	}
	text := b.String()
	if d.text == text && id == d.last+1 {
		d.last = id
		return
	}
	d.flush()
	d.first, d.last, d.text = id, id, text
}

func (d *dump) flush() {
	switch {
	case d.text == "":
	case d.first == d.last:
		fmt.Fprintf(d, "%d:%s\n", d.first, d.text)
	default:
		fmt.Fprintf(d, "%d-%d:%s\n", d.first, d.last, d.text)
	}
	d.text = ""
}

func (d *dump) end(rows int) {
	d.flush()
	fmt.Fprintf(d, "%d rows, deleted ones included\n", rows)
}

// copyDir copies the files of a store.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, e.Name()), b, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}
