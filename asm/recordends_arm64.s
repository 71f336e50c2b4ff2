//go:build !purego

#include "textflag.h"

// func CountRecordEndsNEON(b []byte, quote, eol byte) (ends, inside, quotes int)
//
// Reads b[0 : len&^63] only, so there is no tail.
//
// Input:       R0 next byte, R1 bytes left, V0 quote in each byte, V1 eol in each byte.
// Accumulator: V16 ends, V17 ends inside, V18 quotes, each in 64-bit lane 0.
// State:       R5 all ones inside quotes, else zero; V2 the same in each byte.
// Constant:    V3 the bits 1, 2, 4 ... 128 in each half, V4 ones in each byte.
// Scratch:     R6-R8, V20-V31.
//
// Invariant: lane 0 of V16, V17, V18 holds the results for the bytes before R0,
// and R5 is the parity of V18.

// MASK leaves in R the 64-bit mask of the compare results c0, c1, c2, c3, in this
// order of bytes, and destroys them.
#define MASK(c0, c1, c2, c3, R) \
	VAND  V3.B16, c0.B16, c0.B16 \
	VAND  V3.B16, c1.B16, c1.B16 \
	VAND  V3.B16, c2.B16, c2.B16 \
	VAND  V3.B16, c3.B16, c3.B16 \
	VADDP c1.B16, c0.B16, c0.B16 \
	VADDP c3.B16, c2.B16, c2.B16 \
	VADDP c2.B16, c0.B16, c0.B16 \
	VADDP c0.B16, c0.B16, c0.B16 \
	VMOV  c0.D[0], R

// COUNT adds the bits of R to lane 0 of SUM.
#define COUNT(R, SUM) \
	VMOV    R, V31.D[0]           \
	VCNT    V31.B8, V31.B8        \
	VUADDLV V31.B8, V31           \
	VADD    V31.D2, SUM.D2, SUM.D2

TEXT ·CountRecordEndsNEON(SB), NOSPLIT, $0-56
	MOVD  b_base+0(FP), R0
	MOVD  b_len+8(FP), R1
	MOVBU quote+24(FP), R2
	MOVBU eol+25(FP), R3
	VDUP  R2, V0.B16
	VDUP  R3, V1.B16
	MOVD  $0x8040201008040201, R4
	VDUP  R4, V3.D2
	MOVD  $1, R4
	VDUP  R4, V4.B16
	VEOR  V2.B16, V2.B16, V2.B16
	VEOR  V16.B16, V16.B16, V16.B16
	VEOR  V17.B16, V17.B16, V17.B16
	VEOR  V18.B16, V18.B16, V18.B16
	MOVD  $0, R5

block:
	CMP    $64, R1
	BLO    done
	VLD1.P 64(R0), [V20.B16, V21.B16, V22.B16, V23.B16]
	SUB    $64, R1
	VCMEQ  V1.B16, V20.B16, V24.B16
	VCMEQ  V1.B16, V21.B16, V25.B16
	VCMEQ  V1.B16, V22.B16, V26.B16
	VCMEQ  V1.B16, V23.B16, V27.B16
	VCMEQ  V0.B16, V20.B16, V20.B16
	VCMEQ  V0.B16, V21.B16, V21.B16
	VCMEQ  V0.B16, V22.B16, V22.B16
	VCMEQ  V0.B16, V23.B16, V23.B16
	VORR   V20.B16, V21.B16, V28.B16
	VORR   V22.B16, V23.B16, V29.B16
	VORR   V28.B16, V29.B16, V28.B16

	// A sum of two words of bytes 00 and ff is zero only if both are: the lowest ff of
	// one would need an 01 in the other.
	VADDP V28.D2, V28.D2, V28.D2
	VMOV  V28.D[0], R6
	CBNZ  R6, quoted

	// No quote in 64 bytes: at most four ends in each byte lane.
	VAND    V4.B16, V24.B16, V24.B16
	VAND    V4.B16, V25.B16, V25.B16
	VAND    V4.B16, V26.B16, V26.B16
	VAND    V4.B16, V27.B16, V27.B16
	VADD    V24.B16, V25.B16, V24.B16
	VADD    V26.B16, V27.B16, V26.B16
	VADD    V24.B16, V26.B16, V24.B16
	VUADDLV V24.B16, V24
	VADD    V24.D2, V16.D2, V16.D2
	VAND    V2.B16, V24.B16, V24.B16
	VADD    V24.D2, V17.D2, V17.D2
	B       block

	// Prefix parity of the quote mask by six shifts.
quoted:
	MASK(V20, V21, V22, V23, R6)
	MASK(V24, V25, V26, V27, R7)
	COUNT(R6, V18)
	COUNT(R7, V16)
	EOR  R6<<1, R6, R6
	EOR  R6<<2, R6, R6
	EOR  R6<<4, R6, R6
	EOR  R6<<8, R6, R6
	EOR  R6<<16, R6, R6
	EOR  R6<<32, R6, R6
	EOR  R5, R6, R6
	ASR  $63, R6, R5
	VDUP R5, V2.D2
	AND  R6, R7, R7
	COUNT(R7, V17)
	B    block

done:
	VMOV V16.D[0], R6
	MOVD R6, ends+32(FP)
	VMOV V17.D[0], R6
	MOVD R6, inside+40(FP)
	VMOV V18.D[0], R6
	MOVD R6, quotes+48(FP)
	RET
