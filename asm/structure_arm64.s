//go:build !purego

#include "textflag.h"

// func IndexStructureNEON(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, quoted, inQuote uint64) (seps, ends, others, quotes int)
//
// Reads b[0 : len&^63] only, so there is no tail.
//
// Input:       R0 next block, R1 bytes left, V0 delim, V1 quote, V2 eol, V3 other, each
//              in every byte; R4 all ones if there is a quote byte, else zero.
// Output:      R2 next free entry of dst, R3 next word of quoteBits.
// Accumulator: V16 ends, V17 others, V18 quotes, each in 64-bit lane 0.
// State:       R5 all ones inside quotes, else zero; R6 position of the block.
// Constant:    V4 the bits 1, 2, 4 ... 128 in each half.
// Scratch:     R7-R14, V20-V31.
//
// Invariant: R2, R3, V16, V17 and V18 are the results for the bytes before R0.
//
// Positions are stored four at a time whatever their number is, and R2 moves by the
// number. A block's stores end at or before entry 64*(blocks done + 1), since not more
// than 64 entries came from each block before: inside dst.

// MASK leaves in R the 64-bit mask of the bytes of V20-V23 that equal those of X.
#define MASK(X, R) \
	VCMEQ X.B16, V20.B16, V24.B16   \
	VCMEQ X.B16, V21.B16, V25.B16   \
	VCMEQ X.B16, V22.B16, V26.B16   \
	VCMEQ X.B16, V23.B16, V27.B16   \
	VAND  V4.B16, V24.B16, V24.B16  \
	VAND  V4.B16, V25.B16, V25.B16  \
	VAND  V4.B16, V26.B16, V26.B16  \
	VAND  V4.B16, V27.B16, V27.B16  \
	VADDP V25.B16, V24.B16, V24.B16 \
	VADDP V27.B16, V26.B16, V26.B16 \
	VADDP V26.B16, V24.B16, V24.B16 \
	VADDP V24.B16, V24.B16, V24.B16 \
	VMOV  V24.D[0], R

// COUNT leaves in lane 0 of V31 the number of bits in R.
#define COUNT(R) \
	VMOV    R, V31.D[0]    \
	VCNT    V31.B8, V31.B8 \
	VUADDLV V31.B8, V31

// STORE stores the position of the lowest bit of R10 at OFF(R13) and clears the bit.
#define STORE(OFF) \
	RBIT R10, R11      \
	CLZ  R11, R11      \
	ADD  R6, R11, R11  \
	MOVW R11, OFF(R13) \
	SUB  $1, R10, R12  \
	AND  R12, R10, R10

TEXT ·IndexStructureNEON(SB), NOSPLIT, $0-128
	MOVD  dst_base+0(FP), R2
	MOVD  quoteBits_base+24(FP), R3
	MOVD  b_base+48(FP), R0
	MOVD  b_len+56(FP), R1
	MOVBU delim+72(FP), R7
	VDUP  R7, V0.B16
	MOVBU quote+73(FP), R7
	VDUP  R7, V1.B16
	MOVBU eol+74(FP), R7
	VDUP  R7, V2.B16
	MOVBU other+75(FP), R7
	VDUP  R7, V3.B16
	MOVD  quoted+80(FP), R4
	MOVD  inQuote+88(FP), R5
	MOVD  $0, R6
	MOVD  $0x8040201008040201, R7
	VDUP  R7, V4.D2
	VEOR  V16.B16, V16.B16, V16.B16
	VEOR  V17.B16, V17.B16, V17.B16
	VEOR  V18.B16, V18.B16, V18.B16

block:
	CMP    $64, R1
	BLO    done
	VLD1.P 64(R0), [V20.B16, V21.B16, V22.B16, V23.B16]
	SUB    $64, R1

	// R7: inside quotes, by prefix parity of the quote mask.
	MASK(V1, R7)
	AND    R4, R7, R7
	MOVD.P R7, 8(R3)
	COUNT(R7)
	VADD   V31.D2, V18.D2, V18.D2
	EOR    R7<<1, R7, R7
	EOR    R7<<2, R7, R7
	EOR    R7<<4, R7, R7
	EOR    R7<<8, R7, R7
	EOR    R7<<16, R7, R7
	EOR    R7<<32, R7, R7
	EOR    R5, R7, R7
	ASR    $63, R7, R5

	// Ends, others, and in R10 what has to be stored.
	MASK(V2, R8)
	BIC  R7, R8, R8
	COUNT(R8)
	VADD V31.D2, V16.D2, V16.D2
	MASK(V3, R9)
	BIC  R7, R9, R9
	COUNT(R9)
	VADD V31.D2, V17.D2, V17.D2
	MASK(V0, R10)
	BIC  R7, R10, R10
	ORR  R8, R10, R10
	COUNT(R10)
	VMOV V31.D[0], R14
	MOVD R2, R13
	CBZ  R10, stored

store:
	STORE(0)
	STORE(4)
	STORE(8)
	STORE(12)
	ADD  $16, R13
	CBNZ R10, store

stored:
	ADD R14<<2, R2, R2
	ADD $64, R6
	B   block

done:
	MOVD dst_base+0(FP), R7
	SUB  R7, R2, R2
	LSR  $2, R2, R2
	MOVD R2, seps+96(FP)
	VMOV V16.D[0], R7
	MOVD R7, ends+104(FP)
	VMOV V17.D[0], R7
	MOVD R7, others+112(FP)
	VMOV V18.D[0], R7
	MOVD R7, quotes+120(FP)
	RET
