//go:build !purego

#include "textflag.h"

// func MarkStringStopsAVX2(dst []uint64, b []byte) (high uint64)
//
// Requires AVX2. Reads b[0 : len&^63] only, so there is no tail.
//
// Input:       SI next block, CX end of the last block, Y0 double quote, Y1 backslash,
//              Y2 0x1f, each in every byte.
// Output:      DI next word of dst.
// Accumulator: Y3 all bytes so far, or-ed.
// Scratch:     R8, R9, Y8-Y13.
//
// Invariant: the words of dst before DI are those of the bytes before SI. A byte is below
// 0x20 iff it is the smaller one of itself and 0x1f.

TEXT ·MarkStringStopsAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         b_base+24(FP), SI
	MOVQ         b_len+32(FP), CX
	ANDQ         $~63, CX
	ADDQ         SI, CX
	MOVL         $0x22, R8
	MOVQ         R8, X0
	VPBROADCASTB X0, Y0
	MOVL         $0x5c, R8
	MOVQ         R8, X1
	VPBROADCASTB X1, Y1
	MOVL         $0x1f, R8
	MOVQ         R8, X2
	VPBROADCASTB X2, Y2
	VPXOR        Y3, Y3, Y3
	JMP          check

block:
	VMOVDQU   (SI), Y8
	VMOVDQU   32(SI), Y9
	VPOR      Y8, Y3, Y3
	VPOR      Y9, Y3, Y3
	VPCMPEQB  Y0, Y8, Y10
	VPCMPEQB  Y0, Y9, Y11
	VPCMPEQB  Y1, Y8, Y12
	VPCMPEQB  Y1, Y9, Y13
	VPOR      Y12, Y10, Y10
	VPOR      Y13, Y11, Y11
	VPMINUB   Y2, Y8, Y12
	VPMINUB   Y2, Y9, Y13
	VPCMPEQB  Y12, Y8, Y12
	VPCMPEQB  Y13, Y9, Y13
	VPOR      Y12, Y10, Y10
	VPOR      Y13, Y11, Y11
	VPMOVMSKB Y10, R8
	VPMOVMSKB Y11, R9
	SHLQ      $32, R9
	ORQ       R9, R8
	MOVQ      R8, (DI)
	ADDQ      $8, DI
	ADDQ      $64, SI

check:
	CMPQ      SI, CX
	JB        block
	VPMOVMSKB Y3, R8
	MOVQ      R8, high+48(FP)
	VZEROUPPER
	RET
