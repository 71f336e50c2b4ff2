//go:build !purego

package asm

// AllASCIIAVX2 reports whether no byte of b has its high bit set. len(b) is at least 32.
//
//go:noescape
func AllASCIIAVX2(b []byte) bool

// ValidUTF8AVX2 reports whether the first len(b)&^31 bytes of b can begin valid UTF-8:
// every error is found that shows in them. A character that goes on behind them is not an
// error; it is the last of them that starts in the last three.
//
//go:noescape
func ValidUTF8AVX2(b []byte) bool
