package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Span is which of the stored bytes of the chunk a box lies in: n of them from off on. ok is false where that is not known, because the
// bytes are not the elements, or lists say what is selected; and where more than Options.ChunkLimit would be held for a few of them.
func (c *Chunk) Span(b grid.Box) (off, n int64, ok bool) {
	if !c.spans || b.Pairs != nil || c.listed(b) {
		return 0, 0, false
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

// DecodeSpan sets a box of dst to what it selects of the chunk, of whose stored form src has the bytes that Span says. src may be what was
// received where SpanRoom said. Errors are those of [codec.Chain.DecodeSpan].
func (c *Chunk) DecodeSpan(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	box, ok := s.place(dst, b, c.Size)
	if !ok {
		return fault.Newf(fault.Selection, "a range of the bytes of a chunk of which lists say what is selected")
	}
	return c.Chain.DecodeSpan(box, src, s.of(c))
}

// SpanRoom is [Chunk.Room] for the stored bytes that Span says: nil unless they are the elements of the box in C order, which lie in dst
// without gaps.
func (c *Chunk) SpanRoom(dst Memory, b grid.Box) (direct []byte) {
	off, ok := b.Contiguous(dst.Shape)
	_, n, spans := c.Span(b)
	bytes := b.Len() * c.Size
	if !ok || !spans || n != int64(bytes) || dst.Bytes == nil || !c.Chain.InMemory() {
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
