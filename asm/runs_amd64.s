//go:build !purego

#include "textflag.h"

// func SkipWordsAVX2(words []uint64, pattern uint64) int
//
// Returns the number of leading words that equal pattern. Requires AVX2 and BMI1.
// Nothing outside words is read: 256-byte blocks, then 32-byte steps, then words.
//
//	SI  start of words          Y15 pattern in four lanes
//	DI  cursor                  Y0-Y7 scratch
//	CX  words left at DI        AX  scratch
//	DX  pattern
//
// Invariant: every word before DI equals pattern, and CX words remain from DI on. A
// block that differs somewhere is left to the 32-byte steps, which find the place.
TEXT ·SkipWordsAVX2(SB), NOSPLIT, $0-40
	MOVQ         words_base+0(FP), SI
	MOVQ         words_len+8(FP), CX
	MOVQ         pattern+24(FP), DX
	VPBROADCASTQ pattern+24(FP), Y15
	MOVQ         SI, DI
	CMPQ         CX, $32
	JB           steps

	// A block of 32 words: differences collected by OR, one test.
block:
	VPXOR  (DI), Y15, Y0
	VPXOR  32(DI), Y15, Y1
	VPXOR  64(DI), Y15, Y2
	VPXOR  96(DI), Y15, Y3
	VPXOR  128(DI), Y15, Y4
	VPXOR  160(DI), Y15, Y5
	VPXOR  192(DI), Y15, Y6
	VPXOR  224(DI), Y15, Y7
	VPOR   Y1, Y0, Y0
	VPOR   Y3, Y2, Y2
	VPOR   Y5, Y4, Y4
	VPOR   Y7, Y6, Y6
	VPOR   Y2, Y0, Y0
	VPOR   Y6, Y4, Y4
	VPOR   Y4, Y0, Y0
	VPTEST Y0, Y0
	JNZ    steps
	ADDQ   $256, DI
	SUBQ   $32, CX
	CMPQ   CX, $32
	JAE    block

	// Four words: the first lane that is not equal is the answer.
steps:
	CMPQ      CX, $4
	JB        words
	VPCMPEQQ  (DI), Y15, Y0
	VMOVMSKPD Y0, AX
	XORL      $15, AX
	JNZ       found
	ADDQ      $32, DI
	SUBQ      $4, CX
	JMP       steps

found:
	TZCNTL AX, AX
	LEAQ   (DI)(AX*8), DI
	JMP    done

	// Fewer than four words.
words:
	TESTQ CX, CX
	JZ    done
	CMPQ  DX, (DI)
	JNE   done
	ADDQ  $8, DI
	DECQ  CX
	JMP   words

done:
	SUBQ SI, DI
	SHRQ $3, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET
