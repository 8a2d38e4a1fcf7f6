package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Span returns the range of the stored bytes that contains the elements of a box: n bytes at off.
// ok is false in three cases: the stored bytes are not the elements, the box has lists, or only
// some bytes of a range longer than Options.ChunkLimit are selected.
func (c *Chunk) Span(b grid.Box) (off, n int64, ok bool) {
	if !c.spans || c.listed(b) {
		return 0, 0, false
	}
	if b.Pairs != nil {
		return c.spanOfPairs(b.Pairs)
	}
	var room [8]codec.Step
	axes := slices.Grow(room[:0], len(b.Parts))[:len(b.Parts)]
	for i := range b.Parts {
		p := &b.Parts[i]
		axes[i] = codec.Step{N: p.N, Off: p.Off, Each: p.Step}
	}
	off, n, ok = c.Chain.Span(codec.Strided{Size: c.Size, Axes: axes})
	return off, n, ok && (n <= c.options.ChunkLimit || n == int64(b.Len())*int64(c.Size))
}

// spanOfPairs is Span for single elements that are stored in C order.
func (c *Chunk) spanOfPairs(pairs []grid.Pair) (off, n int64, ok bool) {
	if len(pairs) == 0 || !c.Chain.InMemory() {
		return 0, 0, false
	}
	lo, hi := pairs[0].Off, pairs[0].Off
	for _, p := range pairs[1:] {
		lo, hi = min(lo, p.Off), max(hi, p.Off)
	}
	size := int64(c.Size)
	n = int64(hi-lo+1) * size
	return int64(lo) * size, n, n <= c.options.ChunkLimit
}

// DecodeSpan sets a box of dst to the elements that the box selects. src is the range of the stored
// form that Span returned. It may have been received in the memory that SpanRoom returned, and may
// be modified. Errors are those of [codec.Chain.DecodeSpan].
func (c *Chunk) DecodeSpan(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	if b.Pairs != nil {
		return c.decodePairs(dst, b.Pairs, src)
	}
	if dst.Use != nil {
		return c.use(dst, b, s, func(m Memory, b grid.Box) error { return c.DecodeSpan(m, b, src, s) })
	}
	box, ok := s.place(dst, b, c.Size)
	if !ok {
		return fault.Newf(fault.Selection, "a range of a chunk cannot be decoded for a selection with lists")
	}
	return c.Chain.DecodeSpan(box, src, s.of(c))
}

// decodePairs is DecodeSpan for single elements.
func (c *Chunk) decodePairs(dst Memory, pairs []grid.Pair, src []byte) error {
	off, n, ok := c.spanOfPairs(pairs)
	if !ok || int64(len(src)) != n {
		return fault.Newf(fault.Corrupt, "range has %d bytes, want %d for the points", len(src), n)
	}
	if err := c.Chain.DecodeElements(src); err != nil {
		return err
	}
	for _, p := range pairs {
		at := p.Off*c.Size - int(off)
		copy(dst.Bytes[p.To*c.Size:(p.To+1)*c.Size], src[at:at+c.Size])
	}
	return nil
}

// SpanRoom is [Chunk.Room] for the range that Span returns. If the range is not exactly the
// elements of the box, in C order and without gaps in dst, it returns nil.
func (c *Chunk) SpanRoom(dst Memory, b grid.Box) (direct []byte) {
	off, ok := b.Contiguous(dst.Shape) // false for points
	if !ok || dst.Bytes == nil || !c.Chain.InMemory() {
		return nil
	}
	bytes := b.Len() * c.Size
	if _, n, ok := c.Span(b); !ok || n != int64(bytes) {
		return nil
	}
	for i := range b.Parts {
		if p := &b.Parts[i]; p.N > 1 && p.Step != 1 {
			return nil
		}
	}
	off *= c.Size
	return dst.Bytes[off : off : off+bytes]
}
