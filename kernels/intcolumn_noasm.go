//go:build purego || !amd64

package kernels

func parseInt64Column(dst []int64, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits64)
}

func parseInt32Column(dst []int32, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits32)
}

func parseInt16Column(dst []int16, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint32) {
	parseIntColumnGo(dst, null, slow, b, seps, stride, trim, maxDigits16)
}
