//go:build !purego && (amd64 || arm64)

package kernels

// minAsmWords is the number of words from which a bitmap scan is worth a call into
// assembly; below it the call costs more than the loop.
const minAsmWords = 4
