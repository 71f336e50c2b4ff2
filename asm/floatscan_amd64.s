//go:build !purego

#include "textflag.h"

// Numbers with a point and an exponent: ScanNumbersAVX2.
//
// Requires AVX2, BMI2, LZCNT.
//
// Input:       SI b, DI next mantissa, R8 separator before the next field, R9 stride in
//              bytes.
// Output:      R11 null bits, R12 sign bits; slow bits in their result slot.
// State:       R10 index of the record, R14 first digit of the field, AX bytes from
//              there on, CX exponent.
// Constant:    R13 slide, Y4 '0', Y5 nine, Y6-Y8 weights, Y9 '.'.
// Scratch:     BX, DX, R15, Y0-Y2.
//
// Invariant: mantissas and exponents before index R10 are stored; R11, R12 and slow hold
// the bits of those records and no others.
//
// A field of at most 32 bytes is read by its end, twice: the 32 bytes before its end and
// the 32 before those shifted by one. Behind the point the digits are taken from the
// first, before it from the second, so they close up over the point; what is left of the
// first digit is cleared to leading zeros. A field that starts in the first 32 bytes of b
// is read from head, which has room before it, and an empty one from nought, where it is
// one zero. Every field is checked against its own length and the end of b before it is
// read, so no content of seps leads outside: there is no tail.

// slide+n has ff in the last n of its 32 bytes.
DATA slide<>+0(SB)/8, $0
DATA slide<>+8(SB)/8, $0
DATA slide<>+16(SB)/8, $0
DATA slide<>+24(SB)/8, $0
DATA slide<>+32(SB)/8, $0xffffffffffffffff
DATA slide<>+40(SB)/8, $0xffffffffffffffff
DATA slide<>+48(SB)/8, $0xffffffffffffffff
DATA slide<>+56(SB)/8, $0xffffffffffffffff
GLOBL slide<>(SB), RODATA|NOPTR, $64

// nought+32 is the text of a zero behind 32 bytes.
DATA nought<>+0(SB)/8, $0
DATA nought<>+8(SB)/8, $0
DATA nought<>+16(SB)/8, $0
DATA nought<>+24(SB)/8, $0
DATA nought<>+32(SB)/8, $0x30
GLOBL nought<>(SB), RODATA|NOPTR, $40

// The constants of Y4 to Y9, and 0x20 and 'e', each to be repeated.
DATA scan<>+0(SB)/8, $0x3030303030303030
DATA scan<>+8(SB)/8, $0x0909090909090909
DATA scan<>+16(SB)/8, $0x010a010a010a010a
DATA scan<>+24(SB)/8, $0x0001006400010064
DATA scan<>+32(SB)/8, $0x0001271000012710
DATA scan<>+40(SB)/8, $0x2e2e2e2e2e2e2e2e
DATA scan<>+48(SB)/8, $0x2020202020202020
DATA scan<>+56(SB)/8, $0x6565656565656565
GLOBL scan<>(SB), RODATA|NOPTR, $64

// WITHIN clears the bits of BX, the mask of the 32 bytes before DX, that stand for bytes
// before the field's first. Scratch: R15.
#define WITHIN \
	MOVL  AX, R15     \
	NEGL  R15         \
	SHRXL R15, BX, BX \
	SHLXL R15, BX, BX

// MANTISSA leaves in Y1 the values of the 32 digits that end the AX bytes from R14 on,
// with zeros before the first, in DX the end of these bytes, and takes the digits behind
// the point from CX. It goes to BAD if there is no digit or something else than digits
// and one point.
#define MANTISSA(BAD) \
	LEAQ      (R14)(AX*1), DX     \
	VMOVDQU   -32(DX), Y0         \
	VPCMPEQB  Y9, Y0, Y1          \
	VPMOVMSKB Y1, BX              \
	WITHIN                        \
	LZCNTL    BX, R15             \
	VMOVDQU   -33(DX), Y1         \
	VMOVDQU   (R13)(R15*1), Y2    \
	VPBLENDVB Y2, Y0, Y1, Y1      \
	NEGL      BX                  \
	SBBL      $0, AX              \
	JEQ       BAD                 \
	ANDL      $31, R15            \
	SUBL      R15, CX             \
	VPSUBB    Y4, Y1, Y1          \
	VPAND     (R13)(AX*1), Y1, Y1 \
	VPSUBUSB  Y5, Y1, Y0          \
	VPTEST    Y0, Y0              \
	JNE       BAD

// func ScanNumbersAVX2(mantissa *[64]uint64, exponent *[64]int32, n int, b []byte, head *[128]byte, seps []uint32, stride int, trim, exponents uint64) (neg, null, slow uint64)
TEXT ·ScanNumbersAVX2(SB), NOSPLIT, $0-128
	MOVQ         mantissa+0(FP), DI
	MOVQ         b_base+24(FP), SI
	MOVQ         seps_base+56(FP), R8
	MOVQ         stride+80(FP), R9
	SHLQ         $2, R9
	XORL         R10, R10
	XORL         R11, R11
	XORL         R12, R12
	MOVQ         R10, slow+120(FP)
	LEAQ         slide<>(SB), R13
	VPBROADCASTQ scan<>+0(SB), Y4
	VPBROADCASTQ scan<>+8(SB), Y5
	VPBROADCASTQ scan<>+16(SB), Y6
	VPBROADCASTQ scan<>+24(SB), Y7
	VPBROADCASTQ scan<>+32(SB), Y8
	VPBROADCASTQ scan<>+40(SB), Y9

field:
	MOVL (R8), CX
	MOVL 4(R8), DX
	ADDQ R9, R8
	INCL CX
	MOVQ trim+88(FP), BX
	SUBL BX, DX
	MOVL DX, AX
	SUBL CX, AX
	JCS  reject
	CMPL AX, $32
	JHI  reject
	CMPQ DX, b_len+32(FP)
	JHI  reject
	LEAQ (SI)(CX*1), R14
	CMPL CX, $32
	JB   near

	// An empty field is null and becomes the text of a zero.
far:
	XORL    DX, DX
	LEAQ    nought<>+32(SB), R15
	TESTL   AX, AX
	SETEQ   DX
	CMOVQEQ R15, R14
	ADDL    DX, AX
	SHLXQ   R10, DX, DX
	ORQ     DX, R11

	// A '+' is 0 and a '-' is 2 in BX; R15 is 1 for both, else 0.
	MOVBLZX (R14), BX
	XORL    CX, CX
	XORL    R15, R15
	SUBL    $0x2b, BX
	TESTL   $-3, BX
	SETEQ   R15
	SHRL    $1, BX
	ANDL    R15, BX
	SHLXQ   R10, BX, BX
	ORQ     BX, R12
	ADDQ    R15, R14
	SUBL    R15, AX
	JEQ     reject
	MANTISSA(power)

	// Eight digits to each number: X1 has the upper two, only the last three digits of
	// which may be other than zero.
join:
	VPMADDUBSW   Y6, Y1, Y1
	VPMADDWD     Y7, Y1, Y1
	VPACKUSDW    Y1, Y1, Y1
	VPMADDWD     Y8, Y1, Y1
	VMOVQ        X1, BX
	VEXTRACTI128 $1, Y1, X1
	VMOVQ        X1, DX
	RORXQ        $32, BX, BX
	CMPQ         BX, $999
	JHI          reject
	MOVQ         $10000000000000000, R15
	IMULQ        R15, BX
	MOVL         DX, AX
	SHRQ         $32, DX
	IMULQ        $100000000, AX
	ADDQ         DX, BX
	ADDQ         BX, AX

store:
	MOVQ AX, (DI)
	MOVQ exponent+8(FP), R15
	MOVL CX, (R15)(R10*4)
	ADDQ $8, DI
	INCQ R10
	CMPQ R10, n+16(FP)
	JB   field
	MOVQ R12, neg+104(FP)
	MOVQ R11, null+112(FP)
	VZEROUPPER
	RET

near:
	MOVQ head+48(FP), R14
	LEAQ 64(R14)(CX*1), R14
	JMP  far

	// One to four bytes behind the last 'e' or 'E', then the digits before it again.
power:
	CMPQ         exponents+96(FP), $0
	JEQ          reject
	MOVQ         DX, AX
	SUBQ         R14, AX
	VPBROADCASTQ scan<>+48(SB), Y1
	VPOR         -32(DX), Y1, Y0
	VPBROADCASTQ scan<>+56(SB), Y1
	VPCMPEQB     Y1, Y0, Y0
	VPMOVMSKB    Y0, BX
	WITHIN
	LZCNTL       BX, R15
	LEAL         -1(R15), BX
	CMPL         BX, $3
	JHI          reject
	SUBQ         R15, DX
	SUBL         R15, AX
	DECL         AX
	JLE          reject
	MOVBLZX      (DX), BX
	SUBL         $0x2b, BX
	TESTL        $-3, BX
	JNE          unsigned
	SHRL         $1, BX
	INCQ         DX
	DECL         R15
	JEQ          reject
	JMP          digits

unsigned:
	XORL BX, BX
	CMPL R15, $3
	JHI  reject

	// R15 digits from DX on become CX, negative if BX is 1.
digits:
	XORL CX, CX

digit:
	MOVBLZX (DX), R13
	SUBL    $0x30, R13
	CMPL    R13, $9
	JHI     reject
	LEAL    (CX)(CX*4), CX
	LEAL    (R13)(CX*2), CX
	INCQ    DX
	DECL    R15
	JNE     digit
	NEGL    BX
	XORL    BX, CX
	SUBL    BX, CX
	LEAQ    slide<>(SB), R13
	MANTISSA(reject)
	JMP join

reject:
	LEAQ slide<>(SB), R13
	BTRQ R10, R12
	MOVQ slow+120(FP), BX
	BTSQ R10, BX
	MOVQ BX, slow+120(FP)
	XORL AX, AX
	XORL CX, CX
	JMP  store
