//go:build !purego

#include "textflag.h"

// func CountRecordEndsAVX2(b []byte, quote, eol byte) (ends, inside, quotes int)
//
// Requires AVX2, PCLMULQDQ, POPCNT. Reads b[0 : len&^63] only, so there is no tail.
//
// Input:       SI next byte, CX bytes left, Y0 quote in each byte, Y1 eol in each byte.
// Accumulator: AX ends, BX ends inside, DX quotes, counted from masks;
//              Y2 ends, Y3 ends inside, counted from vectors, in 64-bit lanes.
// State:       DI all ones inside quotes, else zero; Y4 the same in each byte.
// Constant:    Y5 zero, X6 all ones.
// Scratch:     R8-R11, Y8-Y12.
//
// Invariant: AX+sum(Y2), BX+sum(Y3) and DX are the results for the bytes before SI, and
// DI is the parity of DX.
//
// 256 bytes without a quote need no masks: the eol compares add up to -8..0 in each
// byte, and all of them count for the one state. Otherwise the carry-less product of
// the quote mask with all ones is its prefix parity: bit i is set iff an odd number of
// quotes stands at or before byte i.

// BLOCK counts 64 bytes at off(SI) from masks: R8 quotes, R10 ends, R9 inside.
#define BLOCK(off) \
	VMOVDQU    off(SI), Y8         \
	VMOVDQU    (off+32)(SI), Y9    \
	VPCMPEQB   Y0, Y8, Y10         \
	VPCMPEQB   Y0, Y9, Y11         \
	VPCMPEQB   Y1, Y8, Y8          \
	VPCMPEQB   Y1, Y9, Y9          \
	VPMOVMSKB  Y10, R8             \
	VPMOVMSKB  Y11, R9             \
	VPMOVMSKB  Y8, R10             \
	VPMOVMSKB  Y9, R11             \
	SHLQ       $32, R9             \
	SHLQ       $32, R11            \
	ORQ        R9, R8              \
	ORQ        R11, R10            \
	VMOVQ      R8, X10             \
	VPCLMULQDQ $0, X6, X10, X10    \
	VMOVQ      X10, R9             \
	XORQ       DI, R9              \
	MOVQ       R9, DI              \
	SARQ       $63, DI             \
	ANDQ       R10, R9             \
	POPCNTQ    R8, R8              \
	POPCNTQ    R10, R10            \
	POPCNTQ    R9, R9              \
	ADDQ       R8, DX              \
	ADDQ       R10, AX             \
	ADDQ       R9, BX

// LOOK adds 32 bytes at off(SI) to Y9 (any quote) and Y10 (minus the ends).
#define LOOK(off) \
	VMOVDQU  off(SI), Y11  \
	VPCMPEQB Y0, Y11, Y12  \
	VPCMPEQB Y1, Y11, Y11  \
	VPOR     Y12, Y9, Y9   \
	VPADDB   Y11, Y10, Y10

TEXT ·CountRecordEndsAVX2(SB), NOSPLIT, $0-56
	MOVQ         b_base+0(FP), SI
	MOVQ         b_len+8(FP), CX
	VPBROADCASTB quote+24(FP), Y0
	VPBROADCASTB eol+25(FP), Y1
	VPXOR        Y2, Y2, Y2
	VPXOR        Y3, Y3, Y3
	VPXOR        Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	VPCMPEQB     X6, X6, X6
	XORL         AX, AX
	XORL         BX, BX
	XORL         DX, DX
	XORL         DI, DI

group:
	CMPQ     CX, $256
	JB       blocks
	VMOVDQU  (SI), Y8
	VPCMPEQB Y0, Y8, Y9
	VPCMPEQB Y1, Y8, Y10
	LOOK(32)
	LOOK(64)
	LOOK(96)
	LOOK(128)
	LOOK(160)
	LOOK(192)
	LOOK(224)
	VPTEST   Y9, Y9
	JNE      quoted

	// No quote in 256 bytes: the ends are a byte sum.
	VPSUBB  Y10, Y5, Y10
	VPSADBW Y5, Y10, Y10
	VPADDQ  Y10, Y2, Y2
	VPAND   Y4, Y10, Y10
	VPADDQ  Y10, Y3, Y3
	ADDQ    $256, SI
	SUBQ    $256, CX
	JMP     group

quoted:
	BLOCK(0)
	BLOCK(64)
	BLOCK(128)
	BLOCK(192)
	VMOVQ        DI, X4
	VPBROADCASTQ X4, Y4
	ADDQ         $256, SI
	SUBQ         $256, CX
	JMP          group

	// Up to three blocks are left.
blocks:
	CMPQ CX, $64
	JB   done
	BLOCK(0)
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  blocks

done:
	VEXTRACTI128 $1, Y2, X8
	VPADDQ       X8, X2, X2
	VPSRLDQ      $8, X2, X8
	VPADDQ       X8, X2, X2
	VMOVQ        X2, R8
	ADDQ         R8, AX
	VEXTRACTI128 $1, Y3, X8
	VPADDQ       X8, X3, X3
	VPSRLDQ      $8, X3, X8
	VPADDQ       X8, X3, X3
	VMOVQ        X3, R8
	ADDQ         R8, BX
	MOVQ         AX, ends+32(FP)
	MOVQ         BX, inside+40(FP)
	MOVQ         DX, quotes+48(FP)
	VZEROUPPER
	RET
