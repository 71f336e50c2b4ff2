package parquet

import (
	"context"
	"iter"
	"strings"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/copy"
	"github.com/ingotdb/ingot/internal/pgerr"
)

func init() {
	if err := copy.Register("parquet", Format()); err != nil {
		panic(err) // something else has the name already
	}
}

// Format is the format parquet.
//
// COPY TO takes COMPRESSION snappy (the default), zstd, gzip or none; ROW_GROUP_SIZE, the rows
// of a row group; and NON_FINITE error (the default) or null, what becomes of infinite dates
// and timestamps and of NaN in a numeric with a precision, which Parquet does not have.
// COPY FROM has no options of its own.
func Format() copy.Format {
	return copy.Format{
		Named:          true,
		Suffixes:       []string{".parquet", ".parq", ".pq"},
		Magic:          []string{magic},
		ReadContainer:  readOptions,
		WriteContainer: writeOptions,
	}
}

// container is the reading side: it has no options.
type container struct{}

func readOptions(o *copy.Options) (copy.ContainerReader, error) {
	for i := range o.List {
		return nil, o.List[i].Unrecognized()
	}
	return container{}, nil
}

// Streams is false: a file is read from its end.
func (container) Streams() bool { return false }

// Open reads the footer.
func (container) Open(_ context.Context, in *copy.Input) (copy.Container, error) {
	r, err := openFile(in.At, in.Size)
	if err != nil {
		return nil, err
	}
	return &input{reader: r}, nil
}

// input is an open file and what a COPY wants of it.
type input struct {
	*reader
	binding *copy.Binding
	from    []int // the field of each column of the COPY
	same    bool  // all fields are of the very types of the columns
}

// Columns returns the columns of the file.
func (in *input) Columns() []copy.ContainerColumn {
	out := make([]copy.ContainerColumn, len(in.fields))
	for i := range in.fields {
		d := &in.fields[i]
		if out[i] = (copy.ContainerColumn{Name: d.name, Says: "Parquet " + d.refused}); d.refused == "" {
			out[i].Type = d.columnType()
			out[i].Says = "Parquet " + out[i].Type.String()
		}
	}
	return out
}

// Bind chooses the fields. Bytes that the file does not call text are text if the column wants
// it: there were years in which writers said so nowhere.
func (in *input) Bind(b *copy.Binding, from []int) error {
	in.binding, in.from, in.same = b, from, true
	for i, k := range from {
		d, want := &in.fields[k], b.Columns[i].Type
		if d.meaning == meansBytes && !d.list {
			switch {
			case want.Kind == columnar.UUID && !want.Array && (d.phys == physByteArray || d.width == 16):
				d.meaning = meansUUID
			case want.Kind != columnar.Bytea || want.Array:
				d.meaning = meansText
			}
			d.typ = d.natural()
		}
		if d.list && d.typ.Kind == columnar.Bytea && want.Array && want.Kind != columnar.Bytea && d.phys == physByteArray {
			d.meaning = meansText
			d.typ = d.natural()
		}
		in.same = in.same && convertible(d.columnType(), want)
	}
	return nil
}

// convertible reports whether a column of type from is one of type to but for its name.
func convertible(from, to columnar.Type) bool {
	if from.Kind == columnar.Text && to.Kind == columnar.Varchar && to.Length == 0 {
		return from.Array == to.Array
	}
	return from == to
}

// Rows returns the rows of all row groups.
func (in *input) Rows() (copy.Cardinality, int64) { return copy.Exact, in.foot.rows }

const (
	// splitRows is how many rows of a row group make a part of their own. Pages that two
	// parts share are read twice, so a part has several of any size that writers use.
	splitRows = 2 * columnar.MaxFragmentRows

	// splitGroups is the number of row groups from which none is split: there is enough
	// to do for every goroutine.
	splitGroups = 64
)

// Parts yields the row groups, or pieces of them if they are few and large and no column is
// a list.
func (in *input) Parts() iter.Seq2[copy.Part, error] {
	whole := len(in.foot.groups) >= splitGroups
	for _, k := range in.from {
		whole = whole || in.fields[k].list
	}
	return func(yield func(copy.Part, error) bool) {
		for g := range in.foot.groups {
			parts := in.pieces(g, whole)
			in.bound(parts)
			for i := range parts {
				if !yield(&parts[i], nil) {
					return
				}
			}
		}
	}
}

// pieces returns the parts of a row group, without their bytes: one if it is to stay whole.
func (in *input) pieces(group int, whole bool) []part {
	rows := in.foot.groups[group].rows
	n := max(1, rows/splitRows)
	if whole {
		n = 1
	}
	parts := make([]part, n)
	pruned := in.prunes(group)
	for i := range parts {
		parts[i] = part{input: in, group: group, first: int64(i) * splitRows, rows: splitRows, pruned: pruned}
	}
	last := &parts[len(parts)-1]
	last.rows = rows - last.first
	return parts
}

// Close does nothing: the file is the core's.
func (in *input) Close() error { return nil }

// prunes reports whether the WHERE is true of no row of a row group.
func (in *input) prunes(group int) bool {
	for i := range in.binding.Where {
		p := &in.binding.Where[i]
		k := in.from[p.Column]
		d := &in.fields[k]
		c := &in.foot.groups[group].columns[d.at]
		ordered := d.at < len(in.foot.typeOrders) && in.foot.typeOrders[d.at]
		if d.refutes(c, ordered, p) {
			return true
		}
	}
	return false
}

// refutes reports whether p is true of no value of a chunk.
func (d *field) refutes(c *chunk, ordered bool, p *copy.Predicate) bool {
	b := d.bounds(c, ordered)
	if b.allNull || p.Op == copy.NotNull {
		return b.allNull
	}
	v, ok := d.comparable(p.Value)
	if !ok {
		return false
	}
	below := func(least int) bool { return b.hasMin && columnar.CompareValues(v, b.min) < least }
	above := func(most int) bool { return b.hasMax && columnar.CompareValues(v, b.max) > most }
	switch p.Op {
	case copy.Equal:
		return below(0) || above(0)
	case copy.Less:
		return below(1)
	case copy.LessEqual:
		return below(0)
	case copy.Greater:
		return above(-1)
	case copy.GreaterEqual:
		return above(0)
	}
	return false
}

// part is rows of a row group.
type part struct {
	*input
	group    int
	first    int64 // of the row group
	rows     int64
	pruned   bool
	varBytes int64
}

// Size returns the rows of the part.
func (p *part) Size() (rows, varBytes int64) { return p.rows, p.varBytes }

// Read gives the rows away.
func (p *part) Read(ctx context.Context, out *copy.Sink) error {
	if p.pruned {
		out.Skip(p.rows)
		return nil
	}
	g, err := p.reader.group(p.group, p.from, p.first, p.rows, p.binding.Location)
	if err != nil {
		return err
	}
	defer g.release()
	reject := func(row, column int) error {
		d := &p.fields[p.from[column]]
		if d.meaning == meansText {
			return d.badValue() // damage is not forgiven
		}
		return out.Reject(row, column, d.badValue())
	}
	for {
		n, err := g.next()
		if err != nil || n == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.eachBad(n, reject); err != nil {
			return err
		}
		if p.same {
			for i := range g.vecs {
				g.vecs[i] = g.retyped(i, p.binding.Columns[i].Type, n)
			}
			err = out.Batch(copy.Batch{Rows: n, Cols: g.vecs})
		} else {
			rec := g.record(p.binding.Columns, n)
			err = out.Record(rec)
			rec.Release()
		}
		if err != nil {
			return err
		}
	}
}

// writer is the writing side with its options.
type writer struct {
	codec   int32
	rows    int // of a row group; 0: not given
	infNull bool
}

var compressions = map[string]int32{
	"none": codecNone, "uncompressed": codecNone, "snappy": codecSnappy, "gzip": codecGzip, "zstd": codecZstd,
}

// maxGroupRows is the largest ROW_GROUP_SIZE.
const maxGroupRows = 1 << 30

func writeOptions(o *copy.Options) (copy.ContainerWriter, error) {
	w := &writer{codec: codecSnappy}
	for i := range o.List {
		opt := &o.List[i]
		switch name := strings.ToLower(opt.Name); name {
		case "compression":
			v, err := opt.Text()
			if err != nil {
				return nil, err
			}
			codec, ok := compressions[strings.ToLower(v)]
			if !ok {
				return nil, wrongValue(name, v, "snappy, zstd, gzip, none")
			}
			w.codec = codec
		case "row_group_size":
			n, err := opt.Int(1, maxGroupRows)
			if err != nil {
				return nil, err
			}
			w.rows = int(n)
		case "non_finite":
			v, err := opt.Text()
			if err != nil {
				return nil, err
			}
			switch strings.ToLower(v) {
			case "error":
			case "null":
				w.infNull = true
			default:
				return nil, wrongValue(name, v, "error, null")
			}
		default:
			return nil, opt.Unrecognized()
		}
	}
	return w, nil
}

func wrongValue(option, value, known string) error {
	return pgerr.New(pgerr.InvalidParameterValue, "COPY %s \"%s\" not recognized", strings.ToUpper(option), value).
		WithHint("Known values: %s.", known)
}

// Create begins a file.
func (w *writer) Create(f *copy.Output) (copy.Archive, error) {
	layouts := make([]layout, len(f.Columns))
	for i := range f.Columns {
		c := &f.Columns[i]
		layouts[i] = newLayout(c.Name, c.Type, c.NotNull && !w.infNull)
	}
	rows := w.rows
	if rows == 0 {
		rows = groupRows
	}
	a, err := newArchive(f.Writer, layouts, w.codec, rows, w.infNull)
	if err != nil {
		return nil, err
	}
	return &output{archive: a, alone: w.rows != 0}, nil
}

// output is a file as the core sees it.
type output struct {
	*archive
	alone bool // row groups have the size that was asked for, whatever those of the table have
}

// Workers returns limit, or 1 if row groups are not those of the table.
func (o *output) Workers(limit int) int {
	if o.alone {
		return 1
	}
	return limit
}

// Packer returns what encodes in one goroutine.
func (o *output) Packer() copy.Packer { return encoding{o.archive.packer()} }

// Put writes row groups.
func (o *output) Put(pack any) error { return o.put(pack.([]encodedGroup)) }

// Close writes the footer.
func (o *output) Close() error { return o.close() }

// encoding is a packer as the core sees it.
type encoding struct{ p *packer }

// Add adds the rows of a batch.
func (e encoding) Add(b copy.Batch) error { return e.p.add(b.Cols, b.Rows) }

// Pack returns the row groups that are complete.
func (e encoding) Pack(last bool) (any, error) {
	groups, err := e.p.pack(last)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	return groups, nil
}
