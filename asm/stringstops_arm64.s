//go:build !purego

#include "textflag.h"

// func MarkStringStopsNEON(dst []uint64, b []byte) (high uint64)
//
// Reads b[0 : len&^63] only, so there is no tail.
//
// Input:       R0 next block, R1 bytes left, V0 double quote, V1 backslash, V2 0x1f, each
//              in every byte.
// Output:      R3 next word of dst.
// Accumulator: V3 all bytes so far, or-ed.
// Constant:    V4 the bits 1, 2, 4 ... 128 in each half.
// Scratch:     R7, R8, V20-V28.
//
// Invariant: the words of dst before R3 are those of the bytes before R0. A byte is below
// 0x20 iff it is the smaller one of itself and 0x1f.

// MARK leaves in M the bits of V4 for the bytes of X to be marked.
#define MARK(X, M) \
	VCMEQ V0.B16, X.B16, M.B16     \
	VCMEQ V1.B16, X.B16, V28.B16   \
	VORR  V28.B16, M.B16, M.B16    \
	VUMIN V2.B16, X.B16, V28.B16   \
	VCMEQ V28.B16, X.B16, V28.B16  \
	VORR  V28.B16, M.B16, M.B16    \
	VORR  X.B16, V3.B16, V3.B16    \
	VAND  V4.B16, M.B16, M.B16

TEXT ·MarkStringStopsNEON(SB), NOSPLIT, $0-56
	MOVD dst_base+0(FP), R3
	MOVD b_base+24(FP), R0
	MOVD b_len+32(FP), R1
	MOVD $0x22, R7
	VDUP R7, V0.B16
	MOVD $0x5c, R7
	VDUP R7, V1.B16
	MOVD $0x1f, R7
	VDUP R7, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD $0x8040201008040201, R7
	VDUP R7, V4.D2

block:
	CMP    $64, R1
	BLO    done
	VLD1.P 64(R0), [V20.B16, V21.B16, V22.B16, V23.B16]
	SUB    $64, R1
	MARK(V20, V24)
	MARK(V21, V25)
	MARK(V22, V26)
	MARK(V23, V27)
	VADDP  V25.B16, V24.B16, V24.B16
	VADDP  V27.B16, V26.B16, V26.B16
	VADDP  V26.B16, V24.B16, V24.B16
	VADDP  V24.B16, V24.B16, V24.B16
	VMOV   V24.D[0], R7
	MOVD.P R7, 8(R3)
	B      block

done:
	VMOV V3.D[0], R7
	VMOV V3.D[1], R8
	ORR  R8, R7, R7
	AND  $0x8080808080808080, R7, R7
	MOVD R7, high+48(FP)
	RET
