//go:build !purego

#include "textflag.h"

// Uuids: ParseUUIDsAVX2.
//
// Requires AVX2, BMI2.
//
// Input:       SI b, DI next value of dst, R8 separator before the next field, R9 stride
//              in bytes, R13 trim.
// Output:      R11 null bits and R12 slow bits of the current 64 values.
// State:       R10 index of the value, R14 the field, R15 number of values.
// Constant:    Y4-Y12, in the order of uuid.
// Scratch:     AX, BX, CX, DX, Y0-Y3.
//
// Invariant: the values before index R10 are stored, and so are the null and slow words
// before word R10/64; R11 and R12 hold the bits of the rest.
//
// The digits before the 18th byte of the text go to the lower lane, those behind to the
// upper one; each lane is put together from two loads that lie inside the 36 bytes. A
// field is checked against its length and the end of b before it is read: there is no
// tail.

// Places of digits in the loads from bytes 0 and 19, and in those from 2 and 20.
DATA uuid<>+0(SB)/8, $0x0706050403020100
DATA uuid<>+8(SB)/8, $0x80800f0e0c0b0a09
DATA uuid<>+16(SB)/8, $0x0807060503020100
DATA uuid<>+24(SB)/8, $0x800f0e0d0c0b0a09
DATA uuid<>+32(SB)/8, $0x8080808080808080
DATA uuid<>+40(SB)/8, $0x0f0e808080808080
DATA uuid<>+48(SB)/8, $0x8080808080808080
DATA uuid<>+56(SB)/8, $0x0f80808080808080
DATA uuid<>+64(SB)/8, $0x3030303030303030 // '0'
DATA uuid<>+72(SB)/8, $0x0909090909090909
DATA uuid<>+80(SB)/8, $0x2020202020202020
DATA uuid<>+88(SB)/8, $0x6161616161616161 // 'a'
DATA uuid<>+96(SB)/8, $0x0505050505050505
DATA uuid<>+104(SB)/8, $0x0a0a0a0a0a0a0a0a
DATA uuid<>+112(SB)/8, $0x0110011001100110 // weights of two digits
GLOBL uuid<>(SB), RODATA|NOPTR, $120

// func ParseUUIDsAVX2(dst []byte, null, slow []uint64, b []byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseUUIDsAVX2(SB), NOSPLIT, $0-136
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), R15
	SHRQ         $4, R15
	MOVQ         b_base+72(FP), SI
	MOVQ         seps_base+96(FP), R8
	MOVQ         stride+120(FP), R9
	SHLQ         $2, R9
	MOVQ         trim+128(FP), R13
	XORL         R10, R10
	XORL         R11, R11
	XORL         R12, R12
	VMOVDQU      uuid<>+0(SB), Y4
	VMOVDQU      uuid<>+32(SB), Y5
	VPBROADCASTQ uuid<>+64(SB), Y6
	VPBROADCASTQ uuid<>+72(SB), Y7
	VPBROADCASTQ uuid<>+80(SB), Y8
	VPBROADCASTQ uuid<>+88(SB), Y9
	VPBROADCASTQ uuid<>+96(SB), Y10
	VPBROADCASTQ uuid<>+104(SB), Y11
	VPBROADCASTQ uuid<>+112(SB), Y12

field:
	MOVL    (R8), CX
	MOVL    4(R8), DX
	ADDQ    R9, R8
	INCL    CX
	SUBL    R13, DX
	MOVL    DX, AX
	SUBL    CX, AX
	JCS     reject
	CMPQ    DX, b_len+80(FP)
	JHI     reject
	CMPL    AX, $36
	JNE     short
	LEAQ    (SI)(CX*1), R14
	MOVBLZX 8(R14), AX
	MOVBLZX 13(R14), BX
	MOVBLZX 18(R14), CX
	MOVBLZX 23(R14), DX
	XORL    $0x2d, AX
	XORL    $0x2d, BX
	XORL    $0x2d, CX
	XORL    $0x2d, DX
	ORL     BX, AX
	ORL     DX, CX
	ORL     CX, AX
	JNE     reject

	VMOVDQU     (R14), X0
	VINSERTI128 $1, 19(R14), Y0, Y0
	VMOVDQU     2(R14), X1
	VINSERTI128 $1, 20(R14), Y1, Y1
	VPSHUFB     Y4, Y0, Y0
	VPSHUFB     Y5, Y1, Y1
	VPOR        Y1, Y0, Y0

	// Y1 digits by their distance from '0', Y2 letters by theirs from 'a'; the ones of
	// Y0 are one of both, and Y3 is all ones where it is.
	VPSUBB    Y6, Y0, Y1
	VPOR      Y8, Y0, Y2
	VPSUBB    Y9, Y2, Y2
	VPMINUB   Y7, Y1, Y3
	VPCMPEQB  Y1, Y3, Y3
	VPMINUB   Y10, Y2, Y0
	VPCMPEQB  Y2, Y0, Y0
	VPADDB    Y11, Y2, Y2
	VPBLENDVB Y0, Y2, Y1, Y1
	VPOR      Y0, Y3, Y3
	VPMOVMSKB Y3, AX
	CMPL      AX, $-1
	JNE       reject

	VPMADDUBSW Y12, Y1, Y1
	VPACKUSWB  Y1, Y1, Y1
	VPERMQ     $8, Y1, Y1
	VMOVDQU    X1, (DI)

next:
	ADDQ  $16, DI
	INCQ  R10
	TESTQ $63, R10
	JEQ   flush
	CMPQ  R10, R15
	JB    field

flush:
	LEAQ -1(R10), AX
	SHRQ $6, AX
	MOVQ null_base+24(FP), BX
	MOVQ R11, (BX)(AX*8)
	MOVQ slow_base+48(FP), BX
	MOVQ R12, (BX)(AX*8)
	XORL R11, R11
	XORL R12, R12
	CMPQ R10, R15
	JB   field
	VZEROUPPER
	RET

	// An empty field is null.
short:
	TESTL AX, AX
	JNE   reject
	BTSQ  R10, R11
	JMP   zero

reject:
	BTSQ R10, R12

zero:
	VPXOR   X0, X0, X0
	VMOVDQU X0, (DI)
	JMP     next
