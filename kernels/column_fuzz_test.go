package kernels

import (
	"encoding/binary"
	"testing"
)

// FuzzColumn takes the separators from the structure of the block and then from arbitrary
// bytes, for every column kernel at every level.
func FuzzColumn(f *testing.F) {
	f.Add([]byte("1.5,2024-02-29\n-3e7,2024-02-29 12:13:14.5+01\n,x\n12345678.901234567890,\"5\"\n"), uint8(2), uint8(1), []byte{})
	f.Add([]byte("true\r\n\r\n01234567-89ab-cdef-0123-456789abcdef\r\n1900-02-29\r\n"), uint8(1), uint8(1), []byte{255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0})
	f.Add([]byte("9007199254740993\n4.9406564584124654e-324\n1.7976931348623159e308\n0.000000000000000000000000000001\n"), uint8(0), uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, b []byte, strideByte, trim uint8, wild []byte) {
		stride := 1 + int(strideByte%8)
		wildSeps := make([]uint32, len(wild)/4)
		for i := range wildSeps {
			wildSeps[i] = binary.LittleEndian.Uint32(wild[4*i:])
		}
		for _, seps := range [][]uint32{separators(b), append(wildSeps, 0)} {
			records := (len(seps) - 1) / stride
			for _, l := range Levels() {
				undo := SetLevelForTest(l)
				for col := range stride {
					for _, k := range columnKernels {
						k.check(t, l.String(), b, seps, records, stride, col, uint32(trim%2))
					}
				}
				undo()
			}
		}
	})
}
