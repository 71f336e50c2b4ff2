//go:build !purego

#include "textflag.h"

// Dates and timestamps: ParseDatesAVX2, ParseTimestampsAVX2.
//
// Requires AVX2.
//
// Input:       SI b, R8 separator before the next field, R9 stride in bytes, R12 len(b),
//              R13 trim, R14 the end of head's zeros (of a timestamp, where b would
//              begin if it ended with tail's bytes).
// State:       R10 index of the group of eight fields.
// Output:      R11 null bits and DI bits of fields of a right length, shifted in from
//              above.
// Constant:    R15 epoch, Y8 zero, Y9 places, Y10 what stands there if all digits are 0;
//              of a date Y11 nine, Y12 and Y13 weights, of a timestamp X11 and Y15 what
//              Y10 and Y9 are, for its second half.
// Scratch:     AX, BX, CX, DX, Y0-Y7, Y12-Y14.
//
// Invariant: the values of the groups before R10 are stored, and so are their bytes of
// null and slow.
//
// A date is read by its end, from head if that is in the first 16 bytes of b; a timestamp
// by its start, from tail if b has less than 32 bytes from there on. What is not of a
// right length inside b is replaced by 1970-01-01, whose value is 0: the way of every
// field is the same, without a branch. Eight fields then go through the calendar in the
// eight lanes of a register; its years begin on 1 March. The number of fields is a
// multiple of eight: there is no tail.

// epoch+6 is 1970-01-01 00:00:00, with 32 bytes to read, and epoch+16 the end of its date.
DATA epoch<>+0(SB)/8, $0x3931000000000000
DATA epoch<>+8(SB)/8, $0x31302d31302d3037
DATA epoch<>+16(SB)/8, $0x303a30303a303020
DATA epoch<>+24(SB)/8, $0x0000000000000030
DATA epoch<>+32(SB)/8, $0
GLOBL epoch<>(SB), RODATA|NOPTR, $40

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
	MOVL    (R8), AX        \
	MOVL    4(R8), DX       \
	ADDQ    R9, R8          \
	NOTL    AX              \
	SUBL    R13, DX         \
	ADDL    DX, AX          \
	LEAQ    (SI)(DX*1), BX  \
	LEAQ    (R14)(DX*1), CX \
	CMPQ    DX, $16         \
	CMOVQCS CX, BX          \
	CMPQ    R12, DX         \
	SBBL    CX, CX          \
	ORL     CX, AX          \
	CMPL    AX, $1          \
	RCRL    $1, R11         \
	XORL    $10, AX         \
	CMOVQNE R15, BX         \
	CMPL    AX, $1          \
	RCRL    $1, DI

// CENTURY leaves in C the hundreds of the years in Y, using T.
#define CENTURY(Y, T, C) \
	VPBROADCASTD PERCENT, T \
	VPMULHUW     T, Y, C    \
	VPSRLD       $3, C, C

// CALENDAR turns years Y2, months Y3 and days of the month Y4 into days since 0000-02-29
// in Y4 and keeps in Y0 the lanes whose day exists, in a year other than 0. Uses Y5-Y7
// and Y14.
//
// A year is a leap year if 4 divides it, or its century where it is the century's last:
// Y5 is all ones there. January and February are months 13 and 14 of the year before.
#define CALENDAR \
	CENTURY(Y2, Y6, Y7)              \
	VPBROADCASTD   HUNDRED, Y6       \
	VPMULLW        Y6, Y7, Y5        \
	VPCMPEQD       Y5, Y2, Y5        \
	VPBLENDVB      Y5, Y7, Y2, Y5    \
	VPBROADCASTD   THREE, Y14        \
	VPAND          Y14, Y5, Y5       \
	VPCMPEQD       Y8, Y5, Y5        \
	VPBROADCASTD   FIFTEENS, Y6      \
	VPMINUB        Y6, Y3, Y6        \
	VBROADCASTI128 lengths<>(SB), Y7 \
	VPSHUFB        Y6, Y7, Y7        \
	VPBROADCASTD   TWO, Y6           \
	VPCMPEQD       Y6, Y3, Y6        \
	VPAND          Y5, Y6, Y6        \
	VPSUBD         Y6, Y7, Y7        \
	VPCMPGTD       Y7, Y4, Y7        \
	VPANDN         Y0, Y7, Y0        \
	VPCMPGTD       Y8, Y4, Y7        \
	VPAND          Y7, Y0, Y0        \
	VPCMPGTD       Y8, Y2, Y7        \
	VPAND          Y7, Y0, Y0        \
	VPCMPGTD       Y3, Y14, Y7       \
	VPADDD         Y7, Y2, Y2        \
	VPBROADCASTD   TWELVE, Y6        \
	VPAND          Y6, Y7, Y7        \
	VPADDD         Y7, Y3, Y3        \
	VPBROADCASTD   MONTHMUL, Y6      \
	VPMULLW        Y6, Y3, Y3        \
	VPBROADCASTD   MONTHSUB, Y6      \
	VPSUBD         Y6, Y3, Y3        \
	VPSRLD         $5, Y3, Y3        \
	VPADDD         Y3, Y4, Y4        \
	CENTURY(Y2, Y6, Y7)              \
	VPSUBD         Y7, Y4, Y4        \
	VPSRLD         $2, Y7, Y7        \
	VPADDD         Y7, Y4, Y4        \
	VPSRLD         $2, Y2, Y7        \
	VPADDD         Y7, Y4, Y4        \
	VPBROADCASTD   YEAR, Y6          \
	VPMADDWD       Y6, Y2, Y2        \
	VPADDD         Y2, Y4, Y4

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

	CALENDAR
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

// A timestamp's first 16 bytes as digits of the date, digits of hour and minute and what
// stands between; T adds 0x34 to the blank.
DATA firstPlaces<>+0(SB)/8, $0x0908060503020100
DATA firstPlaces<>+8(SB)/8, $0x0a0d07040f0e0c0b
GLOBL firstPlaces<>(SB), RODATA|NOPTR, $16

DATA firstForm<>+0(SB)/8, $0x3030303030303030
DATA firstForm<>+8(SB)/8, $0x203a2d2d30303030
GLOBL firstForm<>(SB), RODATA|NOPTR, $16

// Its next 16 bytes, as they come, and then as digits of second and fraction and what
// stands before them.
DATA secondForm<>+0(SB)/8, $0x303030302e30303a
DATA secondForm<>+8(SB)/8, $0x0000000000003030
GLOBL secondForm<>(SB), RODATA|NOPTR, $16

DATA secondPlaces<>+0(SB)/8, $0x0908070605040201
DATA secondPlaces<>+8(SB)/8, $0x8080808080800300
GLOBL secondPlaces<>(SB), RODATA|NOPTR, $16

// keep+16-n has ff in the first n of its 16 bytes.
DATA keep<>+0(SB)/8, $0xffffffffffffffff
DATA keep<>+8(SB)/8, $0xffffffffffffffff
DATA keep<>+16(SB)/8, $0
DATA keep<>+24(SB)/8, $0
GLOBL keep<>(SB), RODATA|NOPTR, $32

// Numbers to be repeated. In bytes: what T is, the most that digits of hour and minute and
// separators may be. In words: the most that hour and minute, and second and pairs of
// fraction digits may be, and weights of both. The rest by name.
DATA times<>+0(SB)/8, $0x3400000000000000
DATA times<>+8(SB)/8, $0x0000000009090909
DATA times<>+16(SB)/8, $0x00000000003b0017
DATA times<>+24(SB)/8, $0x006300630063003b
DATA times<>+32(SB)/8, $0x000000000001003c
DATA times<>+40(SB)/8, $0x0001006400010064
DATA times<>+48(SB)/8, $84375000
DATA times<>+56(SB)/8, $60000000
DATA times<>+64(SB)/8, $62162121600000000
DATA times<>+72(SB)/4, $10000
DATA times<>+76(SB)/4, $19
GLOBL times<>(SB), RODATA|NOPTR, $80

#define BYTE_T       times<>+0(SB)
#define MAX_CLOCK    times<>+8(SB)
#define MAX_HOUR     times<>+16(SB)
#define MAX_SECOND   times<>+24(SB)
#define CLOCK        times<>+32(SB)
#define HUNDREDS     times<>+40(SB)
#define DAY          times<>+48(SB) // microseconds / 1024
#define MINUTE       times<>+56(SB) // microseconds
#define MICROS_EPOCH times<>+64(SB) // EPOCH in microseconds
#define MYRIAD       times<>+72(SB)
#define NINETEEN     times<>+76(SB)

// LENGTHS has the bits 19 and 21 to 26: a timestamp with and without a fraction.
#define LENGTHS 0x7e80000

// STAMP leaves in BX the start of the next field that is to be read and in CX the mask of
// its second half, and shifts its bits into R11 and DI.
#define STAMP \
	MOVL    (R8), BX          \
	MOVL    4(R8), DX         \
	ADDQ    R9, R8            \
	INCL    BX                \
	SUBL    R13, DX           \
	MOVL    DX, AX            \
	SUBL    BX, AX            \
	SBBL    CX, CX            \
	ORL     CX, AX            \
	CMPQ    R12, DX           \
	SBBL    CX, CX            \
	ORL     CX, AX            \
	LEAQ    (R14)(BX*1), CX   \
	LEAQ    -32(R12), DX      \
	CMPQ    BX, DX            \
	LEAQ    (SI)(BX*1), BX    \
	CMOVQGT CX, BX            \
	MOVL    $27, CX           \
	CMPL    AX, CX            \
	CMOVLHI CX, AX            \
	CMPL    AX, $1            \
	RCRL    $1, R11           \
	MOVL    $LENGTHS, CX      \
	BTL     AX, CX            \
	CMOVQCC R15, BX           \
	CMOVLCC NINETEEN, AX      \
	RCRL    $1, DI            \
	LEAQ    keep<>+32(SB), CX \
	SUBQ    AX, CX

// LOWER reads the field at BX into the lower lanes of the Y registers of FIRST and
// SECOND.
#define LOWER(FIRST, SECOND) \
	VMOVDQU (BX), FIRST         \
	VMOVDQU 16(BX), SECOND      \
	VPSUBB  X11, SECOND, SECOND \
	VPAND   (CX), SECOND, SECOND

// UPPER reads the field at BX into the upper lanes of FIRST and SECOND.
#define UPPER(FIRST, SECOND) \
	VINSERTI128 $1, (BX), FIRST, FIRST \
	VMOVDQU     16(BX), X14            \
	VPSUBB      X11, X14, X14          \
	VPAND       (CX), X14, X14         \
	VINSERTI128 $1, X14, SECOND, SECOND

// WORDS takes the digits of four fields: DATE, CLOCKS with what stands between them,
// FRACTION and its MARKS. It leaves the weighted sums in the first three and ones in the
// quarters of MARKS whose bytes are as they should be. Uses Y6, Y7.
#define WORDS(DATE, CLOCKS, FRACTION, MARKS) \
	VPBROADCASTQ BYTE_T, Y6             \
	VPCMPEQB     Y6, CLOCKS, Y6         \
	VPANDN       CLOCKS, Y6, CLOCKS     \
	VPBROADCASTQ MAX_CLOCK, Y6          \
	VPSUBUSB     Y6, CLOCKS, Y6         \
	VPOR         Y6, MARKS, MARKS       \
	VPBROADCASTQ dates<>+0(SB), Y7      \
	VPSUBUSB     Y7, DATE, Y6           \
	VPOR         Y6, MARKS, MARKS       \
	VPSUBUSB     Y7, FRACTION, Y6       \
	VPOR         Y6, MARKS, MARKS       \
	VPBROADCASTQ dates<>+8(SB), Y7      \
	VPMADDUBSW   Y7, DATE, DATE         \
	VPMADDUBSW   Y7, CLOCKS, CLOCKS     \
	VPMADDUBSW   Y7, FRACTION, FRACTION \
	VPBROADCASTQ MAX_HOUR, Y6           \
	VPSUBUSW     Y6, CLOCKS, Y6         \
	VPOR         Y6, MARKS, MARKS       \
	VPBROADCASTQ MAX_SECOND, Y6         \
	VPSUBUSW     Y6, FRACTION, Y6       \
	VPOR         Y6, MARKS, MARKS       \
	VPCMPEQQ     Y8, MARKS, MARKS       \
	VPBROADCASTQ dates<>+16(SB), Y7     \
	VPMADDWD     Y7, DATE, DATE         \
	VPBROADCASTQ CLOCK, Y7              \
	VPMADDWD     Y7, CLOCKS, CLOCKS     \
	VPBROADCASTQ HUNDREDS, Y7           \
	VPMADDWD     Y7, FRACTION, FRACTION

// MICROS stores at OFFSET from BX the sum of four days X4, minutes X1 and microseconds X3
// where OK is all ones. Uses Y5-Y7.
#define MICROS(OFFSET, OK) \
	VPMOVZXDQ    X4, Y5           \
	VPBROADCASTQ DAY, Y6          \
	VPMULUDQ     Y6, Y5, Y5       \
	VPSLLQ       $10, Y5, Y5      \
	VPMOVZXDQ    X1, Y6           \
	VPBROADCASTQ MINUTE, Y7       \
	VPMULUDQ     Y7, Y6, Y6       \
	VPADDQ       Y6, Y5, Y5       \
	VPMOVZXDQ    X3, Y6           \
	VPADDQ       Y6, Y5, Y5       \
	VPBROADCASTQ MICROS_EPOCH, Y6 \
	VPSUBQ       Y6, Y5, Y5       \
	VPMOVSXDQ    OK, Y6           \
	VPAND        Y6, Y5, Y5       \
	VMOVDQU      Y5, OFFSET(BX)

// func ParseTimestampsAVX2(dst []int64, null, slow []uint64, b []byte, tail *[96]byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseTimestampsAVX2(SB), NOSPLIT, $0-144
	MOVQ           b_base+72(FP), SI
	MOVQ           b_len+80(FP), R12
	MOVQ           tail+96(FP), R14
	ADDQ           $64, R14
	SUBQ           R12, R14
	MOVQ           seps_base+104(FP), R8
	MOVQ           stride+128(FP), R9
	SHLQ           $2, R9
	MOVQ           trim+136(FP), R13
	XORL           R10, R10
	LEAQ           epoch<>+6(SB), R15
	VPXOR          Y8, Y8, Y8
	VBROADCASTI128 firstPlaces<>(SB), Y9
	VBROADCASTI128 firstForm<>(SB), Y10
	VMOVDQU        secondForm<>(SB), X11
	VBROADCASTI128 secondPlaces<>(SB), Y15

stamps:
	STAMP
	LOWER(X0, X4)
	STAMP
	LOWER(X1, X5)
	STAMP
	LOWER(X2, X6)
	STAMP
	LOWER(X3, X7)
	STAMP
	UPPER(Y0, Y4)
	STAMP
	UPPER(Y1, Y5)
	STAMP
	UPPER(Y2, Y6)
	STAMP
	UPPER(Y3, Y7)
	VPSHUFB Y9, Y0, Y0
	VPSHUFB Y9, Y1, Y1
	VPSHUFB Y9, Y2, Y2
	VPSHUFB Y9, Y3, Y3
	VPSUBB  Y10, Y0, Y0
	VPSUBB  Y10, Y1, Y1
	VPSUBB  Y10, Y2, Y2
	VPSUBB  Y10, Y3, Y3
	VPSHUFB Y15, Y4, Y4
	VPSHUFB Y15, Y5, Y5
	VPSHUFB Y15, Y6, Y6
	VPSHUFB Y15, Y7, Y7

	// Fields 0, 1, 4, 5 and 2, 3, 6, 7: dates to Y12 and Y13, clocks to Y0 and Y1,
	// fractions to Y2 and Y4, their marks to Y3 and Y5.
	VPUNPCKLQDQ Y1, Y0, Y12
	VPUNPCKHQDQ Y1, Y0, Y0
	VPUNPCKLQDQ Y3, Y2, Y13
	VPUNPCKHQDQ Y3, Y2, Y1
	VPUNPCKLQDQ Y5, Y4, Y2
	VPUNPCKHQDQ Y5, Y4, Y3
	VPUNPCKLQDQ Y7, Y6, Y4
	VPUNPCKHQDQ Y7, Y6, Y5
	WORDS(Y12, Y0, Y2, Y3)
	WORDS(Y13, Y1, Y4, Y5)

	// In the order of fields: Y1 minutes, Y15 microseconds below a minute, Y0 ones, Y2
	// years, Y3 months, Y4 days.
	VSHUFPS      $0x88, Y1, Y0, Y1
	VSHUFPS      $0x88, Y5, Y3, Y0
	VSHUFPS      $0x88, Y4, Y2, Y3
	VSHUFPS      $0xdd, Y4, Y2, Y15
	VPBROADCASTD MYRIAD, Y4
	VPMADDWD     Y4, Y3, Y3
	VPADDD       Y3, Y15, Y15
	VSHUFPS      $0x88, Y13, Y12, Y2
	VSHUFPS      $0xdd, Y13, Y12, Y3
	VPSRLD       $8, Y3, Y4
	VPBROADCASTD LOWBYTE, Y5
	VPAND        Y5, Y3, Y3
	CALENDAR
	VMOVDQA      Y15, Y3

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
	SHLQ      $6, CX
	MOVQ      dst_base+0(FP), BX
	ADDQ      CX, BX
	MICROS(0, X0)
	VEXTRACTI128 $1, Y0, X0
	VEXTRACTI128 $1, Y1, X1
	VEXTRACTI128 $1, Y3, X3
	VEXTRACTI128 $1, Y4, X4
	MICROS(32, X0)
	VBROADCASTI128 secondPlaces<>(SB), Y15
	INCQ           R10
	MOVQ           dst_len+8(FP), CX
	SHRQ           $3, CX
	CMPQ           R10, CX
	JB             stamps
	VZEROUPPER
	RET
