package kernels

// Arithmetic on the eight bytes of a word, for the Generic forms of the byte kernels.
const (
	swarOnes = 0x0101010101010101
	swarLow7 = 0x7f7f7f7f7f7f7f7f
)

// swarZeros returns a word whose byte i is 0x80 where byte i of w is zero, else 0. No
// carry leaves a byte, so the answer is exact for each.
func swarZeros(w uint64) uint64 {
	return ^((w&swarLow7 + swarLow7) | w | swarLow7)
}
