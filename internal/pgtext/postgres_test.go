package pgtext

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// rewrite reads text as a value of the type and formats it again.
func rewrite(typ string, text []byte) (out string, st Status) {
	var dst []byte
	name, modifier, _ := strings.Cut(typ, "(")
	switch name {
	case "smallint", "integer", "bigint":
		v, s := Int(text, map[string]int{"smallint": 16, "integer": 32, "bigint": 64}[typ])
		dst, st = AppendInt(dst, v), s
	case "double precision":
		v, s := Float8(text)
		dst, st = AppendFloat8(dst, v), s
	case "real":
		v, s := Float4(text)
		dst, st = AppendFloat4(dst, v), s
	case "boolean":
		v, s := Bool(text)
		dst, st = strconv.AppendBool(dst, v), s
	case "numeric":
		if modifier == "" {
			dst, st = ParseNumericText(nil, text)
			break
		}
		p, scale := fieldSize(modifier)
		v, special, s := ParseDecimal(text, p, scale)
		st = s
		if special == NaN {
			dst = []byte("NaN")
		} else {
			dst = AppendDecimal(dst, v, scale)
		}
	case "date":
		v, s := Date(text)
		if st = s; st == OK {
			dst = AppendDate(dst, v)
		}
	case "time":
		v, s := Time(text)
		dst, st = AppendTime(dst, v), s
	case "timestamp":
		v, s := Timestamp(text)
		dst, st = AppendTimestamp(dst, v), s
	case "timestamp with time zone":
		v, s := TimestampTZ(text, time.UTC)
		dst, st = AppendTimestampTZ(dst, v, time.UTC), s
	case "uuid":
		v, s := UUID(text)
		dst, st = AppendUUID(dst, v), s
	case "bytea":
		v, s := Bytea(nil, text)
		dst, st = AppendBytea(dst, v), s
	case "json":
		dst = text
		if _, ok := ValidJSON(text); !ok {
			st = Syntax
		}
	case "character varying":
		limit, _ := fieldSize(modifier)
		cut, ok := Truncate(text, limit)
		dst = text[:cut]
		if !ok {
			st = TooLong
		}
	default:
		panic("no type " + typ)
	}
	return string(dst), st
}

// TestPostgres compares every type with what PostgreSQL 18.7 answered, messages
// included. A line of the file is a JSON array: type, text, then "ok" and the output, or
// SQLSTATE, message, detail and hint. Types with a modifier were read by COPY, the rest by
// a cast; the session zone was UTC. The one exception is 0x1p1024, which is PostgreSQL
// 15.18's answer: hexadecimal floats are the C library's, and 18.7 ran on one that calls
// this overflow an infinity.
func TestPostgres(t *testing.T) {
	file, err := os.Open("testdata/postgres.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for lines.Scan() {
		var want []string
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		n++
		typ, text := want[0], []byte(want[1])
		want = want[2:]
		out, st := rewrite(typ, text)
		var have []string
		if st == OK {
			have = []string{"ok", out}
		} else {
			state, message, detail, hint := Describe(st, typ, text)
			have = []string{state, message, detail, hint}
			for have[len(have)-1] == "" {
				have = have[:len(have)-1]
			}
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s %q:\nhave %q\nwant %q", typ, text, have, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n < 700 {
		t.Errorf("only %d lines", n)
	}
}
