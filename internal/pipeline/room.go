package pipeline

import (
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// DecodeRoom is how many bytes Decode of a box takes beside dst and the stored form: of [Scratch.Lend] no more.
func (c *Chunk) DecodeRoom(dst Memory, b grid.Box) int64 {
	if _, ok := b.Contiguous(dst.Shape); ok && dst.Bytes != nil && b.Full(c.Shape) {
		return c.scratch - int64(c.Bytes)
	}
	return c.scratch
}

// EncodeRoom is how many bytes Encode of a box takes beside src and the two stored forms, with what the state of encoders takes.
func (c *Chunk) EncodeRoom(src Memory, b grid.Box, old bool) int64 {
	stored := c
	if c.of != nil {
		stored = c.of
	}
	n := stored.encoding
	switch _, ok := b.Contiguous(src.Shape); {
	case c.of != nil:
		n = add(n, add(int64(c.Bytes), stored.scratch))
	case old:
		n = add(n, c.scratch)
	case !ok || !b.Full(c.Shape):
		n = add(n, int64(c.Bytes))
	}
	return n
}

// MostRoom is the most that DecodeRoom and EncodeRoom say of any box.
func (c *Chunk) MostRoom() (decode, encode int64) {
	return c.scratch, c.EncodeRoom(Memory{}, grid.Box{}, true)
}

// rooms measures what the chain takes: scratch for a chunk that is decoded and not where it belongs, the chunk itself included, and
// encoding for one that lies in C order.
func (c *Chunk) rooms() {
	_, c.scratch = c.Chain.Room(codec.Strided{})
	c.scratch = max(c.scratch, int64(c.Bytes))
	c.encoding = c.Chain.EncodeRoom(codec.Whole(codec.Block{}, c.Shape, c.Size))
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
