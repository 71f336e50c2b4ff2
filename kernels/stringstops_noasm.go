//go:build purego || !(amd64 || arm64)

package kernels

func markStringStops(dst []uint64, b []byte) (ascii bool) { return markStringStopsGo(dst, b) }
