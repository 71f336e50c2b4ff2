package pgtext

// Bool reads a boolean: a prefix of true, false, yes or no, or on, off, of, 1, 0, in
// either case, with white space around. Status is Syntax.
func Bool(b []byte) (bool, Status) {
	if len(b) == 1 {
		switch b[0] {
		case 't', 'T', 'y', 'Y', '1':
			return true, OK
		case 'f', 'F', 'n', 'N', '0':
			return false, OK
		}
		return false, Syntax
	}
	s := trimSpace(b)
	if len(s) == 0 {
		return false, Syntax
	}
	switch lower(s[0]) {
	case 't':
		return true, boolWord(s, "true")
	case 'f':
		return false, boolWord(s, "false")
	case 'y':
		return true, boolWord(s, "yes")
	case 'n':
		return false, boolWord(s, "no")
	case 'o':
		if len(s) == 2 && lower(s[1]) == 'n' {
			return true, OK
		}
		if len(s) >= 2 {
			return false, boolWord(s, "off")
		}
	case '1':
		if len(s) == 1 {
			return true, OK
		}
	case '0':
		if len(s) == 1 {
			return false, OK
		}
	}
	return false, Syntax
}

// boolWord returns OK if s is a prefix of word.
func boolWord(s []byte, word string) Status {
	if len(s) <= len(word) && foldedPrefix(s, word[:len(s)]) {
		return OK
	}
	return Syntax
}

// AppendBool appends t or f, the form of COPY and of a result column.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 't')
	}
	return append(dst, 'f')
}
