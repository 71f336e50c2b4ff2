#include "textflag.h"

DATA table<>+0(SB)/8, $0x0102030405060708
GLOBL table<>(SB), RODATA|NOPTR, $8

#define ADD4(off, sum) \
	VPADDQ off(SI), sum, sum \ // CALL, BP and RET are words here
	ADDQ   $32, SI

// func Wide(p *uint64) uint64
//
// Every return is clean; storing the result may come on either side, and a macro may
// stand between comment and function.

#define STORE \
	MOVQ AX, ret+8(FP)

TEXT ·Wide(SB), NOSPLIT, $0-16
	MOVQ    p+0(FP), SI
	VMOVDQU table<>(SB), Y0
	ADD4(0, Y0)
	JZ      zero

loop:
	DECQ CX
	JNZ  loop
	VZEROUPPER
	STORE
	RET

zero:
	MOVQ $0, ret+8(FP)
	VZEROUPPER; RET

// func Narrow(p *uint64) uint64
//
// X registers need no VZEROUPPER.
TEXT ·Narrow(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ  p+0(FP), SI
	MOVOU (SI), X15
	MOVQ  X15, AX
	MOVQ  AX, ret+8(FP)
	RET
