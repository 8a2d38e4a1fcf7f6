//go:build !amd64 || purego

package lz4fast

import "github.com/pierrec/lz4/v4"

// Encoder holds the tables of an encoder.
type Encoder struct{ c lz4.CompressorCCompat }

// Encode writes src as a block to dst and returns its length. It returns 0 if the block does not
// fit. In that case dst is undefined. A higher acceleration skips more positions of data without
// matches. It is clamped to 1 … 65537.
func (e *Encoder) Encode(dst, src []byte, acceleration int) int {
	e.c.Acceleration = acceleration
	n, _ := e.c.CompressBlock(src, dst) // it never returns an error
	return n
}
