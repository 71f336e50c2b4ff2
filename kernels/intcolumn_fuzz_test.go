package kernels

import (
	"encoding/binary"
	"testing"
)

// FuzzParseIntColumn takes the separators from the structure of the block and then from
// arbitrary bytes.
func FuzzParseIntColumn(f *testing.F) {
	f.Add([]byte("1,2\n-3,+44444444444\n,x\n123456789012345678,\"5\"\n"), uint8(2), uint8(1), []byte{})
	f.Add([]byte("1\r\n\r\n-\r\n"), uint8(1), uint8(1), []byte{255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0})
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
					for _, k := range intColumns {
						k.check(t, l.String()+" "+k.name, b, seps, records, stride, col, uint32(trim%2))
					}
				}
				undo()
			}
		}
	})
}
