#include "textflag.h"

// A macro that names a wide register through another one, and two that return.
#define CLEAR(r) VPXOR r, r, r
#define WIDE \
	VPXOR Y0, Y0, Y0
#define NESTED(n) \
	ADDQ n, AX; \
	WIDE
#define LEAVE \
	MOVQ AX, ret+8(FP) \
	RET // want vzeroupper
#define FINISH \
	VZEROUPPER \
	RET

// func NoSizes(p *uint64)
//
// No sizes.
TEXT ·NoSizes(SB), NOSPLIT, $0 // want size
	RET

// func ZeroArgs(p *uint64)
//
// Zero arguments.
TEXT ·ZeroArgs(SB), NOSPLIT, $0-0 // want size
	RET

// func Splits(p *uint64)
//
// May split.
TEXT ·Splits(SB), 0, $0-8 // want nosplit
	RET

TEXT ·Silent(SB), NOSPLIT, $0-8 // want comment
	RET

// func Other(p *uint64)
//
// The name of another function.
TEXT ·Apart(SB), NOSPLIT, $0-8 // want comment
	RET

// func Calls(p *uint64)
//
// Calls, and jumps away.
TEXT ·Calls(SB), NOSPLIT, $0-8
	CALL ·NoSizes(SB) // want call
	JMP  ·NoSizes(SB) // want call
	JNE  ·NoSizes(SB) // want call
	RET

// func Raw(p *uint64)
//
// Raw opcodes.
TEXT ·Raw(SB), NOSPLIT, $0-8
	BYTE $0x90 // want opcode
	WORD $0x9090; LONG $0x90909090 // want opcode opcode
here: BYTE $0x90 // want opcode
	RET

// func Frame(p *uint64)
//
// The frame pointer.
TEXT ·Frame(SB), NOSPLIT, $0-8
	MOVQ AX, BP // want register
	POPQ BP // want register
	RET

// func Dirty(p *uint64)
//
// No VZEROUPPER at all.
TEXT ·Dirty(SB), NOSPLIT, $0-8
	VPXOR Y1, Y1, Y1
	RET // want vzeroupper

// func HalfDirty(p *uint64)
//
// One of two returns, and a wide register after VZEROUPPER.
TEXT ·HalfDirty(SB), NOSPLIT, $0-8
	VPXOR Y15, Y15, Y15
	TESTQ AX, AX
	JZ    out
	VZEROUPPER
	RET

#define BETWEEN \
	INCQ AX

out:
	RET // want vzeroupper

// func DirtyAgain(p *uint64)
//
// A wide register after VZEROUPPER.
TEXT ·DirtyAgain(SB), NOSPLIT, $0-8
	VZEROUPPER
	VMOVDQU (SI), Y3
	RET // want vzeroupper

// func JumpedOver(p *uint64)
//
// A label between: the jump to it does not pass VZEROUPPER.
TEXT ·JumpedOver(SB), NOSPLIT, $0-8
	VPXOR Z31, Z31, Z31
	JMP   last
	VZEROUPPER

last:
	RET // want vzeroupper

// func Hidden(p *uint64)
//
// Wide registers inside macros only.
TEXT ·Hidden(SB), NOSPLIT, $0-8
	NESTED($3)
	RET // want vzeroupper

// func Argument(p *uint64)
//
// A wide register as the argument of a macro.
TEXT ·Argument(SB), NOSPLIT, $0-8
	CLEAR(Y9)
	RET // want vzeroupper
