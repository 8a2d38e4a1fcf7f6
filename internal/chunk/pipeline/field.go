package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// field describes a pipeline for one field of the structures of another pipeline.
type field struct {
	*codec.Field
	of *Pipeline
}

// Field returns the pipeline of one field of an array of structures. To read or write the values of
// the field, whole structures are decoded or encoded. A chunk has the axes of the array, followed
// by the axes of the field. The axes of the field are not divided into chunks.
func (p *Pipeline) Field(f *codec.Field) (*Pipeline, error) {
	v := &Pipeline{
		table:   p.table.With(f.Name, f.Factory),
		specs:   slices.Concat([]codec.Spec{{Name: f.Name}}, p.specs),
		axes:    slices.Concat(p.axes, grid.Even(f.Shape())),
		typ:     f.Type(),
		fill:    p.fill.field(f),
		options: p.options,
		field:   &field{f, p},
	}
	return v, v.bindAll()
}

// field returns the fill value of a field of structures. f is the fill value of the structures.
func (f filler) field(of *codec.Field) filler {
	n := of.Type().Size()
	all := make([]byte, n*product(of.Shape()))
	of.Extract(all, f.one)
	v := filler{one: all[:n], within: of.Shape()}
	if !grid.IsFill(all, v.one) {
		v.all = all
	} else if f.defined != nil {
		v.defined = v.one
	}
	return v
}

// within changes c and its inner chunks to chunks of the values of field f. whole is the chunk of
// the structures that contain the field.
func (c *Chunk) within(f *codec.Field, whole *Chunk) {
	c.field, c.of = f, whole
	if c.Inner != nil {
		c.Inner.within(f, whole.Inner)
	}
}

// gatherField decodes the structures of old, replaces the values of the field, and returns the
// structures.
func (c *Chunk) gatherField(old []byte, src Memory, b grid.Box, s *Scratch) ([]byte, error) {
	whole, err := c.of.before(old, s, true)
	if err != nil {
		return nil, err
	}
	values := s.grown(&s.values, c.Bytes)
	c.field.Extract(values, whole)
	b.ToChunk(values, src.Bytes, src.Shape, c.Shape, c.Size)
	c.field.Insert(whole, values)
	return whole, nil
}

// Stored returns the position of a chunk in the grid of the stored array, without the axes of a
// field.
func (p *Pipeline) Stored(coord []int) []int {
	if p.field != nil {
		return coord[:len(p.field.of.axes)]
	}
	return coord
}

// OfField reports whether the chunks contain the values of one field of structures. A write of such
// chunks leaves the other fields unchanged.
func (p *Pipeline) OfField() bool { return p.field != nil }
