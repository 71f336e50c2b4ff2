//go:build !purego

#include "textflag.h"

// Text: AllASCIIAVX2, ValidUTF8AVX2.
//
// Requires AVX2.

// func AllASCIIAVX2(b []byte) bool
//
// Input:       SI next byte, CX bytes left.
// Scratch:     AX, Y0-Y3.
//
// 128 bytes at a time, then 32, then the last 32 once more as far as they were taken.
TEXT ·AllASCIIAVX2(SB), NOSPLIT, $0-25
	MOVQ b_base+0(FP), SI
	MOVQ b_len+8(FP), CX
	SUBQ $128, CX
	JB   small

large:
	VMOVDQU   (SI), Y0
	VMOVDQU   64(SI), Y1
	VPOR      32(SI), Y0, Y0
	VPOR      96(SI), Y1, Y1
	VPOR      Y1, Y0, Y0
	VPMOVMSKB Y0, AX
	TESTL     AX, AX
	JNE       no
	ADDQ      $128, SI
	SUBQ      $128, CX
	JAE       large

small:
	ADDQ $128, CX
	JMP  more

loop:
	VMOVDQU   (SI), Y0
	VPMOVMSKB Y0, AX
	TESTL     AX, AX
	JNE       no
	ADDQ      $32, SI
	SUBQ      $32, CX

more:
	CMPQ      CX, $32
	JAE       loop
	VMOVDQU   -32(SI)(CX*1), Y0
	VPMOVMSKB Y0, AX
	TESTL     AX, AX
	JNE       no
	MOVB      $1, ret+24(FP)
	VZEROUPPER
	RET

no:
	MOVB $0, ret+24(FP)
	VZEROUPPER
	RET

// Errors that two bytes in a row show, a bit each. The tables give those that the high
// half of the first byte, its low half and the high half of the second leave possible;
// what all three leave is one.
//
//	0x01  no continuation: 11______ before 0_______ or 11______
//	0x02  a continuation too many: 0_______ 10______
//	0x04  overlong: 11100000 100_____
//	0x08  above U+10FFFF: 11110100 and more before 1001____ or 101_____
//	0x10  surrogate: 11101101 101_____
//	0x20  overlong: 1100000_ 10______
//	0x40  overlong: 11110000 1000____; above U+10FFFF: 11110101 and more before 1000____
//	0x80  two continuations, which is right in characters of three and four bytes
DATA first<>+0(SB)/8, $0x0202020202020202
DATA first<>+8(SB)/8, $0x4915012180808080
GLOBL first<>(SB), RODATA|NOPTR, $16

DATA low<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA low<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL low<>(SB), RODATA|NOPTR, $16

DATA second<>+0(SB)/8, $0x0101010101010101
DATA second<>+8(SB)/8, $0x01010101babaaee6
GLOBL second<>(SB), RODATA|NOPTR, $16

// By how much the last three bytes of 32 may be reached by a character that goes on.
DATA ends<>+0(SB)/8, $0xffffffffffffffff
DATA ends<>+8(SB)/8, $0xffffffffffffffff
DATA ends<>+16(SB)/8, $0xffffffffffffffff
DATA ends<>+24(SB)/8, $0xbfdfefffffffffff
GLOBL ends<>(SB), RODATA|NOPTR, $32

// 0x0f, the first bytes of characters of three and four less 0x80, and 0x80, to be
// repeated.
DATA utf<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA utf<>+8(SB)/8, $0x6060606060606060
DATA utf<>+16(SB)/8, $0x7070707070707070
DATA utf<>+24(SB)/8, $0x8080808080808080
GLOBL utf<>(SB), RODATA|NOPTR, $32

// func ValidUTF8AVX2(b []byte) bool
//
// Input:       SI next byte, CX blocks of 32 left.
// State:       Y0 the block before, Y1 what is wrong so far (not zero), Y2 where the block
//              before ends inside a character (not zero).
// Constant:    Y7-Y9 first, low, second; Y10 ends; Y11-Y14 as in utf.
// Scratch:     AX, Y3-Y6, Y15.
//
// Invariant: every error that ends before SI is in Y1.
//
// The lookup of Keiser and Lemire, Validating UTF-8 In Less Than One Instruction Per
// Byte: three tables find every error that two bytes in a row show; what remains is that
// the third and fourth byte of a character are continuations, and no others. A block of
// ASCII is an error only behind an unfinished character.
TEXT ·ValidUTF8AVX2(SB), NOSPLIT, $0-25
	MOVQ           b_base+0(FP), SI
	MOVQ           b_len+8(FP), CX
	SHRQ           $5, CX
	VPXOR          Y0, Y0, Y0
	VPXOR          Y1, Y1, Y1
	VPXOR          Y2, Y2, Y2
	VBROADCASTI128 first<>(SB), Y7
	VBROADCASTI128 low<>(SB), Y8
	VBROADCASTI128 second<>(SB), Y9
	VMOVDQU        ends<>(SB), Y10
	VPBROADCASTQ   utf<>+0(SB), Y11
	VPBROADCASTQ   utf<>+8(SB), Y12
	VPBROADCASTQ   utf<>+16(SB), Y13
	VPBROADCASTQ   utf<>+24(SB), Y14
	JMP            more

loop:
	VMOVDQU   (SI), Y3
	ADDQ      $32, SI
	VPMOVMSKB Y3, AX
	TESTL     AX, AX
	JEQ       ascii

	// Y5 the bytes one before, and the errors of pairs to Y15.
	VPERM2I128 $0x21, Y3, Y0, Y4
	VPALIGNR   $15, Y4, Y3, Y5
	VPSRLW     $4, Y5, Y6
	VPAND      Y11, Y6, Y6
	VPSHUFB    Y6, Y7, Y15
	VPAND      Y11, Y5, Y5
	VPSHUFB    Y5, Y8, Y5
	VPAND      Y5, Y15, Y15
	VPSRLW     $4, Y3, Y6
	VPAND      Y11, Y6, Y6
	VPSHUFB    Y6, Y9, Y6
	VPAND      Y6, Y15, Y15

	// The high bit where the second or third byte before starts a character that long.
	VPALIGNR $14, Y4, Y3, Y5
	VPSUBUSB Y12, Y5, Y5
	VPALIGNR $13, Y4, Y3, Y6
	VPSUBUSB Y13, Y6, Y6
	VPOR     Y6, Y5, Y5
	VPAND    Y14, Y5, Y5
	VPXOR    Y5, Y15, Y15
	VPOR     Y15, Y1, Y1
	VPSUBUSB Y10, Y3, Y2
	VMOVDQA  Y3, Y0

next:
	DECQ CX

more:
	TESTQ  CX, CX
	JNE    loop
	XORL   AX, AX
	VPTEST Y1, Y1
	SETEQ  AX
	MOVB   AX, ret+24(FP)
	VZEROUPPER
	RET

ascii:
	VPOR    Y2, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VMOVDQA Y3, Y0
	JMP     next
