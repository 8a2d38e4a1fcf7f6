package pipeline

import (
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/grid"
)

// A cache stores all elements of a chunk in C order. If elements vary in length, it stores the
// encoded bytes, because decoded elements are Items of a single call.

// MayKeep reports whether the chunk may be held in memory in addition to the region.
func (c *Chunk) MayKeep() bool { return c.limit() == nil }

// Kept returns the bytes to cache for a chunk with stored form src, in new memory. Errors are those
// of Decode. If elements vary in length, errors in the elements are not detected.
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

// KeptRoom returns the number of bytes of memory that Kept takes in addition to the stored form.
func (c *Chunk) KeptRoom() int64 { return add(int64(c.Bytes), c.rooms.placed) }

// Place sets a box of dst to the elements that the box selects. kept is the result of Kept for the
// chunk. The elements must have a fixed length.
func (c *Chunk) Place(dst Memory, b grid.Box, kept []byte) {
	if dst.Use != nil {
		c.useKept(dst, b, kept)
		return
	}
	b.FromChunk(dst.Bytes, kept, dst.Shape, c.Shape, c.Size)
}

func (m Memory) with(b []byte) Memory {
	m.Bytes = b
	return m
}

// Form describes how the chunks of the pipeline are decoded. Two pipelines with the same table of
// codecs and the same Form decode the same bytes to the same elements, in chunks of the same shape.
// Form does not distinguish the fields of structures.
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
