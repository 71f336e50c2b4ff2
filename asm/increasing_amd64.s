//go:build !purego

#include "textflag.h"

// func StrictlyIncreasingInt64AVX2(v []int64) bool
//
// Requires AVX2 and len(v) >= 17. A block compares 16 values with their successors, so
// it reads 17 values; the last block is moved back to end at the last value and
// compares some pairs twice. Nothing outside v is read.
//
//	SI  cursor                  Y0-Y3 values at SI+8, then value > predecessor
//	DX  start of the last block AX    lane mask
//
// Invariant: all pairs that end before or at SI are in order.
TEXT ·StrictlyIncreasingInt64AVX2(SB), NOSPLIT, $0-25
	MOVQ v_base+0(FP), SI
	MOVQ v_len+8(FP), CX
	LEAQ -136(SI)(CX*8), DX

block:
	VMOVDQU   8(SI), Y0
	VMOVDQU   40(SI), Y1
	VMOVDQU   72(SI), Y2
	VMOVDQU   104(SI), Y3
	VPCMPGTQ  (SI), Y0, Y0
	VPCMPGTQ  32(SI), Y1, Y1
	VPCMPGTQ  64(SI), Y2, Y2
	VPCMPGTQ  96(SI), Y3, Y3
	VPAND     Y1, Y0, Y0
	VPAND     Y3, Y2, Y2
	VPAND     Y2, Y0, Y0
	VMOVMSKPD Y0, AX
	CMPL      AX, $15
	JNE       no
	CMPQ      SI, DX
	JE        yes
	ADDQ      $128, SI
	CMPQ      SI, DX
	CMOVQHI   DX, SI
	JMP       block

yes:
	MOVB $1, ret+24(FP)
	VZEROUPPER
	RET

no:
	MOVB $0, ret+24(FP)
	VZEROUPPER
	RET

// func StrictlyIncreasingInt32AVX2(v []int32) bool
//
// Requires AVX2 and len(v) >= 33. Blocks of 32 pairs, otherwise as the 64-bit form.
//
//	SI  cursor                  Y0-Y3 values at SI+4, then value > predecessor
//	DX  start of the last block AX    lane mask
TEXT ·StrictlyIncreasingInt32AVX2(SB), NOSPLIT, $0-25
	MOVQ v_base+0(FP), SI
	MOVQ v_len+8(FP), CX
	LEAQ -132(SI)(CX*4), DX

block:
	VMOVDQU   4(SI), Y0
	VMOVDQU   36(SI), Y1
	VMOVDQU   68(SI), Y2
	VMOVDQU   100(SI), Y3
	VPCMPGTD  (SI), Y0, Y0
	VPCMPGTD  32(SI), Y1, Y1
	VPCMPGTD  64(SI), Y2, Y2
	VPCMPGTD  96(SI), Y3, Y3
	VPAND     Y1, Y0, Y0
	VPAND     Y3, Y2, Y2
	VPAND     Y2, Y0, Y0
	VMOVMSKPS Y0, AX
	CMPL      AX, $255
	JNE       no
	CMPQ      SI, DX
	JE        yes
	ADDQ      $128, SI
	CMPQ      SI, DX
	CMOVQHI   DX, SI
	JMP       block

yes:
	MOVB $1, ret+24(FP)
	VZEROUPPER
	RET

no:
	MOVB $0, ret+24(FP)
	VZEROUPPER
	RET
