package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// field is one field of the structures of another pipeline.
type field struct {
	*codec.Field
	of *Pipeline
}

// Field gives the pipeline to one field of an array of structures: the values of the field are read
// through the codecs of the structures, and laid over whole structures when they are written. Its
// chunks have the axes of the field after those of the array, which are never cut.
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

// field is the fill value of the field's values in a structure.
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

// within makes c, and what is within it, chunks of a field's values in chunks of structures.
func (c *Chunk) within(f *codec.Field, of *Chunk) {
	c.field, c.of = f, of
	if c.Inner != nil {
		c.Inner.within(f, of.Inner)
	}
}

// gatherField lays values over structures.
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

// Stored is the position of a chunk in the grid of the array that is stored: without the axes of a
// field.
func (p *Pipeline) Stored(coord []int) []int {
	if p.field != nil {
		return coord[:len(p.field.of.axes)]
	}
	return coord
}

// OfField reports that chunks are those of one field of structures: what is written of one leaves
// the other fields as they are.
func (p *Pipeline) OfField() bool { return p.field != nil }
