package pgpeer_test

import "encoding/binary"

// binaryHeader is how a file in the binary format begins.
const binaryHeader = "PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// binaryEnd is the trailer.
const binaryEnd = "\xff\xff"

func be16(v int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(v))) }
func be32(v int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(v))) }
func be64(v int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(v))) }

// field returns a field with its length.
func field(v string) string { return be32(len(v)) + v }

// tuple returns a row of fields, which have their lengths.
func tuple(fields ...string) string {
	s := be16(len(fields))
	for _, f := range fields {
		s += f
	}
	return s
}

// numericField returns the parts of a numeric as a field.
func numericField(ndigits, weight, sign, dscale int, digits ...int) string {
	s := be16(ndigits) + be16(weight) + be16(sign) + be16(dscale)
	for _, d := range digits {
		s += be16(d)
	}
	return field(s)
}

// binaryCases are files in the binary format: malformed ones, and some that look so.
func binaryCases() []copyCase {
	one := tuple(field(be32(1)), field("x"))
	null := be32(-1)
	var cases []copyCase
	add := func(create string, data ...string) {
		c := copyCase{create: create, options: "FORMAT binary"}
		for _, d := range data {
			c.data += d
		}
		cases = append(cases, c)
	}
	// Header.
	add("", "")
	add("", "PGCOPY\n")
	add("", "PGCOPY\n\xff\r\n")
	add("", "PGCOPY\n\xff\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	add("", "1,x\n2,y is not a binary file at all\n")
	add("", binaryHeader[:11])
	add("", binaryHeader[:13])
	add("", binaryHeader[:15])
	add("", binaryHeader[:17])
	add("", binaryHeader)
	add("", binaryHeader, binaryEnd)
	add("", binaryHeader[:11], be32(1<<16), be32(0), one, binaryEnd)
	add("", binaryHeader[:11], be32(1<<17), be32(0), one, binaryEnd)
	add("", binaryHeader[:11], be32(-1<<31), be32(0), one, binaryEnd)
	add("", binaryHeader[:11], be32(1), be32(0), one, binaryEnd)
	add("", binaryHeader[:15], be32(3), "ext", one, binaryEnd)
	add("", binaryHeader[:15], be32(3), "ex")
	add("", binaryHeader[:15], be32(-1), one, binaryEnd)
	add("", binaryHeader[:15], be32(1<<31-1), one, binaryEnd)
	// Tuples.
	add("", binaryHeader, one, binaryEnd)
	add("", binaryHeader, one)
	add("", binaryHeader, one, one, "\xff")
	add("", binaryHeader, one, "\x00")
	add("", binaryHeader, one, binaryEnd, "x")
	add("", binaryHeader, one, binaryEnd, one)
	add("", binaryHeader, tuple(field(be32(1))), binaryEnd)
	add("", binaryHeader, one, tuple(field(be32(1)), field("x"), field("y")), binaryEnd)
	add("", binaryHeader, be16(0), binaryEnd)
	add("", binaryHeader, be16(-2), binaryEnd)
	add("", binaryHeader, be16(32767), binaryEnd)
	add("", binaryHeader, tuple(null, null), binaryEnd)
	add("", binaryHeader, one, tuple(field(be32(1)), be32(-2)), binaryEnd)
	add("", binaryHeader, one, tuple(field(be32(1)), be32(1<<31-1)+"abc"), binaryEnd)
	add("", binaryHeader, one, tuple(field(be32(1)), be32(10)+"abc"))
	add("", binaryHeader, one, be16(2), "\x00\x00")
	add("", binaryHeader, one, be16(2), field(be32(1)))
	add("", binaryHeader, one, be16(2))
	// Values of the wrong size.
	add("", binaryHeader, one, tuple(field("\x01"), field("x")), binaryEnd)
	add("", binaryHeader, one, tuple(field(be64(1)), field("x")), binaryEnd)
	add("", binaryHeader, one, tuple(field(""), field("x")), binaryEnd)
	add("a bool", binaryHeader, tuple(field("\x01")), tuple(field("\x02")), tuple(field("\x00")), binaryEnd)
	add("a bool", binaryHeader, tuple(field("")), binaryEnd)
	add("a bool", binaryHeader, tuple(field("\x01\x01")), binaryEnd)
	add("a int2", binaryHeader, tuple(field(be32(1))), binaryEnd)
	add("a int8", binaryHeader, tuple(field(be32(1))), binaryEnd)
	add("a float4", binaryHeader, tuple(field("\x7f\xc0\x00\x01")), tuple(field("\x80\x00\x00\x00")), tuple(field("\x00\x00\x00\x01")), binaryEnd)
	add("a float8", binaryHeader, tuple(field(be64(0x7ff0000000000000))), tuple(field(be64(0x7ff0000000000001))), binaryEnd)
	add("a float8", binaryHeader, tuple(field(be32(1))), binaryEnd)
	add("a uuid", binaryHeader, tuple(field("0123456789abcdef")), binaryEnd)
	add("a uuid", binaryHeader, tuple(field("0123456789abcde")), binaryEnd)
	add("a uuid", binaryHeader, tuple(field("0123456789abcdefg")), binaryEnd)
	add("a bytea", binaryHeader, tuple(field("\x00\xff")), tuple(field("")), binaryEnd)
	// Text.
	add("a text", binaryHeader, tuple(field("\xff")), binaryEnd)
	add("a text", binaryHeader, tuple(field("a\x00b")), binaryEnd)
	add("a text", binaryHeader, tuple(field("\xc3")), binaryEnd)
	add("a varchar(3)", binaryHeader, tuple(field("äöü")), tuple(field("abc  ")), binaryEnd)
	add("a varchar(3)", binaryHeader, tuple(field("abcd")), binaryEnd)
	add("a json", binaryHeader, tuple(field(`{"a" : 1}`)), binaryEnd)
	add("a json", binaryHeader, tuple(field(`{`)), binaryEnd)
	// Dates and times.
	add("a date", binaryHeader, tuple(field(be32(0))), tuple(field(be32(-2451545))), tuple(field(be32(1<<31-1))), tuple(field(be32(-1<<31))), tuple(field(be32(2145031948))), binaryEnd)
	add("a date", binaryHeader, tuple(field(be32(-2451546))), binaryEnd)
	add("a date", binaryHeader, tuple(field(be32(2145031949))), binaryEnd)
	add("a date", binaryHeader, tuple(field(be64(0))), binaryEnd)
	add("a time", binaryHeader, tuple(field(be64(0))), tuple(field(be64(86400000000))), binaryEnd)
	add("a time", binaryHeader, tuple(field(be64(86400000001))), binaryEnd)
	add("a time", binaryHeader, tuple(field(be64(-1))), binaryEnd)
	add("a timestamp", binaryHeader, tuple(field(be64(0))), tuple(field(be64(1<<63-1))), tuple(field(be64(-1<<63))), binaryEnd)
	add("a timestamp", binaryHeader, tuple(field(be64(-1<<63+1))), binaryEnd)
	add("a timestamp", binaryHeader, tuple(field(be64(1<<63-2))), binaryEnd)
	add("a timestamptz", binaryHeader, tuple(field(be64(-1))), tuple(field(be64(-211813488000000000))), binaryEnd)
	add("a timestamptz", binaryHeader, tuple(field(be64(-211813488000000001))), binaryEnd)
	// Numeric.
	for _, typ := range []string{"a numeric", "a numeric(5,2)"} {
		add(typ, binaryHeader, tuple(numericField(1, 0, 0, 0, 1)), tuple(numericField(2, 0, 0x4000, 2, 12, 3400)), tuple(numericField(0, 0, 0, 2)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(0, 0, 0xC000, 0)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(0, 0, 0xD000, 0)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(0, 0, 0xF000, 0)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(0, 0, 0x1234, 0)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, 0, 0, 0x4000, 1)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, 0, 0, 0, 10000)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, 0, 0, 0, -1)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(2, 0, 0, 0, 1)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, 0, 0, 0, 1, 2)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(-1, 0, 0, 0)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(2, 0, 0, 0, 1, 5678)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(3, 1, 0, 1, 0, 0, 5000)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, 1, 0, 0, 1)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(3, 0, 0, 8, 999, 9949, 9999)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(2, 0, 0, 3, 999, 9950)), binaryEnd)
		add(typ, binaryHeader, tuple(numericField(1, -3, 0, 12, 1)), binaryEnd)
		add(typ, binaryHeader, tuple(field("\x00\x01\x00")), binaryEnd)
	}
	// Constraints.
	add("a int NOT NULL, b text", binaryHeader, one, tuple(null, field("x")), binaryEnd)
	add("a int PRIMARY KEY, b text", binaryHeader, one, one, binaryEnd)
	add("a int CHECK (a > 1), b text", binaryHeader, one, binaryEnd)
	return cases
}
