//go:build !purego

#include "textflag.h"

// func IndexStructureAVX2(dst []uint32, quoteBits []uint64, b []byte, delim, quote, eol, other byte, quoted, inQuote uint64) (seps, ends, others, quotes int)
//
// Requires AVX2, BMI1, PCLMULQDQ, POPCNT. Reads b[0 : len&^63] only, so there is no
// tail.
//
// Input:       SI next block, CX end of the last block, Y0 delim, Y1 quote, Y2 eol,
//              Y3 other, each in every byte.
// Output:      DI next free entry of dst, R8 next word of quoteBits.
// Accumulator: AX ends, BX others, DX quotes.
// State:       R10 all ones inside quotes, else zero; R11 position of the block.
// Constant:    X4 all ones.
// Scratch:     R9, R12-R15, Y8-Y13.
//
// Invariant: DI, R8, AX, BX and DX are the results for the bytes before SI.
//
// Positions are stored eight at a time whatever their number is, and DI moves by the
// number. A block's stores end at or before entry 64*(blocks done + 1), since not more
// than 64 entries came from each block before: inside dst.

// MASK leaves in R the 64-bit mask of the compare results in LO and HI; T is scratch.
#define MASK(LO, HI, R, T) \
	VPMOVMSKB LO, R  \
	VPMOVMSKB HI, T  \
	SHLQ      $32, T \
	ORQ       T, R

// STORE stores the position of the lowest bit of R12 at OFF(PTR) and clears the bit.
#define STORE(OFF, PTR) \
	TZCNTQ R12, R13      \
	ADDL   R11, R13      \
	BLSRQ  R12, R12      \
	MOVL   R13, OFF(PTR)

#define STORE8(OFF, PTR) \
	STORE(OFF, PTR)      \
	STORE((OFF+4), PTR)  \
	STORE((OFF+8), PTR)  \
	STORE((OFF+12), PTR) \
	STORE((OFF+16), PTR) \
	STORE((OFF+20), PTR) \
	STORE((OFF+24), PTR) \
	STORE((OFF+28), PTR)

TEXT ·IndexStructureAVX2(SB), NOSPLIT, $0-128
	MOVQ         dst_base+0(FP), DI
	MOVQ         quoteBits_base+24(FP), R8
	MOVQ         b_base+48(FP), SI
	MOVQ         b_len+56(FP), CX
	ANDQ         $~63, CX
	ADDQ         SI, CX
	VPBROADCASTB delim+72(FP), Y0
	VPBROADCASTB quote+73(FP), Y1
	VPBROADCASTB eol+74(FP), Y2
	VPBROADCASTB other+75(FP), Y3
	MOVQ         inQuote+88(FP), R10
	VPCMPEQB     X4, X4, X4
	XORL         AX, AX
	XORL         BX, BX
	XORL         DX, DX
	XORL         R11, R11
	JMP          check

block:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9

	// R9: inside quotes, by prefix parity of the quote mask.
	VPCMPEQB   Y1, Y8, Y10
	VPCMPEQB   Y1, Y9, Y11
	MASK(Y10, Y11, R12, R13)
	ANDQ       quoted+80(FP), R12
	MOVQ       R12, (R8)
	VMOVQ      R12, X12
	VPCLMULQDQ $0, X4, X12, X12
	VMOVQ      X12, R9
	XORQ       R10, R9
	MOVQ       R9, R10
	SARQ       $63, R10
	POPCNTQ    R12, R12
	ADDQ       R12, DX

	// Ends, others, and in R12 what has to be stored.
	VPCMPEQB Y2, Y8, Y10
	VPCMPEQB Y2, Y9, Y11
	MASK(Y10, Y11, R14, R13)
	ANDNQ    R14, R9, R14
	POPCNTQ  R14, R15
	ADDQ     R15, AX
	VPCMPEQB Y3, Y8, Y12
	VPCMPEQB Y3, Y9, Y13
	MASK(Y12, Y13, R15, R13)
	ANDNQ    R15, R9, R15
	POPCNTQ  R15, R15
	ADDQ     R15, BX
	VPCMPEQB Y0, Y8, Y10
	VPCMPEQB Y0, Y9, Y11
	MASK(Y10, Y11, R12, R13)
	ANDNQ    R12, R9, R12
	ORQ      R14, R12
	POPCNTQ  R12, R15

	STORE8(0, DI)
	CMPQ R15, $8
	JHI  more

stored:
	LEAQ (DI)(R15*4), DI
	ADDQ $8, R8
	ADDQ $64, SI
	ADDL $64, R11

check:
	CMPQ SI, CX
	JB   block
	SUBQ dst_base+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, seps+96(FP)
	MOVQ AX, ends+104(FP)
	MOVQ BX, others+112(FP)
	MOVQ DX, quotes+120(FP)
	VZEROUPPER
	RET

	// More than eight positions in this block.
more:
	STORE8(32, DI)
	CMPQ R15, $16
	JLS  stored
	LEAQ 64(DI), R14

dense:
	STORE8(0, R14)
	ADDQ  $32, R14
	TESTQ R12, R12
	JNE   dense
	JMP   stored
