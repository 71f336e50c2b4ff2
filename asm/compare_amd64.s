//go:build !purego

#include "textflag.h"

// Every routine compares 32 values at a time with the bound in all lanes of Y15, narrows
// the lane masks to one byte per value, and takes the sign bits as 32 bits of the
// result; two halves make a word of dst. Loads are whole vectors inside the 64 values
// of a word, so nothing outside v is read and there is no tail: the caller compares it.
//
//	SI  cursor in v             Y0-Y7  lane masks
//	DI  cursor in dst           Y14    byte or lane order that undoes the narrowing
//	CX  words left              Y15    bound
//	AX, BX  result bits         R8     flip

// Byte order within a lane of pairs (0,1) of eight vectors, then pairs (2,3).
DATA pairs<>+0(SB)/8, $0x0b0a030209080100
DATA pairs<>+8(SB)/8, $0x0f0e07060d0c0504
GLOBL pairs<>(SB), RODATA|NOPTR, $16

// Order of 32-bit lanes of quads (0-3) of four vectors, then quads (4-7).
DATA quads<>+0(SB)/8, $0x0000000400000000
DATA quads<>+8(SB)/8, $0x0000000500000001
DATA quads<>+16(SB)/8, $0x0000000600000002
DATA quads<>+24(SB)/8, $0x0000000700000003
GLOBL quads<>(SB), RODATA|NOPTR, $32

// One vector of values at off(SI), compared with the bound.
#define EQUAL64(off, out) VPCMPEQQ off(SI), Y15, out
#define LESS64(off, out) VPCMPGTQ off(SI), Y15, out
#define EQUAL32(off, out) VPCMPEQD off(SI), Y15, out
#define LESS32(off, out) VPCMPGTD off(SI), Y15, out
#define EQUAL16(off, out) VPCMPEQW off(SI), Y15, out
#define LESS16(off, out) VPCMPGTW off(SI), Y15, out

// Predicates of bound against value: equal (0), greater (30), greater or equal (29),
// all false and quiet for a NaN.
#define EQUALF(off, out) VCMPPD $0, off(SI), Y15, out
#define LESSF(off, out) VCMPPD $30, off(SI), Y15, out
#define LESSEQUALF(off, out) VCMPPD $29, off(SI), Y15, out

// MASK64, MASK32 and MASK16 compare 32 values of that many bits from off(SI) on and
// leave a bit per value in out.
#define MASK64(COMPARE, off, out) \
	COMPARE(off+0, Y0)          \
	COMPARE(off+32, Y1)         \
	COMPARE(off+64, Y2)         \
	COMPARE(off+96, Y3)         \
	COMPARE(off+128, Y4)        \
	COMPARE(off+160, Y5)        \
	COMPARE(off+192, Y6)        \
	COMPARE(off+224, Y7)        \
	VPACKSSDW Y1, Y0, Y0        \
	VPACKSSDW Y3, Y2, Y2        \
	VPACKSSDW Y5, Y4, Y4        \
	VPACKSSDW Y7, Y6, Y6        \
	VPACKSSDW Y2, Y0, Y0        \
	VPACKSSDW Y6, Y4, Y4        \
	VPACKSSWB Y4, Y0, Y0        \
	VPERMQ    $0xd8, Y0, Y0     \
	VPSHUFB   Y14, Y0, Y0       \
	VPMOVMSKB Y0, out

#define MASK32(COMPARE, off, out) \
	COMPARE(off+0, Y0)          \
	COMPARE(off+32, Y1)         \
	COMPARE(off+64, Y2)         \
	COMPARE(off+96, Y3)         \
	VPACKSSDW Y1, Y0, Y0        \
	VPACKSSDW Y3, Y2, Y2        \
	VPACKSSWB Y2, Y0, Y0        \
	VPERMD    Y0, Y14, Y0       \
	VPMOVMSKB Y0, out

#define MASK16(COMPARE, off, out) \
	COMPARE(off+0, Y0)          \
	COMPARE(off+32, Y1)         \
	VPACKSSWB Y1, Y0, Y0        \
	VPERMQ    $0xd8, Y0, Y0     \
	VPMOVMSKB Y0, out

// func EqualInt64AVX2(dst []uint64, v []int64, bound int64, flip uint64)
//
// Sets the bits of the values that equal bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·EqualInt64AVX2(SB), NOSPLIT, $0-64
	MOVQ           dst_base+0(FP), DI
	MOVQ           v_base+24(FP), SI
	MOVQ           v_len+32(FP), CX
	MOVQ           flip+56(FP), R8
	VPBROADCASTQ   bound+48(FP), Y15
	VBROADCASTI128 pairs<>(SB), Y14
	SHRQ           $6, CX
	JZ             done

word:
	MASK64(EQUAL64, 0, AX)
	MASK64(EQUAL64, 256, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $512, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func LessInt64AVX2(dst []uint64, v []int64, bound int64, flip uint64)
//
// Sets the bits of the values that are below bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·LessInt64AVX2(SB), NOSPLIT, $0-64
	MOVQ           dst_base+0(FP), DI
	MOVQ           v_base+24(FP), SI
	MOVQ           v_len+32(FP), CX
	MOVQ           flip+56(FP), R8
	VPBROADCASTQ   bound+48(FP), Y15
	VBROADCASTI128 pairs<>(SB), Y14
	SHRQ           $6, CX
	JZ             done

word:
	MASK64(LESS64, 0, AX)
	MASK64(LESS64, 256, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $512, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func EqualInt32AVX2(dst []uint64, v []int32, bound int32, flip uint64)
//
// Sets the bits of the values that equal bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·EqualInt32AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         v_base+24(FP), SI
	MOVQ         v_len+32(FP), CX
	MOVQ         flip+56(FP), R8
	MOVL         bound+48(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	VMOVDQU      quads<>(SB), Y14
	SHRQ         $6, CX
	JZ           done

word:
	MASK32(EQUAL32, 0, AX)
	MASK32(EQUAL32, 128, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $256, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func LessInt32AVX2(dst []uint64, v []int32, bound int32, flip uint64)
//
// Sets the bits of the values that are below bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·LessInt32AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         v_base+24(FP), SI
	MOVQ         v_len+32(FP), CX
	MOVQ         flip+56(FP), R8
	MOVL         bound+48(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	VMOVDQU      quads<>(SB), Y14
	SHRQ         $6, CX
	JZ           done

word:
	MASK32(LESS32, 0, AX)
	MASK32(LESS32, 128, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $256, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func EqualInt16AVX2(dst []uint64, v []int16, bound int16, flip uint64)
//
// Sets the bits of the values that equal bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·EqualInt16AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         v_base+24(FP), SI
	MOVQ         v_len+32(FP), CX
	MOVQ         flip+56(FP), R8
	VPBROADCASTW bound+48(FP), Y15
	SHRQ         $6, CX
	JZ           done

word:
	MASK16(EQUAL16, 0, AX)
	MASK16(EQUAL16, 64, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $128, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func LessInt16AVX2(dst []uint64, v []int16, bound int16, flip uint64)
//
// Sets the bits of the values that are below bound. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·LessInt16AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst_base+0(FP), DI
	MOVQ         v_base+24(FP), SI
	MOVQ         v_len+32(FP), CX
	MOVQ         flip+56(FP), R8
	VPBROADCASTW bound+48(FP), Y15
	SHRQ         $6, CX
	JZ           done

word:
	MASK16(LESS16, 0, AX)
	MASK16(LESS16, 64, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $128, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func EqualFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)
//
// Sets the bits of the values that equal bound. A NaN does not. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·EqualFloat64AVX2(SB), NOSPLIT, $0-64
	MOVQ           dst_base+0(FP), DI
	MOVQ           v_base+24(FP), SI
	MOVQ           v_len+32(FP), CX
	MOVQ           flip+56(FP), R8
	VPBROADCASTQ   bound+48(FP), Y15
	VBROADCASTI128 pairs<>(SB), Y14
	SHRQ           $6, CX
	JZ             done

word:
	MASK64(EQUALF, 0, AX)
	MASK64(EQUALF, 256, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $512, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func LessFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)
//
// Sets the bits of the values that are below bound. A NaN is not. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·LessFloat64AVX2(SB), NOSPLIT, $0-64
	MOVQ           dst_base+0(FP), DI
	MOVQ           v_base+24(FP), SI
	MOVQ           v_len+32(FP), CX
	MOVQ           flip+56(FP), R8
	VPBROADCASTQ   bound+48(FP), Y15
	VBROADCASTI128 pairs<>(SB), Y14
	SHRQ           $6, CX
	JZ             done

word:
	MASK64(LESSF, 0, AX)
	MASK64(LESSF, 256, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $512, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET

// func LessEqualFloat64AVX2(dst []uint64, v []float64, bound float64, flip uint64)
//
// Sets the bits of the values that are at or below bound. A NaN is not. Requires AVX2, len(v)%64 == 0 and
// len(dst) == len(v)/64. Registers: top of the file.
TEXT ·LessEqualFloat64AVX2(SB), NOSPLIT, $0-64
	MOVQ           dst_base+0(FP), DI
	MOVQ           v_base+24(FP), SI
	MOVQ           v_len+32(FP), CX
	MOVQ           flip+56(FP), R8
	VPBROADCASTQ   bound+48(FP), Y15
	VBROADCASTI128 pairs<>(SB), Y14
	SHRQ           $6, CX
	JZ             done

word:
	MASK64(LESSEQUALF, 0, AX)
	MASK64(LESSEQUALF, 256, BX)
	SHLQ $32, BX
	ORQ  BX, AX
	XORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $512, SI
	ADDQ $8, DI
	DECQ CX
	JNZ  word

done:
	VZEROUPPER
	RET
