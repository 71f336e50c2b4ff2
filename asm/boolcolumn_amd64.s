//go:build !purego

#include "textflag.h"

// Booleans: ParseBoolsAVX2.
//
// Requires AVX2, BMI2.
//
// Input:       SI b, R8 separator before the next field, R9 stride in bytes, R12 len(b),
//              R13 trim, R14 where b would begin if it ended with tail's bytes.
// State:       R10 index of the record, what -64(SP) and the 63 bytes behind hold for the
//              current 64 records: what each field is.
// Constant:    DI words, R11 hash, R15 slow.
// Scratch:     AX, BX, CX, DX, Y0-Y3.
//
// Invariant: the words before word R10/64 are stored, and the records of the rest are in
// the frame.
//
// A field of at most five bytes is one load of eight, from tail if b has less from there
// on, cut to its length. The table is right for every field, so that only longer ones
// and what leads outside take a branch. There is no tail.

// BITS leaves in OUT bit 7-SHIFT of each of the 64 bytes in Y0 and Y1. Uses BX, Y2, Y3.
#define BITS(SHIFT, OUT) \
	VPSLLW    $SHIFT, Y0, Y2 \
	VPSLLW    $SHIFT, Y1, Y3 \
	VPMOVMSKB Y2, OUT        \
	VPMOVMSKB Y3, BX         \
	SHLQ      $32, BX        \
	ORQ       BX, OUT

// func ParseBoolsAVX2(dst []uint64, n int, null, slow []uint64, b []byte, tail *[96]byte, seps []uint32, stride int, trim uint64, words *[8][2]uint64, hash uint64)
TEXT ·ParseBoolsAVX2(SB), NOSPLIT, $64-168
	MOVQ b_base+80(FP), SI
	MOVQ b_len+88(FP), R12
	MOVQ tail+104(FP), R14
	ADDQ $64, R14
	SUBQ R12, R14
	MOVQ seps_base+112(FP), R8
	MOVQ stride+136(FP), R9
	SHLQ $2, R9
	MOVQ trim+144(FP), R13
	MOVQ words+152(FP), DI
	MOVQ hash+160(FP), R11
	MOVL $2, R15
	XORL R10, R10

field:
	MOVL (R8), CX
	MOVL 4(R8), DX
	ADDQ R9, R8
	INCL CX
	SUBL R13, DX
	MOVL DX, AX
	SUBL CX, AX
	JCS  refuse
	CMPL AX, $5
	JHI  refuse
	CMPQ DX, R12
	JHI  refuse

	// The field's bytes and its length become a word, and that its place.
	LEAQ    8(CX), DX
	LEAQ    (R14)(CX*1), BX
	ADDQ    SI, CX
	CMPQ    DX, R12
	CMOVQHI BX, CX
	MOVL    AX, DX
	SHLL    $3, DX
	BZHIQ   DX, (CX), BX
	SHLQ    $56, AX
	ORQ     BX, AX
	MOVQ    AX, BX
	IMULQ   R11, BX
	SHRQ    $61, BX
	SHLQ    $4, BX
	MOVQ    8(DI)(BX*1), DX
	CMPQ    AX, (DI)(BX*1)
	CMOVQNE R15, DX

store:
	MOVQ  R10, AX
	ANDL  $63, AX
	LEAQ  kinds-64(SP), BX
	MOVB  DX, (BX)(AX*1)
	INCQ  R10
	TESTQ $63, R10
	JEQ   flush
	CMPQ  R10, n+24(FP)
	JB    field

	// Bits past the records are cleared: CX is how many stay, or 64.
flush:
	MOVQ    R10, CX
	ANDL    $63, CX
	MOVL    $64, AX
	CMOVLEQ AX, CX
	VMOVDQU kinds-64(SP), Y0
	VMOVDQU kinds-32(SP), Y1
	LEAQ    -1(R10), DX
	SHRQ    $6, DX
	BITS(7, AX)
	BZHIQ CX, AX, AX
	MOVQ  null_base+32(FP), BX
	MOVQ  AX, (BX)(DX*8)
	BITS(6, AX)
	BZHIQ CX, AX, AX
	MOVQ  slow_base+56(FP), BX
	MOVQ  AX, (BX)(DX*8)
	BITS(5, AX)
	BZHIQ CX, AX, AX
	MOVQ  dst_base+0(FP), BX
	MOVQ  AX, (BX)(DX*8)
	CMPQ  R10, n+24(FP)
	JB    field
	VZEROUPPER
	RET

refuse:
	MOVL $2, DX
	JMP  store
