package zarr

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Edges yields where each chunk along an axis begins, and its length as the grid has it, with which the last one may go
// beyond the array. In a sharded array these are the shards. It expands nothing: an axis may have more chunks than memory
// holds. axis is at least 0 and less than the rank.
func (a *Array) Edges(axis int) iter.Seq2[int, int] {
	cut, n := a.axes[axis], a.meta.Shape[axis]
	return func(yield func(int, int) bool) {
		for i := range cut.Count(n) {
			if !yield(cut.Chunk(i)) {
				return
			}
		}
	}
}

// GridShape is the number of chunks along each axis, in a sharded array of shards. The slice is the caller's.
func (a *Array) GridShape() []int {
	n := make([]int, len(a.axes))
	for i, cut := range a.axes {
		n[i] = cut.Count(a.meta.Shape[i])
	}
	return n
}

// Edge is where the i-th chunk along an axis begins, in a sharded array the i-th shard, and its length as [Array.Edges] has
// it. i is at least 0 and less than [Array.GridShape] of the axis.
func (a *Array) Edge(axis, i int) (start, length int) { return a.axes[axis].Chunk(i) }

// ChunkAt finds the chunk that holds element i along an axis, or the shard in a sharded array: its number, for
// [Array.ChunkKey], the element it begins with, and its length as for Edges. i is at least 0 and less than the axis is long.
func (a *Array) ChunkAt(axis, i int) (chunk, start, length int) {
	chunk, length, off := a.axes[axis].Locate(i)
	return chunk, i - off, length
}

// Regular tells whether all chunks, or all shards of a sharded array, have one shape. Only a rectilinear grid may have others.
func (a *Array) Regular() bool { return a.object != nil }

// Sharded tells whether each stored object is a shard with many chunks in it, which are read one by one.
func (a *Array) Sharded() bool { return a.chain.Shards() != nil }

// axesOf is how the grid of an array cuts its axes.
func axesOf(m *meta.Array) []grid.Axis {
	if m.Grid.Edges == nil {
		return grid.Even(m.Grid.Shape)
	}
	axes := make([]grid.Axis, len(m.Grid.Edges))
	for i, e := range m.Grid.Edges {
		if e.Every > 0 {
			axes[i] = grid.Uneven(1, []grid.Run{{Edge: e.Every, Count: 1}})
			continue
		}
		runs := make([]grid.Run, len(e.Runs))
		for k, r := range e.Runs {
			runs[k] = grid.Run(r)
		}
		axes[i] = grid.Uneven(m.Shape[i], runs)
	}
	return axes
}

// longest is the shape of the largest chunk of a grid.
func longest(axes []grid.Axis) []int {
	s := make([]int, len(axes))
	for i, a := range axes {
		s[i] = a.Longest()
	}
	return s
}

// bindAll binds the codecs to what is stored as one object: to the shape that all of them have, or to the largest of them.
// What holds of that and of the shape that divides them all holds of each: no more memory is needed, and inner chunks divide
// them.
func (a *Array) bindAll(specs []codec.Spec) error {
	if a.object != nil {
		a.views = nil
		return a.bind(specs, a.object)
	}
	a.views = &views{}
	divisor := make([]int, len(a.axes))
	for i, axis := range a.axes {
		divisor[i] = axis.Divisor()
	}
	if err := a.bind(specs, divisor); err != nil {
		return err
	}
	return a.bind(specs, longest(a.axes))
}

// bind binds the codecs to objects of one shape.
func (a *Array) bind(specs []codec.Spec, object []int) (err error) {
	repr := codec.Repr{Shape: object, Type: a.meta.DType, Fill: a.meta.Fill}
	if a.chunk, err = repr.Bytes(); err != nil {
		return err
	}
	a.chain, err = a.codecs().Chain(specs, repr)
	return err
}

// views are an array of a grid that is not regular as those see it who work on objects of one shape: with codecs bound to
// that.
type views struct {
	mu      sync.Mutex
	byShape map[string]*Array
}

// maxViews is how many shapes are kept, with some 2 KB of bound codecs each. A calendar has four; a grid with more shapes
// than this binds them again now and then, which takes microseconds.
const maxViews = 256

// of is the array to objects of a shape, which is not to be changed.
func (a *Array) of(object []int) (*Array, error) {
	if a.views == nil {
		return a, nil
	}
	key := make([]byte, 0, 64)
	for _, n := range object {
		key = binary.AppendUvarint(key, uint64(n))
	}
	a.views.mu.Lock()
	defer a.views.mu.Unlock()
	if v, ok := a.views.byShape[string(key)]; ok {
		return v, v.mayIndex()
	}
	v := *a
	v.views, v.object = nil, object
	if err := v.bind(a.chain.Specs(), object); err != nil {
		return nil, err
	}
	if a.views.byShape == nil || len(a.views.byShape) == maxViews {
		a.views.byShape = map[string]*Array{}
	}
	a.views.byShape[string(key)] = &v
	return &v, v.mayIndex()
}

func (a *Array) layout() plan.Layout {
	l := plan.Layout{Shape: a.meta.Shape, Chunks: a.axes, Key: func(c []int) string { return a.ChunkKey(c...) },
		Object: plan.Object{Shape: a.object, Shards: a.shardLayout()}}
	if a.object == nil {
		l.Shards = func(object []int) (*shard.Layout, error) {
			v, err := a.of(object)
			if err != nil {
				return nil, err
			}
			return v.shardLayout(), nil
		}
	}
	return l
}
