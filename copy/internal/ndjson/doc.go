// Package ndjson reads and writes rows as JSON objects: one on each line, or, for
// reading, the elements of one top-level array. It knows bytes and columns and nothing of
// files, workers or options; package copy has those.
//
// # What is read
//
//	input   = { line LF } [ line ]                  one object on each line that is not blank
//	        | blanks "[" object { "," object } "]"  or one array, spread over any lines
//	line    = { blank } [ object { blank } ]        blank: space, tab, CR
//
// JSON is that of RFC 8259 and nothing beside it: no comments, no NaN, no leading zero or
// plus, no trailing comma, no byte that is not UTF-8. All of a record is checked, values
// that no column takes included. Nesting is limited to MaxDepth. A lone surrogate, which
// no text can hold, is refused everywhere; \u0000 where a column would have to hold it.
//
// A raw line feed cannot be inside a JSON string, so on lines a record ends where its
// line does, whatever is in it, and a file can be split anywhere (type Tally). A record of
// an array is the bracket or comma before an object, and the object; where they are only a
// walk from the array's start tells (array.go).
//
// # Which value a column gets
//
// That of the key that equals the column's name, byte for byte, escapes of the key
// resolved; of several the last. Other keys are ignored. A key that is missing, and
// null, are NULL. Else the column's type reads the value's text:
//
//	value             text
//	string            the string itself, escapes resolved; for json as it is written, in quotes
//	number, boolean   as written: no number is ever a float on the way to another type
//	array, object     as written; an array for an array column becomes that column's array
//
// So every type takes a string ("1.5", "NaN", "2024-01-31", "{1,2}"), 1e3 is a numeric and
// no integer, and text takes anything.
//
// # How
//
//	block   {"id":1,"name":"a\"b","x":null}\n{"id":2, ...          64 KiB, whole records
//	marks   .."..".."...."...\"."..".....                          kernels.MarkStringStops
//	fields  id: 6-7  name: 16-20  x: -    id: ...                   two positions for each record and column
//	columns one kernel call for each column of a batch             kernels.ParseInt64Column, CopyFields, ...
//
// A bitmap marks what can end a string. The walk (walk.go) goes over a record once, checks
// it, and notes where the value of each column is. It does not look for keys: it keeps the
// bytes that stood between two values in an earlier record, from the end of one to the
// start of the next with key, colon and blanks, and compares them in one piece. Only where
// they differ a key is read, looked up, and learned. The columns are then converted from
// their texts, one after the other, by the kernels that convert CSV. A string with escapes
// is resolved in place, in a copy of the block, so that its text is a range of bytes as
// all others.
//
// # Errors
//
// Decode only detects that a record fails. Explain reads that record again and says why:
// first what is wrong with its bytes and its structure, then the first column, in the
// order of the columns, whose value its type does not take. Only the latter is a
// conversion error, which ON_ERROR may forgive.
package ndjson
