//go:build !purego

#include "textflag.h"

// Fields placed one after the other: CopyFieldsAVX2.
//
// Requires AVX2, BMI2.
//
// Input:       SI b, DI dst, R8 separator before the next field, R9 stride in bytes, R12
//              room, R13 trim, R15 number of records.
// Output:      R11 null bits of the current 64 records.
// State:       R10 index of the record, R14 where its bytes go.
// Scratch:     AX, BX, CX, DX, Y0.
//
// Invariant: the records before R10 are placed, and the null words before word R10/64
// are stored.
//
// A field is copied by whole registers, at least one, and its last one is overwritten by
// the next field from where it ends. A field that has not as many bytes of b behind its
// start is left to the caller: there is no tail.

// func CopyFieldsAVX2(dst []byte, ends []int32, null []uint64, b []byte, seps []uint32, stride int, trim uint64, from, at, room int) int
TEXT ·CopyFieldsAVX2(SB), NOSPLIT, $0-168
	MOVQ  dst_base+0(FP), DI
	MOVQ  ends_len+32(FP), R15
	MOVQ  b_base+72(FP), SI
	MOVQ  seps_base+96(FP), R8
	MOVQ  stride+120(FP), R9
	SHLQ  $2, R9
	MOVQ  trim+128(FP), R13
	MOVQ  from+136(FP), R10
	MOVQ  at+144(FP), R14
	MOVQ  room+152(FP), R12
	MOVQ  R10, AX
	IMULQ R9, AX
	ADDQ  AX, R8
	MOVQ  R10, AX
	SHRQ  $6, AX
	MOVQ  null_base+48(FP), BX
	MOVQ  (BX)(AX*8), R11

field:
	MOVL    (R8), CX
	MOVL    4(R8), DX
	INCL    CX
	SUBL    R13, DX
	SUBQ    CX, DX
	JCS     out
	LEAQ    32(DX), AX
	ANDQ    $-32, AX
	ADDQ    CX, AX
	CMPQ    AX, b_len+80(FP)
	JHI     out
	LEAQ    (R14)(DX*1), BX
	CMPQ    BX, R12
	JGT     out
	ADDQ    SI, CX
	VMOVDQU (CX), Y0
	VMOVDQU Y0, (DI)(R14*1)
	CMPQ    DX, $32
	JHI     long

placed:
	MOVQ  BX, R14
	XORL  AX, AX
	TESTQ DX, DX
	SETEQ AX
	SHLXQ R10, AX, AX
	ORQ   AX, R11
	MOVQ  ends_base+24(FP), CX
	MOVL  BX, (CX)(R10*4)
	ADDQ  R9, R8
	INCQ  R10
	TESTQ $63, R10
	JEQ   flush

more:
	CMPQ R10, R15
	JB   field

out:
	TESTQ $63, R10
	JEQ   done
	MOVQ  R10, AX
	SHRQ  $6, AX
	MOVQ  null_base+48(FP), BX
	MOVQ  R11, (BX)(AX*8)

done:
	MOVQ R10, ret+160(FP)
	VZEROUPPER
	RET

	// The bits of the next word are those of records that are not placed: zero.
flush:
	LEAQ -1(R10), AX
	SHRQ $6, AX
	MOVQ null_base+48(FP), BX
	MOVQ R11, (BX)(AX*8)
	XORL R11, R11
	JMP  more

	// The second register and the following.
long:
	ADDQ DI, R14
	MOVL $32, AX

block:
	VMOVDQU (CX)(AX*1), Y0
	VMOVDQU Y0, (R14)(AX*1)
	ADDQ    $32, AX
	CMPQ    AX, DX
	JB      block
	JMP     placed
