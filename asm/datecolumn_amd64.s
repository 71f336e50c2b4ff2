//go:build !purego

#include "textflag.h"

// Dates: ParseDatesAVX2.
//
// Requires AVX2.
//
// Input:       SI b, R8 separator before the next field, R9 stride in bytes, R12 len(b),
//              R13 trim, R14 the end of head's zeros.
// State:       R10 index of the group of eight fields.
// Output:      R11 null bits and DI bits of fields of ten bytes, shifted in from above.
// Constant:    R15 end of epoch, Y8 zero, Y9 places, Y10 '0' or '-', Y11 nine, Y12 and
//              Y13 weights.
// Scratch:     AX, BX, CX, DX, Y0-Y7, Y14, Y15.
//
// Invariant: the values of the groups before R10 are stored, and so are their bytes of
// null and slow.
//
// A field is read by its end, from head if that is in the first 16 bytes of b. What is
// not ten bytes inside b is replaced by 1970-01-01, whose value is 0: the way of every
// field is the same, without a branch. Eight fields then go through the calendar in the
// eight lanes of a register; its years begin on 1 March. There is no tail.

DATA epoch<>+0(SB)/8, $0x3931000000000000
DATA epoch<>+8(SB)/8, $0x31302d31302d3037
GLOBL epoch<>(SB), RODATA|NOPTR, $16

// Digits in the low half, hyphens in the high one.
DATA places<>+0(SB)/8, $0x0f0e0c0b09080706
DATA places<>+8(SB)/8, $0x8080808080800d0a
GLOBL places<>(SB), RODATA|NOPTR, $16

DATA form<>+0(SB)/8, $0x3030303030303030
DATA form<>+8(SB)/8, $0x0000000000002d2d
GLOBL form<>(SB), RODATA|NOPTR, $16

// The days of each month of a common year; none of months 0 and 13 to 15.
DATA lengths<>+0(SB)/8, $0x1f1e1f1e1f1c1f00
DATA lengths<>+8(SB)/8, $0x0000001f1e1f1e1f
GLOBL lengths<>(SB), RODATA|NOPTR, $16

// Numbers to be repeated: nine in bytes; the weights 10, 1 in bytes and 100, 1, 1, 256 in
// words; and by name.
DATA dates<>+0(SB)/8, $0x0909090909090909
DATA dates<>+8(SB)/8, $0x010a010a010a010a
DATA dates<>+16(SB)/8, $0x0100000100010064
DATA dates<>+24(SB)/4, $0xff
DATA dates<>+28(SB)/4, $0x0f0f0f0f
DATA dates<>+32(SB)/4, $5243
DATA dates<>+36(SB)/4, $100
DATA dates<>+40(SB)/4, $3
DATA dates<>+44(SB)/4, $2
DATA dates<>+48(SB)/4, $12
DATA dates<>+52(SB)/4, $979
DATA dates<>+56(SB)/4, $2919
DATA dates<>+60(SB)/4, $365
DATA dates<>+64(SB)/4, $719469
GLOBL dates<>(SB), RODATA|NOPTR, $68

#define LOWBYTE  dates<>+24(SB)
#define FIFTEENS dates<>+28(SB)
#define PERCENT  dates<>+32(SB) // 2**19/100, rounded up: exact for four digits
#define HUNDRED  dates<>+36(SB)
#define THREE    dates<>+40(SB)
#define TWO      dates<>+44(SB)
#define TWELVE   dates<>+48(SB)
#define MONTHMUL dates<>+52(SB) // (979*m - 2919) / 32 are the days before month m, of
#define MONTHSUB dates<>+56(SB) // March to February, 3 to 14
#define YEAR     dates<>+60(SB)
#define EPOCH    dates<>+64(SB) // days from 0000-02-29 to 1970-01-01

// FIELD leaves in BX the end of the next field that is to be read and shifts its bits
// into R11 and DI.
#define FIELD \
	MOVL    (R8), AX       \
	MOVL    4(R8), DX      \
	ADDQ    R9, R8         \
	NOTL    AX             \
	SUBL    R13, DX        \
	ADDL    DX, AX         \
	LEAQ    (SI)(DX*1), BX \
	LEAQ    (R14)(DX*1), CX \
	CMPQ    DX, $16        \
	CMOVQCS CX, BX         \
	CMPQ    R12, DX        \
	SBBL    CX, CX         \
	ORL     CX, AX         \
	CMPL    AX, $1         \
	RCRL    $1, R11        \
	XORL    $10, AX        \
	CMOVQNE R15, BX        \
	CMPL    AX, $1         \
	RCRL    $1, DI

// CENTURY leaves in C the hundreds of the years in Y, using T.
#define CENTURY(Y, T, C) \
	VPBROADCASTD PERCENT, T \
	VPMULHUW     T, Y, C    \
	VPSRLD       $3, C, C

// func ParseDatesAVX2(dst []int32, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseDatesAVX2(SB), NOSPLIT, $0-144
	MOVQ           b_base+72(FP), SI
	MOVQ           b_len+80(FP), R12
	MOVQ           head+96(FP), R14
	ADDQ           $32, R14
	MOVQ           seps_base+104(FP), R8
	MOVQ           stride+128(FP), R9
	SHLQ           $2, R9
	MOVQ           trim+136(FP), R13
	XORL           R10, R10
	LEAQ           epoch<>+16(SB), R15
	VPXOR          Y8, Y8, Y8
	VBROADCASTI128 places<>(SB), Y9
	VBROADCASTI128 form<>(SB), Y10
	VPBROADCASTQ   dates<>+0(SB), Y11
	VPBROADCASTQ   dates<>+8(SB), Y12
	VPBROADCASTQ   dates<>+16(SB), Y13

	// Fields 0 to 3 in the lower lanes, 4 to 7 in the upper ones.
group:
	FIELD
	VMOVDQU     -16(BX), X0
	FIELD
	VMOVDQU     -16(BX), X1
	FIELD
	VMOVDQU     -16(BX), X2
	FIELD
	VMOVDQU     -16(BX), X3
	FIELD
	VINSERTI128 $1, -16(BX), Y0, Y0
	FIELD
	VINSERTI128 $1, -16(BX), Y1, Y1
	FIELD
	VINSERTI128 $1, -16(BX), Y2, Y2
	FIELD
	VINSERTI128 $1, -16(BX), Y3, Y3

	// Digits to Y4 and Y6, hyphens to Y5 and Y7, as differences from what they should be.
	VPSHUFB     Y9, Y0, Y0
	VPSHUFB     Y9, Y1, Y1
	VPSHUFB     Y9, Y2, Y2
	VPSHUFB     Y9, Y3, Y3
	VPSUBB      Y10, Y0, Y0
	VPSUBB      Y10, Y1, Y1
	VPSUBB      Y10, Y2, Y2
	VPSUBB      Y10, Y3, Y3
	VPUNPCKLQDQ Y1, Y0, Y4
	VPUNPCKHQDQ Y1, Y0, Y5
	VPUNPCKLQDQ Y3, Y2, Y6
	VPUNPCKHQDQ Y3, Y2, Y7

	// Y0 is all ones in the lanes whose bytes are right.
	VPSUBUSB Y11, Y4, Y0
	VPSUBUSB Y11, Y6, Y1
	VPOR     Y5, Y0, Y0
	VPOR     Y7, Y1, Y1
	VPCMPEQQ Y8, Y0, Y0
	VPCMPEQQ Y8, Y1, Y1
	VSHUFPS  $0x88, Y1, Y0, Y0

	// Y2 years, Y3 months, Y4 days.
	VPMADDUBSW   Y12, Y4, Y4
	VPMADDUBSW   Y12, Y6, Y6
	VPMADDWD     Y13, Y4, Y4
	VPMADDWD     Y13, Y6, Y6
	VSHUFPS      $0x88, Y6, Y4, Y2
	VSHUFPS      $0xdd, Y6, Y4, Y3
	VPSRLD       $8, Y3, Y4
	VPBROADCASTD LOWBYTE, Y5
	VPAND        Y5, Y3, Y3

	// Y5 is all ones in leap years: the century stands for its last year.
	CENTURY(Y2, Y6, Y7)
	VPBROADCASTD HUNDRED, Y6
	VPMULLW      Y6, Y7, Y5
	VPCMPEQD     Y5, Y2, Y5
	VPBLENDVB    Y5, Y7, Y2, Y5
	VPBROADCASTD THREE, Y14
	VPAND        Y14, Y5, Y5
	VPCMPEQD     Y8, Y5, Y5

	// Keep in Y0 the lanes whose day is one of its month and whose year is not 0.
	VPBROADCASTD   FIFTEENS, Y6
	VPMINUB        Y6, Y3, Y6
	VBROADCASTI128 lengths<>(SB), Y7
	VPSHUFB        Y6, Y7, Y7
	VPBROADCASTD   TWO, Y6
	VPCMPEQD       Y6, Y3, Y6
	VPAND          Y5, Y6, Y6
	VPSUBD         Y6, Y7, Y7
	VPCMPGTD       Y7, Y4, Y7
	VPANDN         Y0, Y7, Y0
	VPCMPGTD       Y8, Y4, Y7
	VPAND          Y7, Y0, Y0
	VPCMPGTD       Y8, Y2, Y7
	VPAND          Y7, Y0, Y0

	// January and February are months 13 and 14 of the year before.
	VPCMPGTD     Y3, Y14, Y7
	VPADDD       Y7, Y2, Y2
	VPBROADCASTD TWELVE, Y6
	VPAND        Y6, Y7, Y7
	VPADDD       Y7, Y3, Y3

	// Y4 becomes day + days before the month + days before the year.
	VPBROADCASTD MONTHMUL, Y6
	VPMULLW      Y6, Y3, Y3
	VPBROADCASTD MONTHSUB, Y6
	VPSUBD       Y6, Y3, Y3
	VPSRLD       $5, Y3, Y3
	VPADDD       Y3, Y4, Y4
	CENTURY(Y2, Y6, Y7)
	VPSUBD       Y7, Y4, Y4
	VPSRLD       $2, Y7, Y7
	VPADDD       Y7, Y4, Y4
	VPSRLD       $2, Y2, Y7
	VPADDD       Y7, Y4, Y4
	VPBROADCASTD YEAR, Y6
	VPMADDWD     Y6, Y2, Y2
	VPADDD       Y2, Y4, Y4
	VPBROADCASTD EPOCH, Y6
	VPSUBD       Y6, Y4, Y4
	VPAND        Y0, Y4, Y4

	// A field is slow unless it is null or was taken, and right.
	VMOVMSKPS Y0, AX
	SHRL      $24, R11
	SHRL      $24, DI
	ORL       R11, DI
	ANDL      DI, AX
	NOTL      AX
	MOVQ      null_base+24(FP), BX
	MOVB      R11, (BX)(R10*1)
	MOVQ      slow_base+48(FP), BX
	MOVB      AX, (BX)(R10*1)
	MOVQ      R10, CX
	SHLQ      $5, CX
	MOVQ      dst_base+0(FP), BX
	VMOVDQU   Y4, (BX)(CX*1)
	INCQ      R10
	MOVQ      dst_len+8(FP), CX
	SHRQ      $3, CX
	CMPQ      R10, CX
	JB        group
	VZEROUPPER
	RET
