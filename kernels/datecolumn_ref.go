package kernels

// dateRef returns the days since 1970-01-01 of field and true if it is YYYY-MM-DD and
// the day exists. It is the definition of ParseDateColumn.
func dateRef(field []byte) (int32, bool) {
	if len(field) != 10 || field[4] != '-' || field[7] != '-' {
		return 0, false
	}
	year, ok1 := digitsRef(field[:4])
	month, ok2 := digitsRef(field[5:7])
	day, ok3 := digitsRef(field[8:])
	if !ok1 || !ok2 || !ok3 || year == 0 || month == 0 || month > 12 || day == 0 {
		return 0, false
	}
	lengths := [12]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		lengths[1] = 29
	}
	if day > lengths[month-1] {
		return 0, false
	}
	before := year - 1
	days := 365*before + before/4 - before/100 + before/400 // before 1 January of year
	for _, length := range lengths[:month-1] {
		days += length
	}
	const epoch = 365*1969 + 1969/4 - 1969/100 + 1969/400
	return int32(days + day - 1 - epoch), true
}

// digitsRef returns the value of field and true if it is all decimal digits.
func digitsRef(field []byte) (int, bool) {
	v := 0
	for _, c := range field {
		if !isDigit(c) {
			return 0, false
		}
		v = 10*v + int(c-'0')
	}
	return v, true
}
