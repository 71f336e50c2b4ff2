//go:build !purego

#include "textflag.h"

// func ReadSumAVX2(words []uint64) uint64
//
// Returns the sum of words modulo 2^64. Requires AVX2. Nothing outside words is read:
// 256-byte blocks, then words.
//
//	SI  cursor                  Y0-Y7 sums of four lanes each
//	CX  words left at SI        AX  sum
TEXT ·ReadSumAVX2(SB), NOSPLIT, $0-32
	MOVQ  words_base+0(FP), SI
	MOVQ  words_len+8(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	CMPQ  CX, $32
	JB    reduce

block:
	VPADDQ (SI), Y0, Y0
	VPADDQ 32(SI), Y1, Y1
	VPADDQ 64(SI), Y2, Y2
	VPADDQ 96(SI), Y3, Y3
	VPADDQ 128(SI), Y4, Y4
	VPADDQ 160(SI), Y5, Y5
	VPADDQ 192(SI), Y6, Y6
	VPADDQ 224(SI), Y7, Y7
	ADDQ   $256, SI
	SUBQ   $32, CX
	CMPQ   CX, $32
	JAE    block

reduce:
	VPADDQ       Y1, Y0, Y0
	VPADDQ       Y3, Y2, Y2
	VPADDQ       Y5, Y4, Y4
	VPADDQ       Y7, Y6, Y6
	VPADDQ       Y2, Y0, Y0
	VPADDQ       Y6, Y4, Y4
	VPADDQ       Y4, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, AX

words:
	TESTQ CX, CX
	JZ    done
	ADDQ  (SI), AX
	ADDQ  $8, SI
	DECQ  CX
	JMP   words

done:
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
