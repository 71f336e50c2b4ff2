//go:build !(armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64)

package columnar

// The store's files are little-endian and its chunks are used in place, so this file
// keeps the package from building for a big-endian architecture: littleEndian is
// named in format.go.
const littleEndian = true
