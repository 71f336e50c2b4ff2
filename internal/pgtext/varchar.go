package pgtext

// Truncate says how much of b a varchar(limit) keeps. b must be valid UTF-8.
//
// cut is the length in bytes of at most limit characters. ok is false if what is cut off
// is not all blanks, which is TooLong.
func Truncate(b []byte, limit int) (cut int, ok bool) {
	if len(b) <= limit {
		return len(b), true
	}
	chars := 0
	for i, c := range b {
		if c&0xc0 == 0x80 {
			continue
		}
		if chars == limit {
			for _, c := range b[i:] {
				if c != ' ' {
					return i, false
				}
			}
			return i, true
		}
		chars++
	}
	return len(b), true
}
