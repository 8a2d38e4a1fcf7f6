package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
)

// Use receives the decoded elements of a box in C order. The box has the given shape and begins at
// the position at of the region. If same is true, elems contains one element, which all elements of
// the box equal. The slices are valid until Use returns, and must not be changed. Several goroutines
// call Use at the same time. If the object of a box is read again, Use is called again.
type Use func(at, shape []int, elems []byte, same bool)

// Discards reports whether decoded elements are neither stored nor used.
func (m Memory) Discards() bool { return m.Bytes == nil && m.Use == nil }

// use decodes a box to scratch memory and passes it to dst.Use. decode sets the box of a Memory.
func (c *Chunk) use(dst Memory, b grid.Box, s *Scratch, decode func(Memory, grid.Box) error) error {
	m, local, at := alone(b)
	m.Bytes = s.grown(&s.used, local.Len()*c.Size)
	if err := decode(m, local); err != nil {
		return err
	}
	dst.Use(at, m.Shape, m.Bytes, false)
	return nil
}

// alone returns a region of the shape of a box without lists, the box in this region, and its
// position in the previous region.
func alone(b grid.Box) (m Memory, local grid.Box, at []int) {
	m.Shape, at = make([]int, len(b.Parts)), make([]int, len(b.Parts))
	local = grid.Box{Coord: b.Coord, Parts: slices.Clone(b.Parts)}
	for i := range local.Parts {
		p := &local.Parts[i]
		m.Shape[i], at[i], p.Out = p.N, p.Out, 0
	}
	return m, local, at
}

// useFill passes a box of the fill value to dst.Use.
func (f *filler) useFill(dst Memory, b grid.Box) {
	m, local, at := alone(b)
	if f.all == nil {
		dst.Use(at, m.Shape, f.one, true)
		return
	}
	m.Bytes = make([]byte, local.Len()*len(f.one))
	f.set(m, local)
	dst.Use(at, m.Shape, m.Bytes, false)
}

// useKept passes a box of a cached chunk to dst.Use.
func (c *Chunk) useKept(dst Memory, b grid.Box, kept []byte) {
	m, local, at := alone(b)
	if m.Bytes = kept; !b.Full(c.Shape) {
		m.Bytes = make([]byte, local.Len()*c.Size)
		local.FromChunk(m.Bytes, kept, m.Shape, c.Shape, c.Size)
	}
	dst.Use(at, m.Shape, m.Bytes, false)
}
