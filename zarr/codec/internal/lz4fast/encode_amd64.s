//go:build !purego

#include "textflag.h"

// The two functions differ in the hash of a position and in the width of the table's entries. LZ4
// hashes the first 4 or 5 of the 8 bytes x at a position: it shifts the others out, multiplies by a
// prime, and keeps the high bits. HASH multiplies by the shifted prime instead.

#define ENTRY(h, x) MOVWLZX (R11)(h*2), x
#define ENTER(x, h) MOVW x, (R11)(h*2)
#define FACTOR $(2654435761<<32)
#define HASH(x) \
	IMULQ R15, x \
	SHRQ  $51, x

// func sequences16(t *table, src, dst []byte, acceleration, anchor, n, stop int) (next, end int)
TEXT ·sequences16(SB), NOSPLIT, $0-104
#include "sequences_amd64.h"

#undef ENTRY
#undef ENTER
#undef FACTOR
#undef HASH

#define ENTRY(h, x) MOVL (R11)(h*4), x
#define ENTER(x, h) MOVL x, (R11)(h*4)
#define FACTOR $(889523592379<<24)
#define HASH(x) \
	IMULQ R15, x \
	SHRQ  $52, x

// func sequences32(t *table, src, dst []byte, acceleration, anchor, n, stop int) (next, end int)
TEXT ·sequences32(SB), NOSPLIT, $0-104
#include "sequences_amd64.h"
