package kernels

// boolRef returns the value of field and true if it is a boolean as ParseBoolColumn takes
// it. It is the definition of that.
func boolRef(field []byte) (value, ok bool) {
	switch string(field) {
	case "t", "true", "1":
		return true, true
	case "f", "false", "0":
		return false, true
	}
	return false, false
}
