package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// place returns a box of a region as strided memory. ok is false if the box has lists. The result
// is valid until the next call.
func (s *Scratch) place(m Memory, b grid.Box, size int) (box codec.Strided, ok bool) {
	if b.Pairs != nil {
		return box, false
	}
	box = codec.Strided{Block: m.Block, Size: size, Axes: slices.Grow(s.steps[:0], len(b.Parts))[:len(b.Parts)]}
	s.steps = box.Axes
	stride := size
	for i := len(b.Parts) - 1; i >= 0; i-- {
		p := &b.Parts[i]
		if p.At != nil {
			return box, false
		}
		box.Axes[i] = codec.Step{N: p.N, Off: p.Off, Each: p.Step, Stride: stride}
		box.At += p.Out * stride
		stride *= m.Shape[i]
	}
	return box, true
}
