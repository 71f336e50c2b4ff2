#include "textflag.h"

// func Calls(p *uint64)
//
// Calls.
TEXT ·Calls(SB), NOSPLIT, $0-8
	BL   ·Other(SB) // want call
	CALL ·Other(SB) // want call
	B    ·Other(SB) // want call
	RET

// func Registers(p *uint64)
//
// Registers that are not ours.
TEXT ·Registers(SB), NOSPLIT, $0-8
	MOVD R0, R29 // want register
	MOVD R18, R0 // want register
	ADD  $8, g // want register
	RET

// func Raw(p *uint64)
//
// Raw opcodes.
TEXT ·Raw(SB), NOSPLIT, $0-8
	WORD $0xd503201f // want opcode
	RET

TEXT ·Silent(SB), $0-8 // want size nosplit comment
	RET
