package kernels

import "encoding/hex"

// uuidRef returns the 16 bytes that field is the text of and true if it is a uuid as
// ParseUUIDColumn takes it. It is the definition of that.
func uuidRef(field []byte) (u [16]byte, ok bool) {
	if len(field) != 36 {
		return u, false
	}
	digits := make([]byte, 0, 32)
	for i, c := range field {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return u, false
			}
		default:
			digits = append(digits, c)
		}
	}
	if _, err := hex.Decode(u[:], digits); err != nil {
		return [16]byte{}, false
	}
	return u, true
}
