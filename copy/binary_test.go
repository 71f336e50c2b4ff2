package copy

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/ingotdb/ingot/columnar"
)

// binaryFile returns a file of the given tuples with head and trailer.
func binaryFile(tuples ...[]byte) []byte {
	b := append([]byte(binarySignature), 0, 0, 0, 0, 0, 0, 0, 0)
	for _, t := range tuples {
		b = append(b, t...)
	}
	return append(b, 0xff, 0xff)
}

// tupleOf returns the tuple of the given values, nil for NULL.
func tupleOf(values ...[]byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(values)))
	for _, v := range values {
		if v == nil {
			b = append(b, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func binaryOptions(t testing.TB) (*FromOptions, *ToOptions) {
	t.Helper()
	from, err := ParseFromOptions(parseOptions(t, "COPY t WITH (FORMAT binary)"))
	if err != nil {
		t.Fatal(err)
	}
	to, err := ParseToOptions(parseOptions(t, "COPY t WITH (FORMAT binary)"))
	if err != nil {
		t.Fatal(err)
	}
	return from, to
}

// typeOf is parseType with arrays.
func typeOf(t testing.TB, s string) columnar.Type {
	element, array := strings.CutSuffix(s, "[]")
	typ := parseType(t, element)
	typ.Array = array
	return typ
}

// TestBinaryValues reads and writes the bytes that PostgreSQL has for values.
func TestBinaryValues(t *testing.T) {
	from, to := binaryOptions(t)
	for _, tc := range []struct{ typ, bytes, text string }{
		{"bool", "01", "t"},
		{"bool", "00", "f"},
		{"int2", "8000", "-32768"},
		{"int4", "7fffffff", "2147483647"},
		{"int8", "ffffffffffffffff", "-1"},
		{"float4", "3dcccccd", "0.1"},
		{"float8", "8000000000000000", "-0"},
		{"float8", "7ff0000000000000", "Infinity"},
		{"float8", "7ff8000000000000", "NaN"},
		{"float4", "7fc00000", "NaN"},
		{"date", "00000000", "2000-01-01"},
		{"date", "ffffd533", "1970-01-01"},
		{"date", "7fffffff", "infinity"},
		{"date", "80000000", "-infinity"},
		{"date", "ffda97a7", "4714-11-24 BC"},
		{"time", "0000000000000000", "00:00:00"},
		{"time", "000000141dd76000", "24:00:00"},
		{"timestamp", "0000000000000001", "2000-01-01 00:00:00.000001"},
		{"timestamp", "8000000000000000", "-infinity"},
		{"timestamp", "fffca2eaa6f0c000", "1969-12-31 00:00:00"},
		{"timestamptz", "7fffffffffffffff", "infinity"},
		{"timestamptz", "0000000000000000", "2000-01-01 00:00:00+00"},
		{"uuid", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff"},
		{"text", "", ""},
		{"text", "c3a90a5c", "é\n\\"},
		{"varchar(2)", "6162", "ab"},
		{"bytea", "00ff", `\x00ff`},
		{"json", "7b7d", "{}"},
		{"numeric", "0001 0000 0000 0000 0001", "1"},
		{"numeric", "0000 0000 0000 0002", "0.00"},
		{"numeric", "0002 0000 0000 0001 0001 1388", "1.5"},
		{"numeric", "0001 0001 4000 0000 0001", "-10000"},
		{"numeric", "0001 fffe 0000 0008 0001", "0.00000001"},
		{"numeric", "0003 0001 0000 0002 0001 0929 1a2c", "12345.67"},
		{"numeric", "0000 0000 c000 0000", "NaN"},
		{"numeric", "0000 0000 d000 0020", "Infinity"},
		{"numeric", "0000 0000 f000 0020", "-Infinity"},
		{"numeric(6,2)", "0002 0000 0000 0002 0001 1388", "1.50"},
		{"numeric(18,4)", "0002 0000 4000 0004 0001 1388", "-1.5000"},
		{"numeric(38,0)", "0001 0008 0000 0000 0001", "1" + strings.Repeat("0", 32)},
		{"numeric(6,2)", "0000 0000 c000 0000", "NaN"},
		{"int4[]", "00000001 00000000 00000017 00000002 00000001 00000004 00000001 00000004 fffffffe", "{1,-2}"},
		{"int4[]", "00000000 00000000 00000017", "{}"},
		{"int4[]", "00000001 00000001 00000017 00000001 00000003 ffffffff", "[3:3]={NULL}"},
		{"text[]", "00000002 00000000 00000019 00000001 00000001 00000002 00000001 00000003 612c62 00000004 4e554c4c", `{{"a,b","NULL"}}`},
		{"numeric[]", "00000001 00000000 000006a4 00000001 00000001 0000000a 0001 0000 0000 0000 0001", "{1}"},
		{"timestamptz[]", "00000001 00000000 000004a0 00000001 00000001 00000008 0000000000000000", `{"2000-01-01 00:00:00+00"}`},
		{"bytea[]", "00000001 00000000 00000011 00000001 00000001 00000001 ff", `{"\\xff"}`},
	} {
		t.Run(tc.typ+" "+tc.text, func(t *testing.T) {
			store := newStore(t)
			target := createTable(t, store, &columnar.Schema{Name: "t", Columns: []columnar.Column{{Name: "a", Type: typeOf(t, tc.typ)}}})
			value := unhex(t, tc.bytes)
			for _, file := range [][]byte{binaryFile(tupleOf(value)), binaryFile(tupleOf(value), tupleOf(nil))} { // even, uneven
				if _, err := From(context.Background(), store, target, FromReader(bytes.NewReader(file), ""), from, Env{}); err != nil {
					t.Fatal(err)
				}
				want := [][]string{{tc.text}}
				if len(file) > len(binaryFile(tupleOf(value))) {
					want = append(want, []string{null})
				}
				compareRows(t, readTable(t, store), want)
				var out bytes.Buffer
				if err := copyTable(t, store, ToWriter(&out), to, Env{}); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), file) {
					t.Errorf("wrote %x, want %x", out.Bytes(), file)
				}
				truncate(t, store)
			}
		})
	}
}

func truncate(t testing.TB, store *columnar.Store) {
	t.Helper()
	txn, err := store.BeginWrite(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := txn.TruncateTable("t"); err != nil {
		t.Fatal(err)
	}
	if _, err := txn.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestBinaryReadOnly reads what PostgreSQL never writes but takes.
func TestBinaryReadOnly(t *testing.T) {
	from, _ := binaryOptions(t)
	for _, tc := range []struct{ typ, bytes, text string }{
		{"bool", "07", "t"},
		{"numeric", "0000 0000 d000 0000", "Infinity"},
		{"float8", "fff8000000000001", "NaN"},
		{"json", "01 7b7d", "{}"},
		{"varchar(2)", "6162 2020", "ab"},
		{"numeric", "0003 0002 0000 0001 0000 0001 0000", "10000.0"},
		{"numeric", "0001 ffff 4000 0000 1388", "0"},
		{"numeric", "0002 0000 0000 0001 0001 270f", "1.9"},
		{"numeric(4,1)", "0002 0000 0000 0002 0001 0064", "1.0"},
		{"numeric(4,1)", "0002 0000 0000 0002 0001 01f4", "1.1"},
		{"int4[]", "00000001 00000001 00000017 00000000 00000001", "{}"},
	} {
		t.Run(tc.typ+" "+tc.bytes, func(t *testing.T) {
			store := newStore(t)
			target := createTable(t, store, &columnar.Schema{Name: "t", Columns: []columnar.Column{{Name: "a", Type: typeOf(t, tc.typ)}}})
			file := binaryFile(tupleOf(unhex(t, tc.bytes)))
			if _, err := From(context.Background(), store, target, FromReader(bytes.NewReader(file), ""), from, Env{}); err != nil {
				t.Fatal(err)
			}
			compareRows(t, readTable(t, store), [][]string{{tc.text}})
		})
	}
}

// TestBinaryErrors checks SQLSTATE, message and place of what cannot be read.
func TestBinaryErrors(t *testing.T) {
	int4, text := []byte{0, 0, 0, 1}, []byte("x")
	good := tupleOf(int4, text)
	file := binaryFile(good, good)
	head := file[:binaryHeadBytes]
	raw := func(b ...byte) []byte { return append(slices.Clone(head), b...) }
	value := func(typ, b string) (string, []byte) { return "a " + typ, binaryFile(tupleOf(unhex(t, b))) }
	type test struct {
		columns string
		in      []byte
		state   string
		line    int64
		column  string
		message string
	}
	tests := []test{
		{"", nil, "22P04", 0, "", "COPY file signature not recognized"},
		{"", []byte("PGCOPY\n\xff\n\x00 mangled and long enough"), "22P04", 0, "", "COPY file signature not recognized"},
		{"", head[:13], "22P04", 0, "", "invalid COPY file header (missing flags)"},
		{"", head[:16], "22P04", 0, "", "invalid COPY file header (missing length)"},
		{"", []byte(binarySignature + "\x00\x01\x00\x00\x00\x00\x00\x00"), "22P04", 0, "", "invalid COPY file header (WITH OIDS)"},
		{"", []byte(binarySignature + "\x80\x00\x00\x00\x00\x00\x00\x00"), "22P04", 0, "", "unrecognized critical flags in COPY file header"},
		{"", []byte(binarySignature + "\x00\x00\x00\x00\xff\xff\xff\xff"), "22P04", 0, "", "invalid COPY file header (missing length)"},
		{"", []byte(binarySignature + "\x00\x00\x00\x00\x7f\xff\xff\xffab"), "22P04", 0, "", "invalid COPY file header (wrong length)"},
		{"", raw(0), "22P04", 1, "", "unexpected EOF in COPY data"},
		{"", raw(0, 1), "22P04", 1, "", "row field count is 1, expected 2"},
		{"", raw(0xff, 0xfe), "22P04", 1, "", "row field count is -2, expected 2"},
		{"", raw(0, 2, 0, 0, 0), "22P04", 1, "a", "unexpected EOF in COPY data"},
		{"", raw(0, 2, 0, 0, 0, 4, 0, 0), "22P04", 1, "a", "unexpected EOF in COPY data"},
		{"", raw(0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe), "22P04", 1, "b", "invalid field size"},
		{"", raw(0, 2, 0, 0, 0, 4, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff), "22P04", 1, "b", "unexpected EOF in COPY data"},
		{"", append(slices.Clone(file), 0), "22P04", 3, "", "received copy data after EOF marker"},
		{"", binaryFile(good, tupleOf(int4)), "22P04", 2, "", "row field count is 1, expected 2"},
		{"", binaryFile(good, tupleOf(int4[:3], text)), "08P01", 2, "a", "insufficient data left in message"},
		{"", binaryFile(good, tupleOf(append(int4, 0), text)), "22P03", 2, "a", "incorrect binary data format"},
		{"", binaryFile(good, tupleOf(int4, []byte("a\xff"))), "22021", 2, "b", `invalid byte sequence for encoding "UTF8": 0xff`},
		{"", binaryFile(good, tupleOf(int4, []byte("a\xc3")), tupleOf(int4, []byte("\xa9"))), "22021", 2, "b", "invalid byte sequence"},
		{"", binaryFile(good, tupleOf(int4, []byte("a\x00"))), "22021", 2, "b", `invalid byte sequence for encoding "UTF8": 0x00`},
		{"", binaryFile(good, tupleOf(int4[:1], []byte("\xff"))), "08P01", 2, "a", "insufficient data"},
		{"a int4 not null, b text", binaryFile(good, tupleOf(nil, text)), "23502", 2, "a", "null value in column"},
	}
	for _, v := range []struct{ typ, bytes, state, message string }{
		{"bool", "", "08P01", "no data left in message"},
		{"bool", "0100", "22P03", "incorrect binary data format"},
		{"date", "7ffffffe", "22008", "date out of range"},
		{"date", "ffda97a6", "22008", "date out of range"},
		{"timestamp", "7ffffffffffffffe", "22008", "timestamp out of range"},
		{"time", "ffffffffffffffff", "22008", "time out of range"},
		{"time", "000000141dd76001", "22008", "time out of range"},
		{"uuid", "00", "08P01", "insufficient data left in message"},
		{"json", "7b", "22P02", "invalid input syntax for type json"},
		{"varchar(2)", "616263", "22001", "value too long for type character varying(2)"},
		{"numeric", "0001", "08P01", "insufficient data left in message"},
		{"numeric", "0001 0000 0000 0000", "08P01", "insufficient data left in message"},
		{"numeric", "0000 0000 0000 0000 0001", "22P03", "incorrect binary data format"},
		{"numeric", "0000 0000 1000 0000", "22P03", "invalid sign in external"},
		{"numeric", "0000 0000 0000 4000", "22P03", "invalid scale in external"},
		{"numeric", "0001 0000 0000 0000 2710", "22P03", "invalid digit in external"},
		{"numeric(4,2)", "0001 0000 0000 0000 0064", "22003", "numeric field overflow"},
		{"numeric(4,2)", "0000 0000 d000 0000", "22003", "numeric field overflow"},
		{"int4[]", "00000001", "08P01", "insufficient data left in message"},
		{"int4[]", "ffffffff 00000000 00000017", "22P03", "invalid number of dimensions: -1"},
		{"int4[]", "00000007 00000000 00000017", "54000", "number of array dimensions (7) exceeds the maximum allowed (6)"},
		{"int4[]", "00000000 00000002 00000017", "22P03", "invalid array flags"},
		{"int4[]", "00000000 00000000 00000014", "42804", "binary data has array element type 20"},
		{"int4[]", "00000001 00000000 00000017 7fffffff 00000001", "54000", "array size exceeds the maximum allowed"},
		{"int4[]", "00000001 00000000 00000017 0fffffff 00000001", "08P01", "insufficient data left in message"},
		{"int4[]", "00000001 00000000 00000017 00000001 7fffffff 00000004 00000000", "54000", "array lower bound is too large"},
		{"int4[]", "00000001 00000000 00000017 00000001 00000001 00000004 0000", "22P03", "insufficient data left in message"},
		{"int4[]", "00000001 00000000 00000017 00000001 00000001 00000005 0000000000", "22P03", "improper binary format in array element 1"},
		{"int4[]", "00000001 00000000 00000017 00000001 00000001 00000004 00000000 00", "22P03", "incorrect binary data format"},
	} {
		columns, in := value(v.typ, v.bytes)
		tests = append(tests, test{columns, in, v.state, 1, "a", v.message})
	}
	from, _ := binaryOptions(t)
	for _, tc := range tests {
		t.Run(tc.message, func(t *testing.T) {
			if tc.columns == "" {
				tc.columns = "a int4, b text"
			}
			s := &columnar.Schema{Name: "t"}
			for _, def := range strings.Split(tc.columns, ", ") {
				name, typ, _ := strings.Cut(def, " ")
				typ, notNull := strings.CutSuffix(typ, " not null")
				s.Columns = append(s.Columns, columnar.Column{Name: name, Type: typeOf(t, typ), NotNull: notNull})
			}
			path := writeFile(t, "in.bin", string(tc.in))
			for _, src := range []Source{FromFiles(path), FromFiles(path), FromReader(iotest.OneByteReader(bytes.NewReader(tc.in)), "stdin")} {
				store := newStore(t)
				_, err := From(context.Background(), store, createTable(t, store, s.Clone()), src, from, Env{Files: AnyFile(), MaxWorkers: 3, BlockSize: 16, smallBytes: int64(len(src.paths)) - 1})
				e := wantState(t, err, tc.state)
				if e.Line != tc.line || e.Column != tc.column || !strings.Contains(e.Message, tc.message) || e.HasValue {
					t.Errorf("%+v, want line %d, column %q, %q", *e, tc.line, tc.column, tc.message)
				}
			}
		})
	}
}

// binaryModel reads a binary file tuple by tuple.
type binaryModel struct{ types []string }

func (m *binaryModel) read(b []byte) (res textResult) {
	b = b[binaryHeadBytes:]
	for len(b) > 0 {
		fail := func(state string) textResult {
			res.state, res.line = state, len(res.rows)+1
			return res
		}
		if len(b) < 2 {
			return fail("22P04")
		}
		count := int(int16(binary.BigEndian.Uint16(b)))
		if b = b[2:]; count == -1 && len(b) == 0 {
			return res
		}
		if count != len(m.types) {
			return fail("22P04")
		}
		row := make([]string, count)
		for i, typ := range m.types {
			if len(b) < 4 {
				return fail("22P04")
			}
			n := int(int32(binary.BigEndian.Uint32(b)))
			if b = b[4:]; n == -1 {
				row[i] = null
				continue
			}
			if n < 0 || n > len(b) {
				return fail("22P04")
			}
			v := b[:n]
			b = b[n:]
			width := map[string]int{"int2": 2, "int4": 4, "int8": 8, "bool": 1}[typ]
			switch {
			case n < width:
				return fail("08P01")
			case width > 0 && n > width:
				return fail("22P03")
			case typ == "text" && (!utf8.Valid(v) || bytes.IndexByte(v, 0) >= 0):
				return fail("22021")
			}
			switch typ {
			case "int2":
				row[i] = strconv.Itoa(int(int16(binary.BigEndian.Uint16(v))))
			case "int4":
				row[i] = strconv.Itoa(int(int32(binary.BigEndian.Uint32(v))))
			case "int8":
				row[i] = strconv.Itoa(int(binary.BigEndian.Uint64(v)))
			case "bool":
				row[i] = map[bool]string{true: "t", false: "f"}[v[0] != 0]
			case "text":
				row[i] = string(v)
			case "bytea":
				row[i] = `\x` + hex.EncodeToString(v)
			}
		}
		res.rows = append(res.rows, row)
	}
	return res
}

// drawBinary draws a binary file that is mostly right, and the types of its columns.
func drawBinary(r *rand.Rand) (*binaryModel, []byte) {
	m := &binaryModel{}
	fixed := r.IntN(2) == 0
	for range 1 + r.IntN(5) {
		if fixed {
			m.types = append(m.types, []string{"int2", "int4", "int8", "bool"}[r.IntN(4)])
		} else {
			m.types = append(m.types, []string{"int2", "int4", "int8", "bool", "text", "bytea"}[r.IntN(6)])
		}
	}
	nulls := []int{math.MaxInt, 400, 5}[r.IntN(3)]
	wrong := r.IntN(3) == 0
	var tuples [][]byte
	for range r.IntN(400) {
		var values [][]byte
		for _, typ := range m.types {
			v := binary.BigEndian.AppendUint64(nil, r.Uint64())
			switch typ {
			case "int2":
				v = v[:2]
			case "int4":
				v = v[:4]
			case "bool":
				v = []byte{v[0] & 1}
			case "text":
				v = []byte([]string{"", "a", "é", "日本", "a long piece of text that needs more than a vector"}[r.IntN(5)])
			case "bytea":
				v = v[:r.IntN(9)]
			}
			if r.IntN(nulls) == 0 {
				v = nil
			}
			values = append(values, v)
		}
		tuple := tupleOf(values...)
		if wrong && r.IntN(200) == 0 {
			switch r.IntN(4) {
			case 0:
				tuple = tuple[:r.IntN(len(tuple))]
			case 1:
				tuple[r.IntN(len(tuple))] ^= 1 << r.IntN(8)
			case 2:
				tuple = append(tuple, 0)
			case 3:
				tuple = []byte{0xff, 0xff}
			}
		}
		tuples = append(tuples, tuple)
	}
	b := binaryFile(tuples...)
	switch r.IntN(6) {
	case 0:
		b = b[:len(b)-2]
	case 1:
		b = b[:max(binaryHeadBytes, len(b)-r.IntN(40))]
	}
	return m, b
}

// TestBinaryModel compares the pipeline with the model on random files, with every way
// to read them, and reads again what it writes of them.
func TestBinaryModel(t *testing.T) {
	store := newStore(t)
	dir := t.TempDir()
	n := 300
	if testing.Short() {
		n = 50
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, b := drawBinary(r)
		checkBinaryModel(t, store, dir, r, m, b, fmt.Sprintf("seed %d", seed))
	}
}

func checkBinaryModel(t *testing.T, store *columnar.Store, dir string, r *rand.Rand, m *binaryModel, b []byte, what string) {
	t.Helper()
	from, to := binaryOptions(t)
	want := m.read(b)
	path := filepath.Join(dir, "model.bin")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	columns := make([]string, len(m.types))
	for i, typ := range m.types {
		columns[i] = fmt.Sprintf("c%d %s", i, typ)
	}
	for _, mode := range []string{"file", "split", "split", "split", "stream"} {
		env := Env{Files: AnyFile(), MaxWorkers: 1 + r.IntN(9), BlockSize: 1 << r.IntN(12), smallBytes: -1, readBytes: r.IntN(2) << r.IntN(12), MemoryLimit: int64(r.IntN(2) << r.IntN(14))}
		src := FromFiles(path)
		switch mode {
		case "file":
			env.smallBytes = 0
		case "stream":
			src = FromReader(iotest.HalfReader(bytes.NewReader(b)), "stdin")
		}
		target := createTable(t, store, textSchema(t, strings.Join(columns, ", ")))
		res, err := From(context.Background(), store, target, src, from, env)
		got := readTable(t, store)
		label := fmt.Sprintf("%s, %s, %d workers, block %d, read %d, %v, input %x", what, mode, env.MaxWorkers, env.BlockSize, env.readBytes, m.types, b)
		if want.state != "" {
			dropTable(t, store)
			e, ok := err.(*Error)
			if !ok || e.SQLState != want.state || e.Line != int64(want.line) {
				t.Fatalf("%s:\nerror %v, want %s at line %d", label, err, want.state, want.line)
			}
			if len(got) > 0 {
				t.Fatalf("%s: %d rows after an error", label, len(got))
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s:\nerror %v, want %d rows", label, err, len(want.rows))
		}
		if int(res.Rows) != len(want.rows) || len(got) != len(want.rows) {
			t.Fatalf("%s:\n%d rows, %d in the table, want %d", label, res.Rows, len(got), len(want.rows))
		}
		for i := range got {
			if !slices.Equal(got[i], want.rows[i]) {
				t.Fatalf("%s:\nrow %d is %q, want %q", label, i, got[i], want.rows[i])
			}
		}
		var out bytes.Buffer
		if err := copyTable(t, store, ToWriter(&out), to, env); err != nil {
			t.Fatal(err)
		}
		dropTable(t, store)
		if again := m.read(out.Bytes()); again.state != "" || !slices.EqualFunc(again.rows, want.rows, slices.Equal) {
			t.Fatalf("%s:\nwrote %x", label, out.Bytes())
		}
	}
}
