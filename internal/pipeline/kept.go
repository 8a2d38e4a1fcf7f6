package pipeline

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/internal/grid"
)

// What is kept of a chunk by a cache is all of its elements in C order, or its stored bytes where
// elements vary in length: these become items of the call that reads them, and of no other.

// MayKeep reports that the chunk may be held in memory beside the region.
func (c *Chunk) MayKeep() bool { return c.limit() == nil }

// Kept gives what is to be kept of a chunk whose stored form is src, in memory of its own. Errors
// are as for Decode; where elements vary in length those of the elements are not found yet.
func (c *Chunk) Kept(src []byte, s *Scratch) ([]byte, error) {
	if c.Varies() {
		return append(make([]byte, 0, len(src)), src...), nil
	}
	if err := c.mayHold(src); err != nil {
		return nil, err
	}
	whole := make([]byte, c.Bytes)
	return whole, c.Decode(Memory{Shape: c.Shape}.with(whole), grid.All(c.Shape), src, s)
}

// KeptRoom is how many bytes Kept takes beside the stored form.
func (c *Chunk) KeptRoom() int64 { return add(int64(c.Bytes), c.rooms.placed) }

// Place sets a box of dst to what it selects of the chunk of which Kept gave kept. The elements are
// of one length.
func (c *Chunk) Place(dst Memory, b grid.Box, kept []byte) {
	b.FromChunk(dst.Bytes, kept, dst.Shape, c.Shape, c.Size)
}

func (m Memory) with(b []byte) Memory {
	m.Bytes = b
	return m
}

// Form says how the chunks of the pipeline are decoded: pipelines of one table of codecs that have
// the same make the same elements of the same bytes, in chunks of the same shape. It does not say
// which field of structures it is of.
func (p *Pipeline) Form() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%T %v %d %x %d", p.typ, p.typ, p.typ.Size(), p.fill.one, grid.Shape(p.axes))
	for _, s := range p.specs {
		fmt.Fprintf(&b, "\n%s %s", s.Name, s.Config)
	}
	if p.field != nil {
		b.WriteString("\nof " + p.field.of.Form())
	}
	return b.String()
}
