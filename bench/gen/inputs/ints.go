package inputs

import "strconv"

// intColumns returns n columns of which the first wide ones are bigint and the others integer.
func intColumns(n, wide int) []column {
	columns := make([]column, n)
	for i := range columns {
		typ := "integer"
		if i < wide {
			typ = "bigint"
		}
		columns[i] = column{"c" + strconv.Itoa(i+1), typ}
	}
	return columns
}

// intRows returns the start of an input of n integers in a row, each in [0, 2^bits).
func intRows(n, bits int) func(s *stream) func(b []byte) []byte {
	return func(s *stream) func(b []byte) []byte {
		return func(b []byte) []byte {
			for i := range n {
				if i > 0 {
					b = append(b, ',')
				}
				b = strconv.AppendUint(b, s.next()>>(64-bits), 10)
			}
			return append(b, '\n')
		}
	}
}
