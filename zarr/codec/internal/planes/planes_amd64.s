//go:build !purego

#include "textflag.h"

// A group is 16 elements. PUNPCKLBW and PUNPCKHBW interleave the bytes of two registers: over all registers of a group that is one
// step of a perfect shuffle, which rotates the bits of a byte's position by one. Elements of 2, 4 and 8 bytes are joined by 1, 2 and 3
// steps, and split by 4.

#define WEAVE(a, b, lo, hi) \
	MOVO      a, lo \
	MOVO      a, hi \
	PUNPCKLBW b, lo \
	PUNPCKHBW b, hi

#define WEAVE4(a, b, c, d, w, x, y, z) \
	WEAVE(a, c, w, x) \
	WEAVE(b, d, y, z)

#define WEAVE8_UP \
	WEAVE(X0, X4, X8, X9) \
	WEAVE(X1, X5, X10, X11) \
	WEAVE(X2, X6, X12, X13) \
	WEAVE(X3, X7, X14, X15)

#define WEAVE8_DOWN \
	WEAVE(X8, X12, X0, X1) \
	WEAVE(X9, X13, X2, X3) \
	WEAVE(X10, X14, X4, X5) \
	WEAVE(X11, X15, X6, X7)

#define ARGS \
	MOVQ dst+0(FP), DI \
	MOVQ src+8(FP), SI \
	MOVQ stride+16(FP), R8 \
	MOVQ groups+24(FP), CX \
	LEAQ (R8)(R8*2), R9

// func joinGroups2(dst, src *byte, stride, groups int)
TEXT ·joinGroups2(SB), NOSPLIT, $0-32
	ARGS
join2:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	WEAVE(X0, X1, X2, X3)
	MOVOU X2, (DI)
	MOVOU X3, 16(DI)
	ADDQ  $16, SI
	ADDQ  $32, DI
	DECQ  CX
	JNZ   join2
	RET

// func joinGroups4(dst, src *byte, stride, groups int)
TEXT ·joinGroups4(SB), NOSPLIT, $0-32
	ARGS
join4:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	MOVOU (SI)(R8*2), X2
	MOVOU (SI)(R9*1), X3
	WEAVE4(X0, X1, X2, X3, X4, X5, X6, X7)
	WEAVE4(X4, X5, X6, X7, X0, X1, X2, X3)
	MOVOU X0, (DI)
	MOVOU X1, 16(DI)
	MOVOU X2, 32(DI)
	MOVOU X3, 48(DI)
	ADDQ  $16, SI
	ADDQ  $64, DI
	DECQ  CX
	JNZ   join4
	RET

// func joinGroups8(dst, src *byte, stride, groups int)
TEXT ·joinGroups8(SB), NOSPLIT, $0-32
	ARGS
	LEAQ (SI)(R8*4), R10
join8:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	MOVOU (SI)(R8*2), X2
	MOVOU (SI)(R9*1), X3
	MOVOU (R10), X4
	MOVOU (R10)(R8*1), X5
	MOVOU (R10)(R8*2), X6
	MOVOU (R10)(R9*1), X7
	WEAVE8_UP
	WEAVE8_DOWN
	WEAVE8_UP
	MOVOU X8, (DI)
	MOVOU X9, 16(DI)
	MOVOU X10, 32(DI)
	MOVOU X11, 48(DI)
	MOVOU X12, 64(DI)
	MOVOU X13, 80(DI)
	MOVOU X14, 96(DI)
	MOVOU X15, 112(DI)
	ADDQ  $16, SI
	ADDQ  $16, R10
	ADDQ  $128, DI
	DECQ  CX
	JNZ   join8
	RET

// func splitGroups2(dst, src *byte, stride, groups int)
TEXT ·splitGroups2(SB), NOSPLIT, $0-32
	ARGS
split2:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	WEAVE(X0, X1, X2, X3)
	WEAVE(X2, X3, X0, X1)
	WEAVE(X0, X1, X2, X3)
	WEAVE(X2, X3, X0, X1)
	MOVOU X0, (DI)
	MOVOU X1, (DI)(R8*1)
	ADDQ  $32, SI
	ADDQ  $16, DI
	DECQ  CX
	JNZ   split2
	RET

// func splitGroups4(dst, src *byte, stride, groups int)
TEXT ·splitGroups4(SB), NOSPLIT, $0-32
	ARGS
split4:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	WEAVE4(X0, X1, X2, X3, X4, X5, X6, X7)
	WEAVE4(X4, X5, X6, X7, X0, X1, X2, X3)
	WEAVE4(X0, X1, X2, X3, X4, X5, X6, X7)
	WEAVE4(X4, X5, X6, X7, X0, X1, X2, X3)
	MOVOU X0, (DI)
	MOVOU X1, (DI)(R8*1)
	MOVOU X2, (DI)(R8*2)
	MOVOU X3, (DI)(R9*1)
	ADDQ  $64, SI
	ADDQ  $16, DI
	DECQ  CX
	JNZ   split4
	RET

// func splitGroups8(dst, src *byte, stride, groups int)
TEXT ·splitGroups8(SB), NOSPLIT, $0-32
	ARGS
	LEAQ (DI)(R8*4), R10
split8:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU 64(SI), X4
	MOVOU 80(SI), X5
	MOVOU 96(SI), X6
	MOVOU 112(SI), X7
	WEAVE8_UP
	WEAVE8_DOWN
	WEAVE8_UP
	WEAVE8_DOWN
	MOVOU X0, (DI)
	MOVOU X1, (DI)(R8*1)
	MOVOU X2, (DI)(R8*2)
	MOVOU X3, (DI)(R9*1)
	MOVOU X4, (R10)
	MOVOU X5, (R10)(R8*1)
	MOVOU X6, (R10)(R8*2)
	MOVOU X7, (R10)(R9*1)
	ADDQ  $128, SI
	ADDQ  $16, DI
	ADDQ  $16, R10
	DECQ  CX
	JNZ   split8
	RET
