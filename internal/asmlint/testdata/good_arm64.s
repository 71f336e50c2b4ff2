#include "textflag.h"

// func Narrow(p *uint64) uint64
TEXT ·Narrow(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	VLD1 (R0), [V0.D2]
	VMOV V0.D[0], R1
	CBZ  R1, done
	BLO  done

done:
	MOVD R1, ret+8(FP)
	RET
