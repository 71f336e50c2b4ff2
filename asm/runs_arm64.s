//go:build !purego

#include "textflag.h"

// func SkipWordsNEON(words []uint64, pattern uint64) int
//
// Returns the number of leading words that equal pattern. Nothing outside words is
// read: 64-byte blocks, then words.
//
//	R0  start of words          V31 pattern in two lanes
//	R1  words left at R3        V0-V3 scratch
//	R2  pattern                 R4, R5 scratch
//	R3  cursor
//
// Invariant: every word before R3 equals pattern, and R1 words remain from R3 on. A
// block that differs somewhere is left to the word loop, which finds the place.
TEXT ·SkipWordsNEON(SB), NOSPLIT, $0-40
	MOVD words_base+0(FP), R0
	MOVD words_len+8(FP), R1
	MOVD pattern+24(FP), R2
	MOVD R0, R3
	VDUP R2, V31.D2

	// A block of 8 words: differences collected by OR, one test.
block:
	CMP  $8, R1
	BLO  words
	VLD1 (R3), [V0.D2, V1.D2, V2.D2, V3.D2]
	VEOR V31.B16, V0.B16, V0.B16
	VEOR V31.B16, V1.B16, V1.B16
	VEOR V31.B16, V2.B16, V2.B16
	VEOR V31.B16, V3.B16, V3.B16
	VORR V1.B16, V0.B16, V0.B16
	VORR V3.B16, V2.B16, V2.B16
	VORR V2.B16, V0.B16, V0.B16
	VMOV V0.D[0], R4
	VMOV V0.D[1], R5
	ORR  R4, R5, R5
	CBNZ R5, words
	ADD  $64, R3
	SUB  $8, R1
	B    block

words:
	CBZ  R1, done
	MOVD (R3), R4
	CMP  R2, R4
	BNE  done
	ADD  $8, R3
	SUB  $1, R1
	B    words

done:
	SUB  R0, R3, R3
	LSR  $3, R3, R3
	MOVD R3, ret+32(FP)
	RET
