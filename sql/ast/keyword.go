package ast

import "strings"

// Category says where a word of the language can stand as a name without quotes, by
// PostgreSQL's classes.
type Category uint8

// The categories. Words outside the language are Unreserved.
const (
	Unreserved   Category = iota // any name
	ColumnName                   // a column or a table, not a function: int, values, coalesce
	FunctionName                 // a function or a type, not a column or a table: left, like
	Reserved                     // only after AS
)

// keywords holds the words that are not Unreserved.
var keywords = words(map[Category]string{
	ColumnName: `between bigint bit boolean char character coalesce dec decimal exists extract
		float greatest grouping inout int integer interval json json_array json_arrayagg
		json_exists json_object json_objectagg json_query json_scalar json_serialize
		json_table json_value least merge_action national nchar none normalize nullif
		numeric out overlay position precision real row setof smallint substring time
		timestamp treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists
		xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`,
	FunctionName: `authorization binary collation concurrently cross current_schema freeze
		full ilike inner is isnull join left like natural notnull outer overlaps right
		similar tablesample verbose`,
	Reserved: `all analyse analyze and any array as asc asymmetric both case cast check
		collate column constraint create current_catalog current_date current_role
		current_time current_timestamp current_user default deferrable desc distinct do
		else end except false fetch for foreign from grant group having in initially
		intersect into lateral leading limit localtime localtimestamp not null offset on
		only or order placing primary references returning select session_user some
		symmetric system_user table then to trailing true union unique user using
		variadic when where window with`,
})

// needAs holds the words that name a result column only after AS: without it they
// would continue the expression or the statement.
var needAs = words(map[Category]string{
	Reserved: `array as char character create day except fetch filter for from grant group
		having hour intersect into isnull limit minute month notnull offset on order over
		overlaps precision returning second to union varying where window with within
		without year`,
})

func words(lists map[Category]string) map[string]Category {
	m := make(map[string]Category)
	for c, list := range lists {
		for _, w := range strings.Fields(list) {
			m[w] = c
		}
	}
	return m
}

// CategoryOf returns the category of word, which must be in lower case.
func CategoryOf(word string) Category { return keywords[word] }

// BareLabel reports whether word, in lower case, can name a result column without AS.
func BareLabel(word string) bool {
	_, no := needAs[word]
	return !no
}

// Quote returns name as it must be written: as it is if it is a lower-case name that
// no rule of the language gives another meaning, else between double quotes.
func Quote(name string) string {
	if plain(name) && keywords[name] == Unreserved {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func plain(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '$'):
		default:
			return false
		}
	}
	return name != ""
}

// QuoteString returns s as a string literal.
func QuoteString(s string) string {
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
