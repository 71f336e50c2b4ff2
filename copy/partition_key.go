package copy

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// nullPartition is what stands for NULL in the name of a partition, as in Hive.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// maxName is the most bytes that file systems take for the name of a directory.
const maxName = 255

// partitionKeys gives rows the number of their partition, counted from 0 in the order in
// which partitions appear. Partitions are told apart by their names, so no two are the same
// directory; a row is first looked up by the bytes of its values, which costs less.
type partitionKeys struct {
	columns  []Column
	location *time.Location
	prefix   []string // "name=" of each column, as in a path
	byBytes  map[string]uint32
	byName   map[string]uint32
	names    []string // of the partitions: "a=1/b=x"
	held     int64    // bytes of memory, about

	key, last []byte
	lastPart  uint32
	path      []byte
	text      []byte
}

func newPartitionKeys(columns []Column, location *time.Location) *partitionKeys {
	k := &partitionKeys{columns: columns, location: location, byBytes: make(map[string]uint32), byName: make(map[string]uint32)}
	for i := range columns {
		k.prefix = append(k.prefix, string(appendEncoded(nil, []byte(columns[i].Name)))+"=")
	}
	return k
}

// of appends the partitions of n rows, whose values of the key's columns are cols.
func (k *partitionKeys) of(dst []uint32, cols []columnar.Vec, n int) ([]uint32, error) {
	for i := range n {
		k.key = k.key[:0]
		for c := range cols {
			k.key = appendKeyValue(k.key, &cols[c], i)
		}
		if len(k.names) == 0 || !bytes.Equal(k.key, k.last) {
			part, known := k.byBytes[string(k.key)]
			if !known {
				var err error
				if part, err = k.add(cols, i); err != nil {
					return dst, err
				}
			}
			k.last, k.lastPart = append(k.last[:0], k.key...), part
		}
		dst = append(dst, k.lastPart)
	}
	return dst, nil
}

// appendKeyValue appends row i of v so that no two rows of different values give the same
// bytes.
func appendKeyValue(dst []byte, v *columnar.Vec, i int) []byte {
	if v.IsNull(i) {
		return append(dst, 0)
	}
	switch t := v.Type(); {
	case t.Variable():
		b := v.Bytes(i)
		dst = binary.AppendUvarint(append(dst, 1), uint64(len(b)))
		return append(dst, b...)
	case t.Width() == 0:
		if v.Bool(i) {
			return append(dst, 2)
		}
		return append(dst, 1)
	default:
		if v.HasNaN() {
			if _, _, nan := v.Decimal(i); nan {
				return append(dst, 2)
			}
		}
		w := t.Width()
		return append(append(dst, 1), v.Fixed()[i*w:(i+1)*w]...)
	}
}

// partitionBytes is about what a partition takes beside the bytes of its key and name, with
// what is noted of its rows.
const partitionBytes = 256

// add returns the partition of row i, whose key was not seen before.
func (k *partitionKeys) add(cols []columnar.Vec, i int) (uint32, error) {
	k.path = k.path[:0]
	for c := range cols {
		from := len(k.path)
		if c > 0 {
			k.path = append(k.path, '/')
			from++
		}
		k.path = append(k.path, k.prefix[c]...)
		k.path = k.appendValue(k.path, &cols[c], i)
		if len(k.path)-from > maxName {
			e := pgerr.New(pgerr.ProgramLimitExceeded, "a value of column \"%s\" is too long for the name of a directory", k.columns[c].Name).
				WithDetail("With the column's name it takes %d bytes, and %d are possible.", len(k.path)-from, maxName)
			e.Column = k.columns[c].Name
			return 0, e.WithValue(string(k.text))
		}
	}
	part, known := k.byName[string(k.path)]
	if !known {
		part = uint32(len(k.names))
		name := string(k.path)
		k.names = append(k.names, name)
		k.byName[name] = part
	}
	k.byBytes[string(k.key)] = part
	k.held += int64(len(k.key)+len(k.path)) + partitionBytes
	return part, nil
}

// appendValue appends what row i of v is in a path.
func (k *partitionKeys) appendValue(dst []byte, v *columnar.Vec, i int) []byte {
	k.text = k.text[:0]
	if v.IsNull(i) {
		return append(dst, nullPartition...)
	}
	if t := v.Type(); t.Kind == columnar.Bool && !t.Array {
		if v.Bool(i) {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	if k.text = v.AppendText(k.text, i, k.location); string(k.text) == nullPartition {
		dst = append(dst, "%5F"...) // a text that is not NULL
		return append(dst, nullPartition[1:]...)
	}
	return appendEncoded(dst, k.text)
}

// appendEncoded appends v with a percent sign and two digits for each byte that is not one of
// the unreserved characters of URLs.
func appendEncoded(dst, v []byte) []byte {
	for _, c := range v {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return dst
}
