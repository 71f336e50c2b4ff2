package parquet

import (
	"encoding/binary"
	"io"

	"github.com/ingotdb/ingot/internal/pgerr"
)

// Physical types.
const (
	physBoolean   = 0
	physInt32     = 1
	physInt64     = 2
	physInt96     = 3
	physFloat     = 4
	physDouble    = 5
	physByteArray = 6
	physFixed     = 7
)

// How often a schema element occurs in its parent.
const (
	required = 0
	optional = 1
	repeated = 2
)

// Converted types, the older form of what a column means.
const (
	convertedNone            = -1
	convertedUTF8            = 0
	convertedMap             = 1
	convertedMapKeyValue     = 2
	convertedList            = 3
	convertedEnum            = 4
	convertedDecimal         = 5
	convertedDate            = 6
	convertedTimeMillis      = 7
	convertedTimeMicros      = 8
	convertedTimestampMillis = 9
	convertedTimestampMicros = 10
	convertedUint8           = 11
	convertedUint16          = 12
	convertedUint32          = 13
	convertedUint64          = 14
	convertedInt8            = 15
	convertedInt16           = 16
	convertedInt32           = 17
	convertedInt64           = 18
	convertedJSON            = 19
	convertedBSON            = 20
	convertedInterval        = 21
)

// Logical types, by their number in the union; 0 is none.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUnknown   = 11
	logicalJSON      = 12
	logicalBSON      = 13
	logicalUUID      = 14
	logicalFloat16   = 15
	logicalVariant   = 16
)

// Units of times, by their number in the union.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

// logicalType is what a column means.
type logicalType struct {
	kind      int16
	scale     int32
	precision int32
	utc       bool
	unit      int16
	bits      int8
	signed    bool
}

// element is one node of the schema, which the footer has in depth-first order.
type element struct {
	typ        int32 // -1: a group
	length     int32
	repetition int32
	name       string
	children   int32
	converted  int32
	scale      int32
	precision  int32
	logical    logicalType
}

// statistics are the bounds of a column chunk, as plain bytes; nil is not known.
type statistics struct {
	min, max       []byte // in the order of the column's type
	oldMin, oldMax []byte // in an order that only numbers with a sign are sure of
	nullCount      int64  // -1: not known
}

// chunk is one column of a row group.
type chunk struct {
	elsewhere  bool // in another file
	encrypted  bool
	typ        int32
	codec      int32
	values     int64
	compressed int64
	dataAt     int64
	dictAt     int64
	stats      statistics
}

// start returns where the chunk's first page is.
func (c *chunk) start() int64 {
	if c.dictAt > 0 && c.dictAt < c.dataAt {
		return c.dictAt
	}
	return c.dataAt
}

// rowGroup is one row group.
type rowGroup struct {
	columns []chunk
	rows    int64
}

// footer is the metadata of a file.
type footer struct {
	schema     []element
	rows       int64
	groups     []rowGroup
	encrypted  bool
	typeOrders []bool // for each leaf, whether the file says that bounds have the order of its type
	end        int64  // where the pages end at the latest: the footer's first byte
}

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	tailBytes      = 8 // the footer's length, and the magic

	// maxFooterBytes bounds the footer of a file: ten times what 65,535 columns in one row
	// group take.
	maxFooterBytes = 256 << 20
)

// corrupt is the error of a file that is not what it should be.
func corrupt(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.BadCopyFileFormat, "the Parquet file is damaged: "+format, args...)
}

// unsupported is the error of what this package does not read.
func unsupported(format string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.FeatureNotSupported, format, args...)
}

// readFooter reads the metadata of a file of size bytes.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	if size < int64(len(magic))+tailBytes {
		return nil, pgerr.New(pgerr.BadCopyFileFormat, "the file is no Parquet file: it has only %d bytes", size)
	}
	var head [len(magic)]byte
	var tail [tailBytes]byte
	if err := readFull(r, head[:], 0); err != nil {
		return nil, err
	}
	if err := readFull(r, tail[:], size-tailBytes); err != nil {
		return nil, err
	}
	if string(head[:]) == magicEncrypted || string(tail[4:]) == magicEncrypted {
		return nil, unsupported("the Parquet file is encrypted, which is not supported")
	}
	if string(tail[4:]) != magic {
		if string(head[:]) == magic {
			return nil, pgerr.New(pgerr.BadCopyFileFormat, "the Parquet file is cut: it does not end with PAR1")
		}
		return nil, pgerr.New(pgerr.BadCopyFileFormat, "the file is no Parquet file: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-tailBytes-int64(len(magic)) {
		return nil, corrupt("its footer of %d bytes is longer than the file", n)
	}
	if n > maxFooterBytes {
		return nil, unsupported("a Parquet footer of %d bytes is not supported", n)
	}
	b := make([]byte, n)
	if err := readFull(r, b, size-tailBytes-n); err != nil {
		return nil, err
	}
	f, err := parseFooter(b)
	if err != nil {
		return nil, corrupt("its footer cannot be read").WithDetail("%v", err)
	}
	f.end = size - tailBytes - n
	if f.encrypted {
		return nil, unsupported("the Parquet file is encrypted, which is not supported")
	}
	return f, nil
}

// readFull reads all of b at off. That the file is shorter than it was is an error.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return corrupt("it ends at byte %d", off+int64(n))
	}
	return err
}

// parseFooter parses FileMetaData. What it returns aliases b.
func parseFooter(b []byte) (*footer, error) {
	r := &thriftReader{b: b}
	f := &footer{rows: -1}
	r.structure(func(id int16, typ byte) bool {
		switch id {
		case 2:
			return r.structures(typ, func() { f.schema = append(f.schema, r.element()) })
		case 3:
			if typ == thriftI64 {
				f.rows = r.i64()
				return true
			}
		case 4:
			return r.structures(typ, func() { f.groups = append(f.groups, r.rowGroup()) })
		case 7:
			return r.structures(typ, func() { f.typeOrders = append(f.typeOrders, r.columnOrder()) })
		case 8:
			f.encrypted = true
		}
		return false
	})
	if r.err == nil && (len(f.schema) == 0 || f.rows < 0) {
		r.err = errThrift
	}
	return f, r.err
}

func (r *thriftReader) string() string { return string(r.bytes()) }

// element reads a SchemaElement, which must have a name.
func (r *thriftReader) element() element {
	e := element{typ: -1, converted: convertedNone}
	named := false
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 4 && typ == thriftBinary:
			e.name, named = r.string(), true
		case id == 10 && typ == thriftStruct:
			r.logical(&e.logical)
		case typ != thriftI32:
			return false
		case id == 1:
			e.typ = r.i32()
		case id == 2:
			e.length = r.i32()
		case id == 3:
			e.repetition = r.i32()
		case id == 5:
			e.children = r.i32()
		case id == 6:
			e.converted = r.i32()
		case id == 7:
			e.scale = r.i32()
		case id == 8:
			e.precision = r.i32()
		default:
			return false
		}
		return true
	})
	if !named {
		r.fail(errThrift)
	}
	return e
}

// logical reads a LogicalType. One that is not known has its number and nothing else.
func (r *thriftReader) logical(l *logicalType) {
	r.structure(func(kind int16, typ byte) bool {
		l.kind = kind
		if typ != thriftStruct {
			return false
		}
		r.structure(func(id int16, typ byte) bool {
			switch {
			case kind == logicalDecimal && id == 1 && typ == thriftI32:
				l.scale = r.i32()
			case kind == logicalDecimal && id == 2 && typ == thriftI32:
				l.precision = r.i32()
			case (kind == logicalTime || kind == logicalTimestamp) && id == 1:
				l.utc = typ == thriftTrue
				return false
			case (kind == logicalTime || kind == logicalTimestamp) && id == 2 && typ == thriftStruct:
				r.structure(func(unit int16, _ byte) bool {
					l.unit = unit
					return false
				})
			case kind == logicalInteger && id == 1 && typ == thriftByte:
				l.bits = int8(r.byte())
			case kind == logicalInteger && id == 2:
				l.signed = typ == thriftTrue
				return false
			default:
				return false
			}
			return true
		})
		return true
	})
}

// columnOrder reads a ColumnOrder and says whether it is that of the type.
func (r *thriftReader) columnOrder() (ofType bool) {
	r.structure(func(id int16, _ byte) bool {
		ofType = id == 1
		return false
	})
	return ofType
}

// rowGroup reads a RowGroup, which must have columns and rows.
func (r *thriftReader) rowGroup() rowGroup {
	g := rowGroup{rows: -1}
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 1:
			return r.structures(typ, func() { g.columns = append(g.columns, r.chunk()) })
		case id == 3 && typ == thriftI64:
			g.rows = r.i64()
		default:
			return false
		}
		return true
	})
	if g.rows < 0 || len(g.columns) == 0 && g.rows > 0 {
		r.fail(errThrift)
	}
	return g
}

// chunk reads a ColumnChunk, which must have metadata unless that is encrypted.
func (r *thriftReader) chunk() chunk {
	c := chunk{values: -1, typ: -1, codec: -1}
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == thriftBinary:
			c.elsewhere = len(r.bytes()) > 0
		case id == 3 && typ == thriftStruct:
			r.chunkMetadata(&c)
		case id == 8:
			c.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	if c.values < 0 && !c.encrypted {
		r.fail(errThrift)
	}
	return c
}

// chunkMetadata reads a ColumnMetaData.
func (r *thriftReader) chunkMetadata(c *chunk) {
	c.stats.nullCount = -1
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 1 && typ == thriftI32:
			c.typ = r.i32()
		case id == 4 && typ == thriftI32:
			c.codec = r.i32()
		case id == 5 && typ == thriftI64:
			c.values = r.i64()
		case id == 7 && typ == thriftI64:
			c.compressed = r.i64()
		case id == 9 && typ == thriftI64:
			c.dataAt = r.i64()
		case id == 11 && typ == thriftI64:
			c.dictAt = r.i64()
		case id == 12 && typ == thriftStruct:
			r.statistics(&c.stats)
		default:
			return false
		}
		return true
	})
}

// statistics reads a Statistics.
func (r *thriftReader) statistics(s *statistics) {
	r.structure(func(id int16, typ byte) bool {
		switch {
		case id == 3 && typ == thriftI64:
			s.nullCount = r.i64()
		case typ != thriftBinary:
			return false
		case id == 1:
			s.oldMax = r.bytes()
		case id == 2:
			s.oldMin = r.bytes()
		case id == 5:
			s.max = r.bytes()
		case id == 6:
			s.min = r.bytes()
		default:
			return false
		}
		return true
	})
}
