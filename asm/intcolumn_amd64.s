//go:build !purego

#include "textflag.h"

// Integer columns from a structural index: ParseInt64ColumnAVX2, ParseInt32ColumnAVX2,
// ParseInt16ColumnAVX2. They differ in the digits they take, the range they check and
// the width they store.
//
// Requires AVX2, BMI2.
//
// Input:       SI b, DI next value of dst, R8 separator before the next field, R9
//              stride in bytes.
// Output:      R11 null bits and R12 slow bits of the current 64 values.
// State:       R10 index of the value.
// Constant:    R13 digitMask, X4 '0', X5 nine, X6-X8 weights.
// Scratch:     AX, BX, CX, DX, R14, R15, X0, X1.
//
// Invariant: the values before index R10 are stored, and so are the null and slow words
// before word R10/64; R11 and R12 hold the bits of the rest.
//
// A field is read by its end: the 16 bytes before it are loaded, what is not a digit of
// the field is cleared, and a cleared byte is a leading zero. A field that ends in the
// first 32 bytes of b is read from head, which has room before it. Every field is
// checked against its own length and the end of b before it is read, so no content of
// seps leads outside: there is no tail.
//
// The way of a null and of a sign is without a branch; only what becomes slow, and an
// int64 of 17 or 18 digits, branches off.

// digitMask+n has ff in the last n of its 16 bytes.
DATA digitMask<>+0(SB)/8, $0
DATA digitMask<>+8(SB)/8, $0
DATA digitMask<>+16(SB)/8, $0xffffffffffffffff
DATA digitMask<>+24(SB)/8, $0xffffffffffffffff
GLOBL digitMask<>(SB), RODATA|NOPTR, $32

DATA zeros<>+0(SB)/8, $0x3030303030303030
DATA zeros<>+8(SB)/8, $0x3030303030303030
GLOBL zeros<>(SB), RODATA|NOPTR, $16

DATA nines<>+0(SB)/8, $0x0909090909090909
DATA nines<>+8(SB)/8, $0x0909090909090909
GLOBL nines<>(SB), RODATA|NOPTR, $16

// Weights of two digits, of two pairs, of two groups of four.
DATA weights1<>+0(SB)/8, $0x010a010a010a010a
DATA weights1<>+8(SB)/8, $0x010a010a010a010a
GLOBL weights1<>(SB), RODATA|NOPTR, $16

DATA weights2<>+0(SB)/8, $0x0001006400010064
DATA weights2<>+8(SB)/8, $0x0001006400010064
GLOBL weights2<>(SB), RODATA|NOPTR, $16

DATA weights4<>+0(SB)/8, $0x0001271000012710
DATA weights4<>+8(SB)/8, $0x0001271000012710
GLOBL weights4<>(SB), RODATA|NOPTR, $16

#define START \
	MOVQ    dst_base+0(FP), DI       \
	MOVQ    b_base+72(FP), SI        \
	MOVQ    seps_base+104(FP), R8    \
	MOVQ    stride+128(FP), R9       \
	SHLQ    $2, R9                   \
	XORL    R10, R10                 \
	XORL    R11, R11                 \
	XORL    R12, R12                 \
	LEAQ    digitMask<>(SB), R13     \
	VMOVDQU zeros<>(SB), X4          \
	VMOVDQU nines<>(SB), X5          \
	VMOVDQU weights1<>(SB), X6       \
	VMOVDQU weights2<>(SB), X7       \
	VMOVDQU weights4<>(SB), X8

// BOUNDS leaves in CX the start of the field, in DX its end, in AX its length and in R14
// the address of b, and goes to reject if the field is longer than MAX or ends outside b.
#define BOUNDS(MAX) \
	MOVL (R8), CX             \
	MOVL 4(R8), DX            \
	ADDQ R9, R8               \
	INCL CX                   \
	SUBL trim+136(FP), DX     \
	MOVL DX, AX               \
	SUBL CX, AX               \
	CMPL AX, $MAX             \
	JHI  reject               \
	CMPQ DX, b_len+80(FP)     \
	JHI  reject               \
	MOVQ SI, R14

// HEAD sends a field that ends in the first 32 bytes to head. Only here can its start lie
// behind its end, wrapped around by less than its length; it then begins with a zero of
// the room before b, which is neither a sign nor a digit.
#define HEAD \
	MOVQ head+96(FP), R14 \
	ADDQ $32, R14

// SIGN leaves in R14 the address of the field's end, in AX the number of its digits, in
// DX 1 if it starts with '-', else 0, and sets its null bit if it is empty. The byte it
// looks at in an empty field is the one before, which it takes for no sign. It goes to
// reject if there is a sign alone.
#define SIGN \
	ADDQ    DX, R14             \
	XORL    CX, CX              \
	XORL    R15, R15            \
	TESTL   AX, AX              \
	SETEQ   CX                  \
	LEAQ    (AX)(CX*1), DX      \
	NEGQ    DX                  \
	MOVBLZX (R14)(DX*1), DX     \
	SUBL    $0x2b, DX           \
	MOVL    DX, BX              \
	ANDL    $~2, BX             \
	ORL     CX, BX              \
	SETEQ   R15                 \
	SHRL    $1, DX              \
	ANDL    R15, DX             \
	SUBL    R15, AX             \
	MOVL    AX, BX              \
	ORL     CX, BX              \
	JEQ     reject              \
	SHLXQ   R10, CX, CX         \
	ORQ     CX, R11

// DIGITS checks the 16 digits in X0 and leaves in AX the first eight of them, as a
// number, in the low half and the last eight in the high half.
#define DIGITS \
	VPSUBUSB   X5, X0, X1       \
	VPTEST     X1, X1           \
	JNE        reject           \
	VPMADDUBSW X6, X0, X0       \
	VPMADDWD   X7, X0, X0       \
	VPACKUSDW  X0, X0, X0       \
	VPMADDWD   X8, X0, X0       \
	VMOVQ      X0, AX

// JOIN leaves in AX the 16 digits as one number. Scratch: BX.
#define JOIN \
	MOVL  AX, BX              \
	SHRQ  $32, AX             \
	IMULQ $100000000, BX      \
	ADDQ  BX, AX

// NEGATE negates AX if DX is 1. Scratch: BX.
#define NEGATE \
	MOVQ DX, BX \
	NEGQ BX     \
	XORQ BX, AX \
	ADDQ DX, AX

// NEXT goes to field for the next value, storing the words that are full.
#define NEXT \
	INCQ  R10                     \
	TESTQ $63, R10                \
	JEQ   flush                   \
	CMPQ  R10, dst_len+8(FP)      \
	JB    field                   \
flush:                            \
	LEAQ  -1(R10), AX             \
	SHRQ  $6, AX                  \
	MOVQ  null_base+24(FP), BX    \
	MOVQ  R11, (BX)(AX*8)         \
	MOVQ  slow_base+48(FP), BX    \
	MOVQ  R12, (BX)(AX*8)         \
	XORL  R11, R11                \
	XORL  R12, R12                \
	CMPQ  R10, dst_len+8(FP)      \
	JB    field                   \
	VZEROUPPER                    \
	RET

// func ParseInt64ColumnAVX2(dst []int64, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseInt64ColumnAVX2(SB), NOSPLIT, $0-144
	START

field:
	BOUNDS(19)
	CMPQ DX, $32
	JB   near

far:
	SIGN
	CMPL    AX, $16
	JHI     wide
	VMOVDQU -16(R14), X0
	VPSUBB  X4, X0, X0
	VPAND   (R13)(AX*1), X0, X0
	DIGITS
	JOIN

signed:
	NEGATE
	MOVQ AX, (DI)

next:
	ADDQ $8, DI
	NEXT

near:
	HEAD
	JMP far

	// Digits 17 and 18 from the right, as R15, one by one.
wide:
	VMOVDQU -16(R14), X0
	VPSUBB  X4, X0, X0
	MOVBLZX -17(R14), R15
	SUBL    $0x30, R15
	CMPL    R15, $9
	JHI     reject
	CMPL    AX, $18
	JHI     reject
	JB      seventeen
	MOVBLZX -18(R14), CX
	SUBL    $0x30, CX
	CMPL    CX, $9
	JHI     reject
	LEAL    (CX)(CX*4), CX
	LEAL    (R15)(CX*2), R15

seventeen:
	DIGITS
	JOIN
	MOVQ  $10000000000000000, BX
	IMULQ BX, R15
	ADDQ  R15, AX
	JMP   signed

reject:
	MOVQ $0, (DI)
	BTSQ R10, R12
	JMP  next

// func ParseInt32ColumnAVX2(dst []int32, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseInt32ColumnAVX2(SB), NOSPLIT, $0-144
	START

field:
	BOUNDS(11)
	CMPQ DX, $32
	JB   near

far:
	SIGN
	CMPL    AX, $10
	JHI     reject
	VMOVDQU -16(R14), X0
	VPSUBB  X4, X0, X0
	VPAND   (R13)(AX*1), X0, X0
	DIGITS
	JOIN
	NEGATE
	MOVLQSX AX, BX
	CMPQ    BX, AX
	JNE     reject
	MOVL    AX, (DI)

next:
	ADDQ $4, DI
	NEXT

near:
	HEAD
	JMP far

reject:
	MOVL $0, (DI)
	BTSQ R10, R12
	JMP  next

// func ParseInt16ColumnAVX2(dst []int16, null, slow []uint64, b []byte, head *[64]byte, seps []uint32, stride int, trim uint64)
TEXT ·ParseInt16ColumnAVX2(SB), NOSPLIT, $0-144
	START

field:
	BOUNDS(6)
	CMPQ DX, $32
	JB   near

far:
	SIGN
	CMPL    AX, $5
	JHI     reject
	VMOVDQU -16(R14), X0
	VPSUBB  X4, X0, X0
	VPAND   (R13)(AX*1), X0, X0
	DIGITS
	SHRQ    $32, AX
	NEGATE
	MOVWQSX AX, BX
	CMPQ    BX, AX
	JNE     reject
	MOVW    AX, (DI)

next:
	ADDQ $2, DI
	NEXT

near:
	HEAD
	JMP far

reject:
	MOVW $0, (DI)
	BTSQ R10, R12
	JMP  next
