package pgtext

import (
	"strconv"
	"strings"
)

// Status is the outcome of reading one text. It is a byte so that a loop over a column
// tests it for free; Describe says it in PostgreSQL's words.
type Status uint8

const (
	OK              Status = iota
	Syntax                 // not a value of the type: 22P02, 22007 for dates and times
	Range                  // a value beyond the type: 22003, 22008 for dates and times
	FieldRange             // a day, hour or the like that does not exist: 22008
	FieldRangeOrder        // the same, where another DateStyle might have taken it: 22008
	ZoneRange              // an offset beyond 15:59:59: 22009
	ZoneUnknown            // no time zone of that name: 22023
	FieldOverflow          // more digits than a numeric(p,s) has: 22003
	InfiniteField          // an infinity for a numeric(p,s): 22003
	HexDigit               // a bytea's \x form with a wrong digit: 22023
	HexOdd                 // a bytea's \x form with half a byte: 22023
	TooLong                // more characters than a varchar(n) has: 22001
	InvalidEncoding        // not valid UTF-8, or a zero byte: 22021
)

// Describe returns PostgreSQL's SQLSTATE, message, detail and hint for a status other
// than OK. detail and hint are mostly empty.
//
// typ is the SQL name of the type with its modifier, which FieldOverflow, InfiniteField
// and TooLong need: smallint, integer, bigint, real, double precision, numeric,
// numeric(p,s), boolean, date, time, timestamp, timestamp with time zone, uuid, bytea,
// json, character varying(n). text is what was read; it is read again where a part of it
// is shown.
func Describe(st Status, typ string, text []byte) (sqlstate, message, detail, hint string) {
	name, modifier, _ := strings.Cut(typ, "(")
	switch st {
	case Syntax:
		return describeSyntax(name, text)
	case Range:
		return describeRange(name, text)
	case FieldRange:
		return "22008", "date/time field value out of range: " + quote(text), "", ""
	case FieldRangeOrder:
		return "22008", "date/time field value out of range: " + quote(text), "",
			`Perhaps you need a different "DateStyle" setting.`
	case ZoneRange:
		return "22009", "time zone displacement out of range: " + quote(text), "", ""
	case ZoneUnknown:
		return "22023", "time zone " + quote(unknownZone(name, text)) + " not recognized", "", ""
	case FieldOverflow:
		p, s := fieldSize(modifier)
		limit := "1"
		if p != s {
			limit = "10^" + strconv.Itoa(p-s)
		}
		return "22003", "numeric field overflow", fieldDetail(p, s) +
			" must round to an absolute value less than " + limit + ".", ""
	case InfiniteField:
		p, s := fieldSize(modifier)
		return "22003", "numeric field overflow", fieldDetail(p, s) + " cannot hold an infinite value.", ""
	case HexDigit:
		return "22023", "invalid hexadecimal digit: " + quote(badHexDigit(text)), "", ""
	case HexOdd:
		return "22023", "invalid hexadecimal data: odd number of digits", "", ""
	case TooLong:
		return "22001", "value too long for type " + typ, "", ""
	case InvalidEncoding:
		_, seq := InvalidSequence(text)
		return "22021", EncodingMessage(seq), "", ""
	}
	return "00000", "", "", ""
}

func describeSyntax(name string, text []byte) (sqlstate, message, detail, hint string) {
	const invalid = "invalid input syntax for type "
	switch name {
	case "date", "time", "timestamp", "timestamp with time zone":
		return "22007", invalid + name + ": " + quote(text), "", ""
	case "bytea":
		return "22P02", invalid + name, "", ""
	case "json":
		detail, deep := describeJSON(text)
		if deep {
			return "54001", "stack depth limit exceeded", "", ""
		}
		return "22P02", invalid + name, detail, ""
	}
	return "22P02", invalid + name + ": " + quote(text), "", ""
}

func describeRange(name string, text []byte) (sqlstate, message, detail, hint string) {
	switch name {
	case "real", "double precision":
		number := trimLeft(text)
		number = number[:scanFloat(number).end]
		return "22003", quote(number) + " is out of range for type " + name, "", ""
	case "numeric":
		return "22003", "value overflows numeric format", "", ""
	case "date":
		return "22008", "date out of range: " + quote(text), "", ""
	case "timestamp", "timestamp with time zone":
		return "22008", "timestamp out of range: " + quote(text), "", ""
	}
	return "22003", "value " + quote(text) + " is out of range for type " + name, "", ""
}

func quote(text []byte) string { return `"` + string(text) + `"` }

// fieldSize reads the rest of a type modifier: p,s) or p).
func fieldSize(modifier string) (p, s int) {
	before, after, _ := strings.Cut(strings.TrimSuffix(modifier, ")"), ",")
	p, _ = strconv.Atoi(strings.TrimSpace(before))
	s, _ = strconv.Atoi(strings.TrimSpace(after))
	return p, s
}

func fieldDetail(p, s int) string {
	return "A field with precision " + strconv.Itoa(p) + ", scale " + strconv.Itoa(s)
}

// unknownZone returns the zone name at which reading text stops, in lower case.
func unknownZone(name string, text []byte) []byte {
	var d decoder
	st := ZoneUnknown
	if name == "time" {
		st = d.timeOnly(text)
	} else {
		st = d.dateTime(text)
	}
	if st != ZoneUnknown {
		return nil
	}
	return d.t.bytes(d.at)
}
