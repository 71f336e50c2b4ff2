//go:build purego || !(amd64 || arm64)

package kernels

func countRecordEnds(b []byte, quote, eol byte) (outside, inside, quotes int) {
	return countRecordEndsGo(b, quote, eol)
}
