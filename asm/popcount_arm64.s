//go:build !purego

#include "textflag.h"

// func PopCountNEON(words []uint64) int
//
// Returns the number of set bits in words. Nothing outside words is read: 64-byte
// blocks, then words.
//
//	R0  cursor                  V0-V3 bit counts of bytes
//	R1  words left at R0        R3 scratch
//	R2  count
//
// A byte of a block's sum is at most 4*8, so VUADDLV may widen once per block.
TEXT ·PopCountNEON(SB), NOSPLIT, $0-32
	MOVD words_base+0(FP), R0
	MOVD words_len+8(FP), R1
	MOVD ZR, R2

block:
	CMP     $8, R1
	BLO     words
	VLD1.P  64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	VCNT    V0.B16, V0.B16
	VCNT    V1.B16, V1.B16
	VCNT    V2.B16, V2.B16
	VCNT    V3.B16, V3.B16
	VADD    V1.B16, V0.B16, V0.B16
	VADD    V3.B16, V2.B16, V2.B16
	VADD    V2.B16, V0.B16, V0.B16
	VUADDLV V0.B16, V0
	VMOV    V0.D[0], R3
	ADD     R3, R2
	SUB     $8, R1
	B       block

words:
	CBZ     R1, done
	VLD1.P  8(R0), [V0.B8]
	VCNT    V0.B8, V0.B8
	VUADDLV V0.B8, V0
	VMOV    V0.D[0], R3
	ADD     R3, R2
	SUB     $1, R1
	B       words

done:
	MOVD R2, ret+24(FP)
	RET
