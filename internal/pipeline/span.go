package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Span is which of the stored bytes of the chunk a box lies in: n of them from off on. ok is false
// where that is not known, because the bytes are not the elements, or lists say what is selected;
// and where more than Options.ChunkLimit would be held for a few of them.
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

// spanOfPairs is Span of elements one by one, where they are stored in C order.
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

// DecodeSpan sets a box of dst to what it selects of the chunk, of whose stored form src has the
// bytes that Span says. src may be what was received where SpanRoom said, and may be changed.
// Errors are those of [codec.Chain.DecodeSpan].
func (c *Chunk) DecodeSpan(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	if b.Pairs != nil {
		return c.decodePairs(dst, b.Pairs, src)
	}
	box, ok := s.place(dst, b, c.Size)
	if !ok {
		return fault.Newf(fault.Selection, "a range of the bytes of a chunk of which lists say what is selected")
	}
	return c.Chain.DecodeSpan(box, src, s.of(c))
}

// decodePairs is DecodeSpan of elements one by one.
func (c *Chunk) decodePairs(dst Memory, pairs []grid.Pair, src []byte) error {
	off, n, ok := c.spanOfPairs(pairs)
	if !ok || int64(len(src)) != n {
		return fault.Newf(fault.Corrupt, "%d bytes, the points have %d", len(src), n)
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

// SpanRoom is [Chunk.Room] for the stored bytes that Span says: nil unless they are the elements of
// the box in C order, which lie in dst without gaps.
func (c *Chunk) SpanRoom(dst Memory, b grid.Box) (direct []byte) {
	off, ok := b.Contiguous(dst.Shape) // not points
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
