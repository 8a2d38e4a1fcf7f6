package pipeline

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Options bound the memory of chunks and decide which chunks are stored.
type Options struct {
	ChunkLimit int64 // maximum bytes of a decoded chunk that is in memory in addition to the region
	IndexLimit int64 // maximum bytes of the index of a shard
	StoreFill  bool  // chunks that are all fill value are stored, so Encode never reports fill

	varies bool // elements vary in length
}

// Pipeline binds the codecs of an array to each shape of the chunks in its grid.
type Pipeline struct {
	table   *codec.Table
	specs   []codec.Spec
	axes    []grid.Axis
	typ     dtype.Type
	fill    filler
	options Options
	field   *field    // set in a pipeline for one field of structures
	items   *Items    // set in a pipeline for the varying-length elements of one call
	of      *Pipeline // if items is set, the pipeline that binds the codecs
	largest *Chunk
	even    bool // all chunks have the same shape

	mu      sync.Mutex
	byShape map[string]*Chunk // chunks by shape, if even is false
}

// maxShapes is the number of shapes that are cached, each with some 2 KB of bound codecs. A grid
// whose chunks are months has only four shapes. If a grid has more than maxShapes shapes, the
// codecs are bound again for some chunks, which takes microseconds.
const maxShapes = 256

// New binds codecs to the chunks of a grid: to their common shape, or to the shape of the largest
// chunk. The Repr in describes the elements; its shape is ignored. If codecs can be bound to the
// largest shape and to the common divisor of all shapes, they can be bound to each shape: other
// shapes do not need more memory, and inner chunks divide them. Errors are those of
// [codec.Table.Chain]. If one codec is wrong, the error contains a *codec.ChainError.
func New(t *codec.Table, specs []codec.Spec, in codec.Repr, axes []grid.Axis, o Options) (*Pipeline, error) {
	p := &Pipeline{table: t, specs: specs, axes: axes, typ: in.Type, fill: filler{defined: in.Fill, one: in.Fill}, options: o}
	p.options.varies = in.Type.Size() == 0
	if in.Fill == nil {
		p.fill.one = in.Type.DefaultFill()
	}
	return p, p.bindAll()
}

// bindAll binds the codecs to the largest chunk, after a trial with the common divisor of all
// shapes.
func (p *Pipeline) bindAll() (err error) {
	shape := grid.Shape(p.axes)
	if p.even = shape != nil; !p.even {
		shape = make([]int, len(p.axes))
		for i, axis := range p.axes {
			shape[i] = axis.Divisor()
		}
		if _, err := p.bind(shape); err != nil {
			return err
		}
		shape = Largest(p.axes)
	}
	p.largest, err = p.bind(shape)
	return err
}

// Largest returns the shape of the largest chunk of a grid.
func Largest(axes []grid.Axis) []int {
	s := make([]int, len(axes))
	for i, a := range axes {
		s[i] = a.Longest()
	}
	return s
}

// Largest returns the chunk that takes the most memory. If all chunks have one shape, it is the
// chunk of that shape. If the chunk is a shard, the length of its index is not checked against
// Options.IndexLimit; see [Pipeline.For].
func (p *Pipeline) Largest() *Chunk { return p.largest }

// Even reports whether all chunks have one shape.
func (p *Pipeline) Even() bool { return p.even }

// Axes returns the division of the array into chunks. The caller must not modify the shared slice.
func (p *Pipeline) Axes() []grid.Axis { return p.axes }

// Type returns the data type of the elements.
func (p *Pipeline) Type() dtype.Type { return p.typ }

// Fill returns the value of the elements of missing chunks: the fill value or, if the fill value is
// undefined, the default of the data type. The caller must not modify the shared slice.
func (p *Pipeline) Fill() []byte { return p.fill.one }

// Specs returns a copy of the codecs that were passed to New. For a field, these are the codecs of
// the array of structures.
func (p *Pipeline) Specs() []codec.Spec {
	if p.field != nil {
		return p.field.of.Specs()
	}
	return slices.Clone(p.specs)
}

// For returns the chunk of a shape. The shape must be that of some chunk of the grid (see
// [grid.ShapeOf]). If the chunk is a shard whose index is longer than Options.IndexLimit, For
// returns fault.Limit.
func (p *Pipeline) For(shape []int) (*Chunk, error) {
	c, err := p.bound(shape)
	if err != nil {
		return nil, err
	}
	if n := c.Chain.IndexBytes(); n > p.options.IndexLimit {
		return nil, fault.Newf(fault.Limit, "the index of a shard has %d bytes, more than the %d that ChunkLimit allows", n, p.options.IndexLimit)
	}
	return c, nil
}

// bound returns the chunk of a shape and binds it if necessary.
func (p *Pipeline) bound(shape []int) (*Chunk, error) {
	if p.even {
		return p.largest, nil
	}
	key := make([]byte, 0, 64)
	for _, n := range shape {
		key = binary.AppendUvarint(key, uint64(n))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.byShape[string(key)]; ok {
		return c, nil
	}
	c, err := p.bindOrShare(shape)
	if err != nil {
		return nil, err
	}
	if p.byShape == nil || len(p.byShape) == maxShapes {
		p.byShape = map[string]*Chunk{}
	}
	p.byShape[string(key)] = c
	return c, nil
}

// bindOrShare binds the codecs to chunks of one shape, or uses the codecs that p.of has bound.
func (p *Pipeline) bindOrShare(shape []int) (*Chunk, error) {
	if p.items == nil {
		return p.bind(shape)
	}
	c, err := p.of.bound(shape)
	if err != nil {
		return nil, err
	}
	return c.with(p.items), nil
}

// bind binds the codecs to chunks of one shape.
func (p *Pipeline) bind(shape []int) (*Chunk, error) {
	in := codec.Repr{Shape: shape, Type: p.typ, Fill: p.fill.defined}
	memory := in
	if p.typ.Size() == 0 {
		in.Most, memory.Type = p.options.ChunkLimit, dtype.Uint64 // memory has numbers
	}
	n, err := memory.Bytes()
	if err != nil {
		return nil, err
	}
	chain, err := p.table.Chain(p.specs, in)
	if err != nil {
		return nil, err
	}
	c := newChunk(p, shape, n, chain)
	if p.field != nil {
		of, err := p.field.of.bound(shape[:len(shape)-len(p.field.Shape())])
		if err != nil {
			return nil, err
		}
		c.within(p.field.Field, of)
	}
	return c, nil
}
