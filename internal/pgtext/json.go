package pgtext

// MaxJSONDepth bounds the nesting of arrays and objects. PostgreSQL's bound is the size
// of its stack, with the same SQLSTATE.
const MaxJSONDepth = 6144

type jsonError uint8

const (
	jsonOK       jsonError = iota
	jsonEnd                // the text ends too early
	jsonToken              // the token is none
	jsonControl            // a control character in a string
	jsonEscape             // a backslash before a wrong character
	jsonUnicode            // \u without four hexadecimal digits
	jsonDepth              // nested too deeply
	jsonValue              // a token where a value is due
	jsonElement            // a token where a comma or ] is due
	jsonFirstKey           // a token where a key or } is due
	jsonKey                // a token where a key is due
	jsonColon              // a token where a colon is due
	jsonMember             // a token where a comma or } is due
	jsonTrailing           // a token behind the value
)

// jsonFault is what is wrong with a text, and where: text[start:end] is what the message
// shows.
type jsonFault struct {
	err        jsonError
	start, end int
}

// ValidJSON reports whether b, which must be valid UTF-8, is one JSON value as the type
// json takes it: RFC 8259, \u escapes not checked for surrogates, nested at most
// MaxJSONDepth deep. If not, pos is where it goes wrong.
func ValidJSON(b []byte) (pos int, ok bool) {
	f := checkJSON(b)
	return f.start, f.err == jsonOK
}

// jsonLexer cuts a text into tokens: kind is the first byte, or n for the three names, 0
// for a number and 1 at the end.
type jsonLexer struct {
	b          []byte
	start, end int
	kind       byte
}

const (
	jsonKindEnd    = 1
	jsonKindNumber = '0'
	jsonKindName   = 'n'
)

func isJSONWord(c byte) bool { return isAlpha(c) || isDigit(c) || c == '_' || c >= 0x80 }

func (x *jsonLexer) next() jsonError {
	b, i := x.b, x.end
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	x.start = i
	if i == len(b) {
		x.end, x.kind = i, jsonKindEnd
		return jsonOK
	}
	switch c := b[i]; {
	case c == '"':
		x.kind = c
		return x.str(i + 1)
	case c == '-' || isDigit(c):
		x.kind = jsonKindNumber
		return x.number(i)
	case c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',':
		x.kind, x.end = c, i+1
		return jsonOK
	}
	for i < len(b) && isJSONWord(b[i]) {
		i++
	}
	x.kind, x.end = jsonKindName, i
	switch string(b[x.start:i]) {
	case "true", "false", "null":
		return jsonOK
	}
	if i == x.start {
		x.end++
	}
	return jsonToken
}

func (x *jsonLexer) str(i int) jsonError {
	b := x.b
	for i < len(b) {
		c := b[i]
		switch {
		case c == '"':
			x.end = i + 1
			return jsonOK
		case c < ' ':
			x.start, x.end = i, i+1
			return jsonControl
		case c != '\\':
			i++
			continue
		}
		i++
		if i == len(b) {
			break
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			for n := 1; n <= 4; n++ {
				if i+n == len(b) {
					x.end = len(b)
					return jsonToken
				}
				if hexValue(b[i+n]) > 15 {
					x.start, x.end = i, i+n
					return jsonUnicode
				}
			}
			i += 5
		default:
			x.start, x.end = i, min(len(b), i+charLen(b[i]))
			return jsonEscape
		}
	}
	x.end = len(b)
	return jsonToken
}

func (x *jsonLexer) number(i int) jsonError {
	b := x.b
	run := func() (found bool) {
		for i < len(b) && isDigit(b[i]) {
			i++
			found = true
		}
		return found
	}
	if b[i] == '-' {
		i++
	}
	ok := true
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		ok = run()
	}
	if ok && i < len(b) && b[i] == '.' {
		i++
		ok = run()
	}
	if ok && i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		ok = run()
	}
	for i < len(b) && isJSONWord(b[i]) {
		i++
		ok = false
	}
	x.end = i
	if !ok {
		return jsonToken
	}
	return jsonOK
}

// jsonState says what the next token may be.
type jsonState uint8

const (
	wantValue    jsonState = iota
	wantElement            // a value or ]
	wantFirstKey           // a key or }
	wantKey
	wantColon
	wantComma // a comma or the end of the array or object; at the top, the end
)

// checkJSON finds the first fault of b. What encloses the current value is one bit per
// level, set for an object.
func checkJSON(b []byte) jsonFault {
	var objects [MaxJSONDepth / 64]uint64
	depth := 0
	state := wantValue
	x := jsonLexer{b: b}
	for {
		if err := x.next(); err != jsonOK {
			return jsonFault{err, x.start, x.end}
		}
		in := false // in an object
		if depth > 0 {
			in = objects[(depth-1)/64]>>((depth-1)%64)&1 != 0
		}
		err := jsonOK
		switch state {
		case wantElement, wantValue:
			switch x.kind {
			case '"', jsonKindNumber, jsonKindName:
				state = wantComma
			case '[', '{':
				if depth == MaxJSONDepth {
					return jsonFault{jsonDepth, x.start, x.end}
				}
				bit := uint64(1) << (depth % 64)
				objects[depth/64] &^= bit
				state = wantElement
				if x.kind == '{' {
					objects[depth/64] |= bit
					state = wantFirstKey
				}
				depth++
			default:
				if x.kind != ']' || state != wantElement {
					err = jsonValue
					break
				}
				depth--
				state = wantComma
			}
		case wantFirstKey, wantKey:
			switch {
			case x.kind == '"':
				state = wantColon
			case x.kind == '}' && state == wantFirstKey:
				depth--
				state = wantComma
			case state == wantFirstKey:
				err = jsonFirstKey
			default:
				err = jsonKey
			}
		case wantColon:
			state = wantValue
			if x.kind != ':' {
				err = jsonColon
			}
		case wantComma:
			switch {
			case depth == 0:
				if x.kind == jsonKindEnd {
					return jsonFault{}
				}
				err = jsonTrailing
			case x.kind == ',' && in:
				state = wantKey
			case x.kind == ',':
				state = wantValue
			case x.kind == '}' && in, x.kind == ']' && !in:
				depth--
			case in:
				err = jsonMember
			default:
				err = jsonElement
			}
		}
		if err != jsonOK {
			if x.kind == jsonKindEnd {
				err = jsonEnd
			}
			return jsonFault{err, x.start, x.end}
		}
	}
}

// describeJSON returns the detail of PostgreSQL's message for a text that is not JSON, or
// the state of one that is nested too deeply.
func describeJSON(b []byte) (detail string, deep bool) {
	f := checkJSON(b)
	shown := string(b[f.start:f.end])
	expected := ""
	switch f.err {
	case jsonDepth:
		return "", true
	case jsonEnd:
		return "The input string ended unexpectedly.", false
	case jsonToken:
		return `Token "` + shown + `" is invalid.`, false
	case jsonControl:
		c := shown[0]
		return "Character with value 0x" + string([]byte{hexDigits[c>>4], hexDigits[c&15]}) + " must be escaped.", false
	case jsonEscape:
		return `Escape sequence "\` + shown + `" is invalid.`, false
	case jsonUnicode:
		return `"\u" must be followed by four hexadecimal digits.`, false
	case jsonValue:
		expected = "JSON value"
	case jsonElement:
		expected = `"," or "]"`
	case jsonFirstKey:
		expected = `string or "}"`
	case jsonKey:
		expected = "string"
	case jsonColon:
		expected = `":"`
	case jsonMember:
		expected = `"," or "}"`
	case jsonTrailing:
		expected = "end of input"
	default:
		return "", false
	}
	return "Expected " + expected + `, but found "` + shown + `".`, false
}
