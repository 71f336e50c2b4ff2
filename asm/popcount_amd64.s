//go:build !purego

#include "textflag.h"

// Set bits of each nibble.
DATA nibbleBits<>+0(SB)/8, $0x0302020102010100
DATA nibbleBits<>+8(SB)/8, $0x0403030203020201
GLOBL nibbleBits<>(SB), RODATA|NOPTR, $16

// BYTECOUNTS leaves the set bits of each byte of the 32 at off(SI) in out.
#define BYTECOUNTS(off, out, tmp) \
	VMOVDQU off(SI), tmp       \
	VPAND   Y15, tmp, out      \
	VPSRLW  $4, tmp, tmp       \
	VPAND   Y15, tmp, tmp      \
	VPSHUFB out, Y14, out      \
	VPSHUFB tmp, Y14, tmp      \
	VPADDB  tmp, out, out

// func PopCountAVX2(words []uint64) int
//
// Returns the number of set bits in words. Requires AVX2 and POPCNT. Nothing outside
// words is read: 128-byte blocks by nibble look-up, the rest by POPCNT.
//
//	SI  cursor                  Y15 0x0f in every byte
//	CX  words left at SI        Y14 set bits of each nibble
//	AX  count of the tail       Y13 zero
//	DX  scratch                 Y12 four 64-bit counts
//	                            Y0-Y7 scratch
//
// A byte of a block's sum is at most 4*8, so VPSADBW may widen once per block.
TEXT ·PopCountAVX2(SB), NOSPLIT, $0-32
	MOVQ           words_base+0(FP), SI
	MOVQ           words_len+8(FP), CX
	MOVL           $0x0f, DX
	VMOVD          DX, X15
	VPBROADCASTB   X15, Y15
	VBROADCASTI128 nibbleBits<>(SB), Y14
	VPXOR          Y13, Y13, Y13
	VPXOR          Y12, Y12, Y12
	CMPQ           CX, $16
	JB             reduce

block:
	BYTECOUNTS(0, Y0, Y1)
	BYTECOUNTS(32, Y2, Y3)
	BYTECOUNTS(64, Y4, Y5)
	BYTECOUNTS(96, Y6, Y7)
	VPADDB  Y2, Y0, Y0
	VPADDB  Y6, Y4, Y4
	VPADDB  Y4, Y0, Y0
	VPSADBW Y13, Y0, Y0
	VPADDQ  Y0, Y12, Y12
	ADDQ    $128, SI
	SUBQ    $16, CX
	CMPQ    CX, $16
	JAE     block

reduce:
	VEXTRACTI128 $1, Y12, X0
	VPADDQ       X0, X12, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, AX

words:
	TESTQ   CX, CX
	JZ      done
	POPCNTQ (SI), DX
	ADDQ    DX, AX
	ADDQ    $8, SI
	DECQ    CX
	JMP     words

done:
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET
