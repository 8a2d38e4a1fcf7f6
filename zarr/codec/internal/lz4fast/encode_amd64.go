//go:build !purego

package lz4fast

// Encoder holds the table of an encoder, 16 KiB.
type Encoder struct{ table table }

// table has the latest position of each hash: 1<<12 entries of 32 bits, or 1<<13 of 16 bits.
type table [1 << 12]uint32

// sequences16 and sequences32 write the sequences with matches to dst[n:]. The literals start at
// src[anchor]. They return when the search has reached the end of src, or when a match ends at stop
// or later. They return the position after the last match and the length of the output, or -1 if
// the output does not fit in dst.
//
// If anchor is 0, the table must be zero. Otherwise anchor, n and the table must be those after an
// earlier call. stop is at most len(src)-margin+1, and src has more than margin bytes. The entries
// of the table have 16 bits in sequences16, and src has less than smallInput bytes.

//go:noescape
func sequences16(t *table, src, dst []byte, acceleration, anchor, n, stop int) (next, end int)

//go:noescape
func sequences32(t *table, src, dst []byte, acceleration, anchor, n, stop int) (next, end int)

const (
	margin          = 12         // minimum distance of a match from the end, MFLIMIT
	smallInput      = 1<<16 + 11 // LZ4_64Klimit
	maxAcceleration = 1<<16 + 1  // LZ4_ACCELERATION_MAX
	nibble          = 15         // value of a half of the token that is followed by length bytes
)

// turn is the number of bytes that one call of the assembly encodes. Go's scheduler and garbage
// collector wait for such a call. 1 MiB takes about 1 ms.
const turn = 1 << 20

// Encode writes src as a block to dst and returns its length. It returns 0 if the block does not
// fit. In that case dst is undefined. A higher acceleration skips more positions of data without
// matches. It is clamped to 1 … 65537.
func (e *Encoder) Encode(dst, src []byte, acceleration int) int {
	return e.encode(dst, src, acceleration, turn)
}

func (e *Encoder) encode(dst, src []byte, acceleration, turn int) int {
	acceleration = min(max(acceleration, 1), maxAcceleration)
	next, end, limit := 0, 0, len(src)-margin+1
	if limit > 1 {
		clear(e.table[:])
	}
	for stop := 0; next >= stop && next < limit && limit > 1; {
		stop = min(limit, next+turn)
		if len(src) < smallInput {
			next, end = sequences16(&e.table, src, dst, acceleration, next, end, stop)
		} else {
			next, end = sequences32(&e.table, src, dst, acceleration, next, end, stop)
		}
		if end < 0 {
			return 0
		}
	}
	return literals(dst, end, src[next:])
}

// literals writes the last sequence, which has only literals, to dst[n:]. It returns the length of
// the block, or 0 if the sequence does not fit.
func literals(dst []byte, n int, b []byte) int {
	more := (len(b) - nibble + 255) / 255 // number of length bytes; 0 if b is shorter than nibble
	if len(dst)-n-len(b) < 1+more {
		return 0
	}
	dst[n] = byte(min(len(b), nibble) << 4)
	n++
	for k := len(b) - nibble; k >= 0; k -= 255 {
		dst[n] = byte(min(k, 255))
		n++
	}
	return n + copy(dst[n:], b)
}
