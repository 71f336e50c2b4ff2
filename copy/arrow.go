package copy

import (
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// FromArrow returns the source of the batches of r, whose columns are those that the COPY
// fills, by position. Values are taken as they are where the types have the same layout, and
// converted where they have not: what does not fit is an error, never changed. n is the
// number of rows, -1 if it is unknown. The caller keeps r until the COPY is over.
func FromArrow(r array.RecordReader, n int64) Source {
	src := &rowSource{class: Exact, rows: n}
	if n < 0 {
		src.class = Unknown
	}
	src.open = func(sh *shape) (iter.Seq2[Batch, error], error) {
		if got := r.Schema().NumFields(); got != len(sh.fields) {
			return nil, pgerr.New(pgerr.DatatypeMismatch, "the Arrow data has %d columns and the COPY fills %d", got, len(sh.fields))
		}
		return arrowBatches(r, sh), nil
	}
	return Source{rows: src}
}

// FromArrowTable is FromArrow for a table.
func FromArrowTable(t arrow.Table) Source {
	return FromArrow(array.NewTableReader(t, -1), t.NumRows())
}

// arrowRows is how many rows are converted at a time, so that they are in the processor's
// cache when they are stored.
const arrowRows = 32 << 10

// arrowBatches gives the batches of r in the types of the fields.
func arrowBatches(r array.RecordReader, sh *shape) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		cols := make([]columnar.Vec, len(sh.fields))
		columns := make([]arrowColumn, len(sh.fields))
		for i := range columns {
			columns[i] = arrowColumn{name: sh.fields[i].Name, typ: sh.fields[i].Type, parser: parser{location: sh.location}}
		}
		for row := int64(0); r.Next(); {
			rec := r.RecordBatch()
			for from := int64(0); from < rec.NumRows(); from += arrowRows {
				part := rec.NewSlice(from, min(from+arrowRows, rec.NumRows()))
				err := arrowVecs(cols, columns, part, row)
				row += part.NumRows()
				goOn := yield(Batch{Rows: int(part.NumRows()), Cols: cols}, err) && err == nil
				part.Release()
				if !goOn {
					return
				}
			}
		}
		if err := r.Err(); err != nil {
			yield(Batch{}, err)
		}
	}
}

// arrowVecs converts the columns of rec, whose first row is the given one of the source.
func arrowVecs(vecs []columnar.Vec, columns []arrowColumn, rec arrow.RecordBatch, row int64) (err error) {
	for i := range vecs {
		columns[i].row = row
		if vecs[i], err = columns[i].vec(rec.Column(i)); err != nil {
			return err
		}
	}
	return nil
}

// StageArrow returns a table, in no store, with the rows of t. Its memory is that of t
// wherever the layouts are the same, so t must be retained for as long as the table is used.
func StageArrow(name string, t arrow.Table) (*columnar.Table, error) {
	s := &columnar.Schema{Name: name}
	for _, f := range t.Schema().Fields() {
		typ, ok := arrowType(f.Type)
		if !ok {
			return nil, pgerr.New(pgerr.FeatureNotSupported, "column \"%s\" has the Arrow type %s, which is not supported", f.Name, f.Type)
		}
		s.Columns = append(s.Columns, columnar.Column{Name: f.Name, Type: typ})
	}
	r := array.NewTableReader(t, -1)
	defer r.Release()
	columns := make([]arrowColumn, len(s.Columns))
	for i := range columns {
		columns[i] = arrowColumn{name: s.Columns[i].Name, typ: s.Columns[i].Type}
	}
	var parts [][]columnar.Vec
	for row := int64(0); r.Next(); {
		rec := r.RecordBatch()
		cols := make([]columnar.Vec, len(columns))
		if err := arrowVecs(cols, columns, rec, row); err != nil {
			return nil, err
		}
		row += rec.NumRows()
		parts = append(parts, cols)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return columnar.StagedTable(s, parts)
}

// arrowTypes are the types that columns of Arrow data have by themselves, where the
// Arrow type alone says it.
var arrowTypes = map[arrow.Type]columnar.Kind{
	arrow.BOOL: columnar.Bool, arrow.INT8: columnar.Int2, arrow.UINT8: columnar.Int2, arrow.INT16: columnar.Int2,
	arrow.UINT16: columnar.Int4, arrow.INT32: columnar.Int4, arrow.UINT32: columnar.Int8, arrow.INT64: columnar.Int8,
	arrow.FLOAT16: columnar.Float4, arrow.FLOAT32: columnar.Float4, arrow.FLOAT64: columnar.Float8,
	arrow.STRING: columnar.Text, arrow.LARGE_STRING: columnar.Text, arrow.STRING_VIEW: columnar.Text, arrow.NULL: columnar.Text,
	arrow.BINARY: columnar.Bytea, arrow.LARGE_BINARY: columnar.Bytea, arrow.BINARY_VIEW: columnar.Bytea,
	arrow.DATE32: columnar.Date, arrow.DATE64: columnar.Date, arrow.TIME32: columnar.Time, arrow.TIME64: columnar.Time,
}

// arrowType returns the column type that holds every value of an Arrow type.
func arrowType(t arrow.DataType) (columnar.Type, bool) {
	if k, ok := arrowTypes[t.ID()]; ok {
		return columnar.Type{Kind: k}, true
	}
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return arrowType(t.ValueType)
	case arrow.ExtensionType:
		return arrowType(t.StorageType())
	case arrow.ListLikeType:
		if t.ID() == arrow.MAP {
			return columnar.Type{}, false
		}
		elem, ok := arrowType(t.Elem())
		elem.Array = true // of a list of lists too: an array has any number of dimensions
		return elem, ok
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return columnar.Type{Kind: columnar.TimestampTZ}, true
		}
		return columnar.Type{Kind: columnar.Timestamp}, true
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == 16 {
			return columnar.Type{Kind: columnar.UUID}, true
		}
		return columnar.Type{Kind: columnar.Bytea}, true
	case arrow.DecimalType:
		if p, s := t.GetPrecision(), t.GetScale(); p <= columnar.MaxPrecision && s >= 0 && s <= p {
			return columnar.Type{Kind: columnar.Decimal, Precision: uint8(p), Scale: uint8(s)}, true
		}
		return columnar.Type{Kind: columnar.Numeric}, true
	}
	if t.ID() == arrow.UINT64 {
		return columnar.Type{Kind: columnar.Decimal, Precision: 20}, true
	}
	return columnar.Type{}, false
}
