//go:build !(armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64)

package columnar

// littleEndian is only defined where it is true, which keeps the package from building
// for other architectures: chunks are little-endian and used in place.
const littleEndian = true
