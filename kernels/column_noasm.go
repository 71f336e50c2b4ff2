//go:build purego || !amd64

package kernels

func parseDateColumn(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseDateColumnGo(dst, 0, null, slow, b, seps, stride, trim)
}

func parseTimestampColumn(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseTimestampColumnGo(dst, 0, null, slow, b, seps, stride, trim)
}

func parseBoolColumn(dst []uint64, n int, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseBoolColumnGo(dst, n, null, slow, b, seps, stride, trim)
}

func parseUUIDColumn(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseUUIDColumnGo(dst, null, slow, b, seps, stride, trim)
}

func scanNumbers(s *numberScan, n int, b []byte, seps []uint32, stride int, trim uint32, exponents bool) {
	scanNumbersGo(s, n, b, seps, stride, trim, exponents)
}

func allASCII(b []byte) bool { return allASCIIGo(b) }

func validUTF8(b []byte) bool { return validUTF8Go(b) }

func copyFields(dst []byte, offsets []int32, null []uint64, b []byte, seps []uint32, stride int, trim uint32) int {
	return copyFieldsGo(dst, offsets, 0, len(offsets)-1, null, b, seps, stride, trim)
}
