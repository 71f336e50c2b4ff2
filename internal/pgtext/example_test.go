package pgtext_test

import (
	"fmt"
	"time"

	"github.com/ingotdb/ingot/internal/pgtext"
)

func ExampleDescribe() {
	text := []byte("2021-13-45")
	if _, st := pgtext.Date(text); st != pgtext.OK {
		state, message, _, hint := pgtext.Describe(st, "date", text)
		fmt.Println(state, message)
		fmt.Println(hint)
	}
	// Output:
	// 22008 date/time field value out of range: "2021-13-45"
	// Perhaps you need a different "DateStyle" setting.
}

func ExampleParseDecimal() {
	d, _, st := pgtext.ParseDecimal([]byte("2.3455e2"), 4, 1)
	fmt.Println(d.Lo, st == pgtext.OK, string(pgtext.AppendDecimal(nil, d, 1)))
	_, _, st = pgtext.ParseDecimal([]byte("999.95"), 4, 1)
	_, _, detail, _ := pgtext.Describe(st, "numeric(4,1)", nil)
	fmt.Println(detail)
	// Output:
	// 2346 true 234.6
	// A field with precision 4, scale 1 must round to an absolute value less than 10^3.
}

func ExampleTimestampTZ() {
	us, _ := pgtext.TimestampTZ([]byte("1890-01-01 00:00:00+00:19:32"), time.UTC)
	fmt.Println(string(pgtext.AppendTimestampTZ(nil, us, time.UTC)))
	// Output:
	// 1889-12-31 23:40:28+00
}

func ExampleParseNumericText() {
	text, _ := pgtext.ParseNumericText(nil, []byte(" 001.50e1 "))
	fmt.Println(string(text), pgtext.CompareNumericText(text, []byte("15")))
	// Output:
	// 15.0 0
}

func ExampleInvalidSequence() {
	pos, seq := pgtext.InvalidSequence([]byte("caf\xe9 \xe0 la"))
	fmt.Println(pos, pgtext.EncodingMessage(seq))
	// Output:
	// 3 invalid byte sequence for encoding "UTF8": 0xe9 0x20 0xe0
}
