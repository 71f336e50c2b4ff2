package parse

import (
	"strconv"

	"github.com/ingotdb/ingot/columnar"
	"github.com/ingotdb/ingot/internal/pgerr"
)

// typeNames has the types of one word and their aliases.
var typeNames = map[string]columnar.Kind{
	"bool": columnar.Bool, "boolean": columnar.Bool,
	"smallint": columnar.Int2, "int2": columnar.Int2, "int16": columnar.Int2,
	"int": columnar.Int4, "integer": columnar.Int4, "int4": columnar.Int4, "int32": columnar.Int4,
	"bigint": columnar.Int8, "int8": columnar.Int8, "int64": columnar.Int8,
	"real": columnar.Float4, "float4": columnar.Float4,
	"float": columnar.Float8, "float8": columnar.Float8, "double": columnar.Float8,
	"numeric": columnar.Numeric, "decimal": columnar.Numeric, "dec": columnar.Numeric,
	"text": columnar.Text, "string": columnar.Text,
	"varchar": columnar.Varchar, "character": columnar.Varchar, "char": columnar.Varchar,
	"bytea": columnar.Bytea, "blob": columnar.Bytea,
	"date": columnar.Date, "time": columnar.Time,
	"timestamp": columnar.Timestamp, "timestamptz": columnar.TimestampTZ,
	"uuid": columnar.UUID, "json": columnar.JSON, "jsonb": columnar.JSON,
}

// otherTypes has types of PostgreSQL that are refused, with what to use.
var otherTypes = map[string]string{
	"interval": "Store seconds or days as a number.",
	"timetz":   "Use timestamptz.",
	"bpchar":   "Use varchar(n) or text.", "name": "Use text.", "citext": "Use text.", "xml": "Use text.",
	"money":  "Use numeric(p,s).",
	"serial": "Use int4 and give the values.", "serial4": "Use int4 and give the values.",
	"bigserial": "Use int8 and give the values.", "serial8": "Use int8 and give the values.",
	"smallserial": "Use int2 and give the values.", "serial2": "Use int2 and give the values.",
	"bit": "Use bytea.", "varbit": "Use bytea.",
	"inet": "Use text.", "cidr": "Use text.", "macaddr": "Use text.", "oid": "Use int8.",
	"point": "Use two float8 columns.",
}

// maxVarchar is the longest limit of varchar(n), as in PostgreSQL.
const maxVarchar = 10_485_760

// isType reports whether word starts the name of a type.
func isType(word string) bool {
	_, other := otherTypes[word]
	return other || typeNames[word] != columnar.Invalid
}

// typeName reads a type with its modifiers and array bounds.
func (p *parser) typeName() columnar.Type {
	t := p.elementType()
	switch {
	case p.accept("array"):
		t.Array = true
		p.arrayBound()
	case p.at("["):
		t.Array = true
		p.arrayBound()
		if p.at("[") {
			p.refuse(p.tok.start, "arrays of more than one dimension are")
		}
	}
	return t
}

// arrayBound reads [] or [n]; the bound means nothing, as in PostgreSQL.
func (p *parser) arrayBound() {
	if !p.accept("[") {
		return
	}
	if p.tok.kind == number {
		p.advance()
	}
	p.expect("]")
}

func (p *parser) elementType() columnar.Type {
	if p.tok.kind != word && p.tok.kind != quoted {
		p.unexpected()
		return columnar.Type{}
	}
	if p.at("pg_catalog") && p.peek(1).is(".") {
		p.advance()
		p.advance()
	}
	name := p.advance()
	if hint, ok := otherTypes[name.text]; ok {
		p.refuse(name.start, "type "+name.text+" is").WithHint("%s", hint)
		return columnar.Type{}
	}
	t := columnar.Type{Kind: typeNames[name.text]}
	switch {
	case t.Kind == columnar.Invalid:
		p.fail(name.start, pgerr.UndefinedObject, "type \"%s\" does not exist", name.text)
	case name.text == "double":
		p.accept("precision")
	case name.text == "float":
		t.Kind = p.floatPrecision()
	case t.Kind == columnar.Numeric:
		p.numericModifiers(&t)
	case t.Kind == columnar.Varchar:
		if name.text != "varchar" && !p.accept("varying") {
			p.refuse(name.start, "type character is").WithHint("Use varchar(n) or text.")
		}
		t.Length = p.varcharLength()
	case t.Kind == columnar.Time, t.Kind == columnar.Timestamp, t.Kind == columnar.TimestampTZ:
		p.timePrecision()
		if name.text != "timestamptz" {
			p.timeZone(&t, name)
		}
	}
	return t
}

// modifiers reads (n, ...), or nothing.
func (p *parser) modifiers(most int) (list []int, at []int) {
	if !p.accept("(") {
		return nil, nil
	}
	for {
		at = append(at, p.tok.start)
		sign := 1
		if most > 1 && p.accept("-") {
			sign = -1
		}
		n, err := strconv.ParseInt(p.tok.text, 10, 32)
		if p.tok.kind != number || err != nil {
			p.unexpected()
			return nil, nil
		}
		list = append(list, sign*int(n))
		p.advance()
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(list) > most {
		p.fail(at[most], pgerr.InvalidParameterValue, "invalid type modifier: at most %d allowed", most)
	}
	return list, at
}

func (p *parser) floatPrecision() columnar.Kind {
	m, at := p.modifiers(1)
	switch {
	case len(m) == 0:
	case m[0] < 1:
		p.fail(at[0], pgerr.InvalidParameterValue, "precision for type float must be at least 1 bit")
	case m[0] <= 24:
		return columnar.Float4
	case m[0] > 53:
		p.fail(at[0], pgerr.InvalidParameterValue, "precision for type float must be less than 54 bits")
	}
	return columnar.Float8
}

func (p *parser) numericModifiers(t *columnar.Type) {
	m, at := p.modifiers(2)
	if len(m) == 0 {
		return
	}
	t.Kind = columnar.Decimal
	if m[0] < 1 || m[0] > columnar.MaxPrecision {
		p.fail(at[0], pgerr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and %d",
			m[0], columnar.MaxPrecision).WithHint("numeric without a precision has no limit.")
		return
	}
	t.Precision = uint8(m[0])
	if len(m) == 2 {
		if m[1] < 0 || m[1] > m[0] {
			p.fail(at[1], pgerr.InvalidParameterValue, "NUMERIC scale %d must be between 0 and precision %d", m[1], m[0])
			return
		}
		t.Scale = uint8(m[1])
	}
}

func (p *parser) varcharLength() int32 {
	m, at := p.modifiers(1)
	switch {
	case len(m) == 0:
		return 0
	case m[0] < 1:
		p.fail(at[0], pgerr.InvalidParameterValue, "length for type varchar must be at least 1")
	case m[0] > maxVarchar:
		p.fail(at[0], pgerr.InvalidParameterValue, "length for type varchar cannot exceed %d", maxVarchar)
	}
	return int32(m[0])
}

// timePrecision reads (6), which is the precision of every time.
func (p *parser) timePrecision() {
	m, at := p.modifiers(1)
	if len(m) == 1 && m[0] != 6 {
		p.refuse(at[0], "a precision of times other than 6 is")
	}
}

// timeZone reads [WITH | WITHOUT TIME ZONE].
func (p *parser) timeZone(t *columnar.Type, name token) {
	switch {
	case p.accept("without", "time", "zone"):
	case !p.accept("with", "time", "zone"):
	case t.Kind == columnar.Timestamp:
		t.Kind = columnar.TimestampTZ
	default:
		p.refuse(name.start, "type time with time zone is").WithHint("Use timestamptz.")
	}
}
