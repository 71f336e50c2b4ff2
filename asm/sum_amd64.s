//go:build !purego

#include "textflag.h"

// All sums walk blocks of 64 values with one validity word in AX. A word of all ones
// takes the dense loop; any other word is tested lane by lane, where a null's lane is
// replaced by the neutral value. Loads are whole vectors inside the 64 values of a
// block, so nothing outside v is read and there is no tail: the caller adds it.

// The validity bit of each lane, for lanes of 64 and of 16 bits.
DATA lanes64<>+0(SB)/8, $1
DATA lanes64<>+8(SB)/8, $2
DATA lanes64<>+16(SB)/8, $4
DATA lanes64<>+24(SB)/8, $8
GLOBL lanes64<>(SB), RODATA|NOPTR, $32

DATA lanes16<>+0(SB)/8, $0x0008000400020001
DATA lanes16<>+8(SB)/8, $0x0080004000200010
DATA lanes16<>+16(SB)/8, $0x0800040002000100
DATA lanes16<>+24(SB)/8, $0x8000400020001000
GLOBL lanes16<>(SB), RODATA|NOPTR, $32

// func SumInt64AVX2(v []int64, valid []uint64) (high, wrapped uint64)
//
// Requires AVX2, len(v)%64 == 0, len(v) < 2^32.
//
//	SI  cursor in v             Y0-Y3   wrapped sums
//	DI  cursor in valid         Y4-Y7   sums of the biased high halves
//	R8  0 when all are valid    Y8-Y11  values
//	CX  blocks left             Y12     validity word, shifted
//	AX  validity word           Y13     lane mask
//	DX  inner counter           Y14     lane bits, Y15 the bias 2^63
//
// The bias makes every value unsigned, so its high half is one logical shift (AVX2 has
// no arithmetic 64-bit one); the sum of high halves stays below 2^32 * 2^32.
TEXT ·SumInt64AVX2(SB), NOSPLIT, $0-64
	MOVQ         v_base+0(FP), SI
	MOVQ         v_len+8(FP), CX
	MOVQ         valid_base+24(FP), DI
	MOVQ         valid_len+32(FP), R8
	SHRQ         $6, CX
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1
	VPXOR        Y2, Y2, Y2
	VPXOR        Y3, Y3, Y3
	VPXOR        Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	VPXOR        Y6, Y6, Y6
	VPXOR        Y7, Y7, Y7
	VMOVDQU      lanes64<>(SB), Y14
	VPCMPEQQ     Y15, Y15, Y15
	VPSLLQ       $63, Y15, Y15

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
	VPADDQ  Y8, Y0, Y0
	VPADDQ  Y9, Y1, Y1
	VPADDQ  Y10, Y2, Y2
	VPADDQ  Y11, Y3, Y3
	VPXOR   Y15, Y8, Y8
	VPXOR   Y15, Y9, Y9
	VPXOR   Y15, Y10, Y10
	VPXOR   Y15, Y11, Y11
	VPSRLQ  $32, Y8, Y8
	VPSRLQ  $32, Y9, Y9
	VPSRLQ  $32, Y10, Y10
	VPSRLQ  $32, Y11, Y11
	VPADDQ  Y8, Y4, Y4
	VPADDQ  Y9, Y5, Y5
	VPADDQ  Y10, Y6, Y6
	VPADDQ  Y11, Y7, Y7
	ADDQ    $128, SI
	DECQ    DX
	JNZ     dense16
	JMP     block

	// A null becomes 0 before the bias, so it counts 2^31 in the high sum, as 0 does.
masked:
	VMOVQ        AX, X12
	VPBROADCASTQ X12, Y12
	MOVL         $16, DX

masked4:
	VPAND    Y14, Y12, Y13
	VPCMPEQQ Y14, Y13, Y13
	VPAND    (SI), Y13, Y8
	VPADDQ   Y8, Y0, Y0
	VPXOR    Y15, Y8, Y8
	VPSRLQ   $32, Y8, Y8
	VPADDQ   Y8, Y4, Y4
	VPSRLQ   $4, Y12, Y12
	ADDQ     $32, SI
	DECQ     DX
	JNZ      masked4
	JMP      block

reduce:
	VPADDQ       Y1, Y0, Y0
	VPADDQ       Y3, Y2, Y2
	VPADDQ       Y5, Y4, Y4
	VPADDQ       Y7, Y6, Y6
	VPADDQ       Y2, Y0, Y0
	VPADDQ       Y6, Y4, Y4
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y4, X5
	VPADDQ       X1, X0, X0
	VPADDQ       X5, X4, X4
	VPSRLDQ      $8, X0, X1
	VPSRLDQ      $8, X4, X5
	VPADDQ       X1, X0, X0
	VPADDQ       X5, X4, X4
	VMOVQ        X4, high+48(FP)
	VMOVQ        X0, wrapped+56(FP)
	VZEROUPPER
	RET

// func SumInt32AVX2(v []int32, valid []uint64) int64
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0-Y3   sums of four lanes each
//	DI  cursor in valid         Y8-Y11  values, sign-extended
//	R8  0 when all are valid    Y12     validity word, shifted
//	CX  blocks left             Y13     lane mask
//	AX  validity word           Y14     lane bits
//	DX  inner counter
TEXT ·SumInt32AVX2(SB), NOSPLIT, $0-56
	MOVQ    v_base+0(FP), SI
	MOVQ    v_len+8(FP), CX
	MOVQ    valid_base+24(FP), DI
	MOVQ    valid_len+32(FP), R8
	SHRQ    $6, CX
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	VMOVDQU lanes64<>(SB), Y14

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
	VPMOVSXDQ (SI), Y8
	VPMOVSXDQ 16(SI), Y9
	VPMOVSXDQ 32(SI), Y10
	VPMOVSXDQ 48(SI), Y11
	VPADDQ    Y8, Y0, Y0
	VPADDQ    Y9, Y1, Y1
	VPADDQ    Y10, Y2, Y2
	VPADDQ    Y11, Y3, Y3
	ADDQ      $64, SI
	DECQ      DX
	JNZ       dense16
	JMP       block

masked:
	VMOVQ        AX, X12
	VPBROADCASTQ X12, Y12
	MOVL         $16, DX

masked4:
	VPMOVSXDQ (SI), Y8
	VPAND     Y14, Y12, Y13
	VPCMPEQQ  Y14, Y13, Y13
	VPAND     Y8, Y13, Y8
	VPADDQ    Y8, Y0, Y0
	VPSRLQ    $4, Y12, Y12
	ADDQ      $16, SI
	DECQ      DX
	JNZ       masked4
	JMP       block

reduce:
	VPADDQ       Y1, Y0, Y0
	VPADDQ       Y3, Y2, Y2
	VPADDQ       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, ret+48(FP)
	VZEROUPPER
	RET

// func SumInt16AVX2(v []int16, valid []uint64) int64
//
// Requires AVX2, len(v)%64 == 0, len(v) < 2^19.
//
//	SI  cursor in v             Y0-Y3   sums of eight 32-bit lanes each
//	DI  cursor in valid         Y8-Y11  values, then sums of neighbours
//	R8  0 when all are valid    Y12     16 validity bits in every lane
//	CX  blocks left             Y13     lane mask
//	AX  validity word           Y14     lane bits, Y15 sixteen ones
//	DX  inner counter
//
// VPMADDWD by ones adds neighbours into 32 bits, 2^16 at most in magnitude; a lane of
// the four accumulators together takes len(v)/16 of them, below 2^15.
TEXT ·SumInt16AVX2(SB), NOSPLIT, $0-56
	MOVQ     v_base+0(FP), SI
	MOVQ     v_len+8(FP), CX
	MOVQ     valid_base+24(FP), DI
	MOVQ     valid_len+32(FP), R8
	SHRQ     $6, CX
	VPXOR    Y0, Y0, Y0
	VPXOR    Y1, Y1, Y1
	VPXOR    Y2, Y2, Y2
	VPXOR    Y3, Y3, Y3
	VMOVDQU  lanes16<>(SB), Y14
	VPCMPEQW Y15, Y15, Y15
	VPSRLW   $15, Y15, Y15

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
	VPMADDWD (SI), Y15, Y8
	VPMADDWD 32(SI), Y15, Y9
	VPMADDWD 64(SI), Y15, Y10
	VPMADDWD 96(SI), Y15, Y11
	VPADDD   Y8, Y0, Y0
	VPADDD   Y9, Y1, Y1
	VPADDD   Y10, Y2, Y2
	VPADDD   Y11, Y3, Y3
	ADDQ     $128, SI
	JMP      block

masked:
	MOVL $4, DX

masked16:
	VMOVD        AX, X12
	VPBROADCASTW X12, Y12
	VPAND        Y14, Y12, Y13
	VPCMPEQW     Y14, Y13, Y13
	VPAND        (SI), Y13, Y8
	VPMADDWD     Y15, Y8, Y8
	VPADDD       Y8, Y0, Y0
	SHRQ         $16, AX
	ADDQ         $32, SI
	DECQ         DX
	JNZ          masked16
	JMP          block

reduce:
	VPADDD       Y1, Y0, Y0
	VPADDD       Y3, Y2, Y2
	VPADDD       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMOVSXDQ    X0, Y0
	VPMOVSXDQ    X1, Y1
	VPADDQ       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, ret+48(FP)
	VZEROUPPER
	RET

// func SumFloat64AVX2(acc *[8]float64, v []float64, valid []uint64)
//
// Requires AVX2, len(v)%64 == 0.
//
//	SI  cursor in v             Y0, Y1  accumulator lanes 0-3 and 4-7
//	DI  cursor in valid         Y8, Y9  values
//	R8  0 when all are valid    Y12     validity word, shifted
//	CX  blocks left             Y13     lane mask
//	AX  validity word           Y14     lane bits, Y15 -0 in every lane
//	DX  inner counter           BX      acc
//
// A null is replaced by -0, which leaves every accumulator as it is, +0 included. The
// accumulator is the first source of every addition.
TEXT ·SumFloat64AVX2(SB), NOSPLIT, $0-56
	MOVQ     acc+0(FP), BX
	MOVQ     v_base+8(FP), SI
	MOVQ     v_len+16(FP), CX
	MOVQ     valid_base+32(FP), DI
	MOVQ     valid_len+40(FP), R8
	SHRQ     $6, CX
	VMOVUPD  (BX), Y0
	VMOVUPD  32(BX), Y1
	VMOVDQU  lanes64<>(SB), Y14
	VPCMPEQQ Y15, Y15, Y15
	VPSLLQ   $63, Y15, Y15

block:
	SUBQ  $1, CX
	JB    done
	TESTQ R8, R8
	JZ    dense
	MOVQ  (DI), AX
	ADDQ  $8, DI
	CMPQ  AX, $-1
	JNE   masked

dense:
	VADDPD (SI), Y0, Y0
	VADDPD 32(SI), Y1, Y1
	VADDPD 64(SI), Y0, Y0
	VADDPD 96(SI), Y1, Y1
	VADDPD 128(SI), Y0, Y0
	VADDPD 160(SI), Y1, Y1
	VADDPD 192(SI), Y0, Y0
	VADDPD 224(SI), Y1, Y1
	VADDPD 256(SI), Y0, Y0
	VADDPD 288(SI), Y1, Y1
	VADDPD 320(SI), Y0, Y0
	VADDPD 352(SI), Y1, Y1
	VADDPD 384(SI), Y0, Y0
	VADDPD 416(SI), Y1, Y1
	VADDPD 448(SI), Y0, Y0
	VADDPD 480(SI), Y1, Y1
	ADDQ   $512, SI
	JMP    block

masked:
	VMOVQ        AX, X12
	VPBROADCASTQ X12, Y12
	MOVL         $8, DX

masked8:
	VPAND     Y14, Y12, Y13
	VPCMPEQQ  Y14, Y13, Y13
	VBLENDVPD Y13, (SI), Y15, Y8
	VADDPD    Y8, Y0, Y0
	VPSRLQ    $4, Y12, Y12
	VPAND     Y14, Y12, Y13
	VPCMPEQQ  Y14, Y13, Y13
	VBLENDVPD Y13, 32(SI), Y15, Y9
	VADDPD    Y9, Y1, Y1
	VPSRLQ    $4, Y12, Y12
	ADDQ      $64, SI
	DECQ      DX
	JNZ       masked8
	JMP       block

done:
	VMOVUPD Y0, (BX)
	VMOVUPD Y1, 32(BX)
	VZEROUPPER
	RET
