//go:build !purego

#include "textflag.h"

// All four walk blocks of 64 values with one validity word in AX, as the sums do: a word
// of all ones takes the dense loop, any other is tested lane by lane, where a null's
// lane is replaced by the accumulator itself. Loads are whole vectors inside the 64
// values of a block, so nothing outside v is read and there is no tail: the caller
// compares it.

// The validity bit of each lane, for lanes of 64, 32 and 16 bits.
DATA bits64<>+0(SB)/8, $1
DATA bits64<>+8(SB)/8, $2
DATA bits64<>+16(SB)/8, $4
DATA bits64<>+24(SB)/8, $8
GLOBL bits64<>(SB), RODATA|NOPTR, $32

DATA bits32<>+0(SB)/8, $0x0000000200000001
DATA bits32<>+8(SB)/8, $0x0000000800000004
DATA bits32<>+16(SB)/8, $0x0000002000000010
DATA bits32<>+24(SB)/8, $0x0000008000000040
GLOBL bits32<>(SB), RODATA|NOPTR, $32

DATA bits16<>+0(SB)/8, $0x0008000400020001
DATA bits16<>+8(SB)/8, $0x0080004000200010
DATA bits16<>+16(SB)/8, $0x0800040002000100
DATA bits16<>+24(SB)/8, $0x8000400020001000
GLOBL bits16<>(SB), RODATA|NOPTR, $32

// MINQ and MAXQ keep the smaller or larger of acc and v in acc, per signed 64-bit lane.
#define MINQ(v, acc, tmp) \
	VPCMPGTQ  v, acc, tmp      \
	VBLENDVPD tmp, v, acc, acc

#define MAXQ(v, acc, tmp) \
	VPCMPGTQ  acc, v, tmp      \
	VBLENDVPD tmp, v, acc, acc

// func MinMaxInt64AVX2(v []int64, valid []uint64) (min, max int64)
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0-Y3   minima
//	DI  cursor in valid         Y4-Y7   maxima
//	R8  0 when all are valid    Y8-Y11  values
//	CX  blocks left             Y12     scratch; validity word, shifted
//	AX  validity word           Y13     scratch; lane mask
//	DX  inner counter           Y14     lane bits, Y15 scratch
TEXT ·MinMaxInt64AVX2(SB), NOSPLIT, $0-64
	MOVQ     v_base+0(FP), SI
	MOVQ     v_len+8(FP), CX
	MOVQ     valid_base+24(FP), DI
	MOVQ     valid_len+32(FP), R8
	SHRQ     $6, CX
	VMOVDQU  bits64<>(SB), Y14
	VPCMPEQQ Y0, Y0, Y0
	VPSLLQ   $63, Y0, Y4
	VPSRLQ   $1, Y0, Y0
	VMOVDQA  Y0, Y1
	VMOVDQA  Y0, Y2
	VMOVDQA  Y0, Y3
	VMOVDQA  Y4, Y5
	VMOVDQA  Y4, Y6
	VMOVDQA  Y4, Y7

block:
	SUBQ  $1, CX
	JB    reduce
	TESTQ R8, R8
	JZ    dense
	MOVQ  (DI), AX
	ADDQ  $8, DI
	CMPQ  AX, $-1
	JNE   masked

dense:
	MOVL $4, DX

dense16:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	VMOVDQU 96(SI), Y11
	MINQ(Y8, Y0, Y12)
	MINQ(Y9, Y1, Y13)
	MINQ(Y10, Y2, Y15)
	MINQ(Y11, Y3, Y12)
	MAXQ(Y8, Y4, Y13)
	MAXQ(Y9, Y5, Y15)
	MAXQ(Y10, Y6, Y12)
	MAXQ(Y11, Y7, Y13)
	ADDQ    $128, SI
	DECQ    DX
	JNZ     dense16
	JMP     block

masked:
	VMOVQ        AX, X12
	VPBROADCASTQ X12, Y12
	MOVL         $16, DX

masked4:
	VPAND     Y14, Y12, Y13
	VPCMPEQQ  Y14, Y13, Y13
	VBLENDVPD Y13, (SI), Y0, Y8
	VBLENDVPD Y13, (SI), Y4, Y9
	MINQ(Y8, Y0, Y15)
	MAXQ(Y9, Y4, Y15)
	VPSRLQ    $4, Y12, Y12
	ADDQ      $32, SI
	DECQ      DX
	JNZ       masked4
	JMP       block

reduce:
	MINQ(Y1, Y0, Y12)
	MINQ(Y3, Y2, Y13)
	MINQ(Y2, Y0, Y12)
	MAXQ(Y5, Y4, Y12)
	MAXQ(Y7, Y6, Y13)
	MAXQ(Y6, Y4, Y12)
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y4, X5
	MINQ(X1, X0, X12)
	MAXQ(X5, X4, X12)
	VPSRLDQ      $8, X0, X1
	VPSRLDQ      $8, X4, X5
	MINQ(X1, X0, X12)
	MAXQ(X5, X4, X12)
	VMOVQ        X0, min+48(FP)
	VMOVQ        X4, max+56(FP)
	VZEROUPPER
	RET

// func MinMaxInt32AVX2(v []int32, valid []uint64) (min, max int32)
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0-Y3   minima
//	DI  cursor in valid         Y4-Y7   maxima
//	R8  0 when all are valid    Y8-Y11  values
//	CX  blocks left             Y12     8 validity bits in every byte
//	AX  validity word; result   Y13     lane mask
//	DX  inner counter; result   Y14     lane bits
TEXT ·MinMaxInt32AVX2(SB), NOSPLIT, $0-56
	MOVQ     v_base+0(FP), SI
	MOVQ     v_len+8(FP), CX
	MOVQ     valid_base+24(FP), DI
	MOVQ     valid_len+32(FP), R8
	SHRQ     $6, CX
	VMOVDQU  bits32<>(SB), Y14
	VPCMPEQD Y0, Y0, Y0
	VPSLLD   $31, Y0, Y4
	VPSRLD   $1, Y0, Y0
	VMOVDQA  Y0, Y1
	VMOVDQA  Y0, Y2
	VMOVDQA  Y0, Y3
	VMOVDQA  Y4, Y5
	VMOVDQA  Y4, Y6
	VMOVDQA  Y4, Y7

block:
	SUBQ  $1, CX
	JB    reduce
	TESTQ R8, R8
	JZ    dense
	MOVQ  (DI), AX
	ADDQ  $8, DI
	CMPQ  AX, $-1
	JNE   masked

dense:
	MOVL $2, DX

dense32:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	VMOVDQU 96(SI), Y11
	VPMINSD Y8, Y0, Y0
	VPMINSD Y9, Y1, Y1
	VPMINSD Y10, Y2, Y2
	VPMINSD Y11, Y3, Y3
	VPMAXSD Y8, Y4, Y4
	VPMAXSD Y9, Y5, Y5
	VPMAXSD Y10, Y6, Y6
	VPMAXSD Y11, Y7, Y7
	ADDQ    $128, SI
	DECQ    DX
	JNZ     dense32
	JMP     block

	// The lane bits are below 256, so the bytes above the broadcast one do not matter.
masked:
	MOVL $8, DX

masked8:
	VMOVD        AX, X12
	VPBROADCASTD X12, Y12
	VPAND        Y14, Y12, Y13
	VPCMPEQD     Y14, Y13, Y13
	VPBLENDVB    Y13, (SI), Y0, Y8
	VPBLENDVB    Y13, (SI), Y4, Y9
	VPMINSD      Y8, Y0, Y0
	VPMAXSD      Y9, Y4, Y4
	SHRQ         $8, AX
	ADDQ         $32, SI
	DECQ         DX
	JNZ          masked8
	JMP          block

reduce:
	VPMINSD      Y1, Y0, Y0
	VPMINSD      Y3, Y2, Y2
	VPMINSD      Y2, Y0, Y0
	VPMAXSD      Y5, Y4, Y4
	VPMAXSD      Y7, Y6, Y6
	VPMAXSD      Y6, Y4, Y4
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y4, X5
	VPMINSD      X1, X0, X0
	VPMAXSD      X5, X4, X4
	VPSRLDQ      $8, X0, X1
	VPSRLDQ      $8, X4, X5
	VPMINSD      X1, X0, X0
	VPMAXSD      X5, X4, X4
	VPSRLDQ      $4, X0, X1
	VPSRLDQ      $4, X4, X5
	VPMINSD      X1, X0, X0
	VPMAXSD      X5, X4, X4
	VMOVD        X0, AX
	VMOVD        X4, DX
	MOVL         AX, min+48(FP)
	MOVL         DX, max+52(FP)
	VZEROUPPER
	RET

// func MinMaxInt16AVX2(v []int16, valid []uint64) (min, max int16)
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0-Y3   minima
//	DI  cursor in valid         Y4-Y7   maxima
//	R8  0 when all are valid    Y8-Y11  values
//	CX  blocks left             Y12     16 validity bits in every lane
//	AX  validity word; result   Y13     lane mask
//	DX  inner counter; result   Y14     lane bits
TEXT ·MinMaxInt16AVX2(SB), NOSPLIT, $0-52
	MOVQ     v_base+0(FP), SI
	MOVQ     v_len+8(FP), CX
	MOVQ     valid_base+24(FP), DI
	MOVQ     valid_len+32(FP), R8
	SHRQ     $6, CX
	VMOVDQU  bits16<>(SB), Y14
	VPCMPEQW Y0, Y0, Y0
	VPSLLW   $15, Y0, Y4
	VPSRLW   $1, Y0, Y0
	VMOVDQA  Y0, Y1
	VMOVDQA  Y0, Y2
	VMOVDQA  Y0, Y3
	VMOVDQA  Y4, Y5
	VMOVDQA  Y4, Y6
	VMOVDQA  Y4, Y7

block:
	SUBQ  $1, CX
	JB    reduce
	TESTQ R8, R8
	JZ    dense
	MOVQ  (DI), AX
	ADDQ  $8, DI
	CMPQ  AX, $-1
	JNE   masked

dense:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	VMOVDQU 96(SI), Y11
	VPMINSW Y8, Y0, Y0
	VPMINSW Y9, Y1, Y1
	VPMINSW Y10, Y2, Y2
	VPMINSW Y11, Y3, Y3
	VPMAXSW Y8, Y4, Y4
	VPMAXSW Y9, Y5, Y5
	VPMAXSW Y10, Y6, Y6
	VPMAXSW Y11, Y7, Y7
	ADDQ    $128, SI
	JMP     block

masked:
	MOVL $4, DX

masked16:
	VMOVD        AX, X12
	VPBROADCASTW X12, Y12
	VPAND        Y14, Y12, Y13
	VPCMPEQW     Y14, Y13, Y13
	VPBLENDVB    Y13, (SI), Y0, Y8
	VPBLENDVB    Y13, (SI), Y4, Y9
	VPMINSW      Y8, Y0, Y0
	VPMAXSW      Y9, Y4, Y4
	SHRQ         $16, AX
	ADDQ         $32, SI
	DECQ         DX
	JNZ          masked16
	JMP          block

	// Eight lanes, then 4, 2 and 1.
reduce:
	VPMINSW      Y1, Y0, Y0
	VPMINSW      Y3, Y2, Y2
	VPMINSW      Y2, Y0, Y0
	VPMAXSW      Y5, Y4, Y4
	VPMAXSW      Y7, Y6, Y6
	VPMAXSW      Y6, Y4, Y4
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y4, X5
	VPMINSW      X1, X0, X0
	VPMAXSW      X5, X4, X4
	VPSRLDQ      $8, X0, X1
	VPSRLDQ      $8, X4, X5
	VPMINSW      X1, X0, X0
	VPMAXSW      X5, X4, X4
	VPSRLDQ      $4, X0, X1
	VPSRLDQ      $4, X4, X5
	VPMINSW      X1, X0, X0
	VPMAXSW      X5, X4, X4
	VPSRLDQ      $2, X0, X1
	VPSRLDQ      $2, X4, X5
	VPMINSW      X1, X0, X0
	VPMAXSW      X5, X4, X4
	VMOVD        X0, AX
	VMOVD        X4, DX
	MOVW         AX, min+48(FP)
	MOVW         DX, max+50(FP)
	VZEROUPPER
	RET

// func MinMaxFloat64AVX2(v []float64, valid []uint64) (min, max float64, nan uint64)
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0-Y3   minima
//	DI  cursor in valid         Y4-Y7   maxima
//	R8  0 when all are valid    Y8-Y11  values
//	CX  blocks left             Y12     scratch; validity word, shifted
//	AX  validity word; result   Y13     lanes that held a NaN
//	DX  inner counter           Y14     lane bits, Y15 scratch; lane mask
//
// VMINPD and VMAXPD return their second source where either is a NaN, and that source
// is the accumulator, which therefore never is one.
TEXT ·MinMaxFloat64AVX2(SB), NOSPLIT, $0-72
	MOVQ         v_base+0(FP), SI
	MOVQ         v_len+8(FP), CX
	MOVQ         valid_base+24(FP), DI
	MOVQ         valid_len+32(FP), R8
	SHRQ         $6, CX
	VMOVDQU      bits64<>(SB), Y14
	VPXOR        Y13, Y13, Y13
	MOVQ         $0x7ff0000000000000, AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y0
	MOVQ         $0xfff0000000000000, AX
	VMOVQ        AX, X4
	VPBROADCASTQ X4, Y4
	VMOVDQA      Y0, Y1
	VMOVDQA      Y0, Y2
	VMOVDQA      Y0, Y3
	VMOVDQA      Y4, Y5
	VMOVDQA      Y4, Y6
	VMOVDQA      Y4, Y7

block:
	SUBQ  $1, CX
	JB    reduce
	TESTQ R8, R8
	JZ    dense
	MOVQ  (DI), AX
	ADDQ  $8, DI
	CMPQ  AX, $-1
	JNE   masked

dense:
	MOVL $4, DX

	// An unordered pair is one with a NaN, so one compare tests two vectors.
dense16:
	VMOVUPD (SI), Y8
	VMOVUPD 32(SI), Y9
	VMOVUPD 64(SI), Y10
	VMOVUPD 96(SI), Y11
	VMINPD  Y0, Y8, Y0
	VMINPD  Y1, Y9, Y1
	VMINPD  Y2, Y10, Y2
	VMINPD  Y3, Y11, Y3
	VMAXPD  Y4, Y8, Y4
	VMAXPD  Y5, Y9, Y5
	VMAXPD  Y6, Y10, Y6
	VMAXPD  Y7, Y11, Y7
	VCMPPD  $3, Y8, Y9, Y12
	VCMPPD  $3, Y10, Y11, Y15
	VORPD   Y12, Y13, Y13
	VORPD   Y15, Y13, Y13
	ADDQ    $128, SI
	DECQ    DX
	JNZ     dense16
	JMP     block

masked:
	VMOVQ        AX, X12
	VPBROADCASTQ X12, Y12
	MOVL         $16, DX

masked4:
	VPAND     Y14, Y12, Y15
	VPCMPEQQ  Y14, Y15, Y15
	VBLENDVPD Y15, (SI), Y0, Y8
	VBLENDVPD Y15, (SI), Y4, Y9
	VMINPD    Y0, Y8, Y0
	VMAXPD    Y4, Y9, Y4
	VCMPPD    $3, Y8, Y9, Y8
	VORPD     Y8, Y13, Y13
	VPSRLQ    $4, Y12, Y12
	ADDQ      $32, SI
	DECQ      DX
	JNZ       masked4
	JMP       block

reduce:
	VMINPD       Y1, Y0, Y0
	VMINPD       Y3, Y2, Y2
	VMINPD       Y2, Y0, Y0
	VMAXPD       Y5, Y4, Y4
	VMAXPD       Y7, Y6, Y6
	VMAXPD       Y6, Y4, Y4
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y4, X5
	VMINPD       X1, X0, X0
	VMAXPD       X5, X4, X4
	VPSRLDQ      $8, X0, X1
	VPSRLDQ      $8, X4, X5
	VMINPD       X1, X0, X0
	VMAXPD       X5, X4, X4
	VMOVMSKPD    Y13, AX
	VMOVSD       X0, min+48(FP)
	VMOVSD       X4, max+56(FP)
	MOVQ         AX, nan+64(FP)
	VZEROUPPER
	RET
