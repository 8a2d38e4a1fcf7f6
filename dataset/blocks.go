package dataset

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/walk"
)

// Block is a part of a variable, as yielded by [Blocks]. Its methods return the dimensions, the
// coordinates and the selection of the part.
type Block[V any] struct {
	*Variable
	At     []int // offset within the whole variable along each dimension
	Values V     // the result of reading the part
}

const (
	// blockBytes is the default size of a block. Chunks of 1 MiB fill it with 16 requests.
	blockBytes = 16 << 20
	// blocksAhead is the maximum number of blocks that are read ahead. Each block sends many
	// requests, so that one more suffices while the loop body runs.
	blocksAhead = 1
)

// Blocks reads a variable that may be larger than memory block by block, ahead of the loop. read
// reads a block: Read, or a function that calls ReadMasked, Variable.Times or Variable.Strings.
//
//	for b, err := range dataset.Blocks(ctx, v, 0, dataset.Read[float32]) {
//		if err != nil {
//			return err
//		}
//		use(b.At, b.Shape(), b.Values)
//	}
//
// Blocks have about the given number of bytes of stored elements (16 MiB if bytes is 0), and
// consist of whole chunks unless a chunk is larger than four times that number. They are yielded in
// C order. An element of varying length counts as 64 bytes. The block that is read ahead counts in
// the memory budget of the array, and is not read ahead if the memory is in use.
//
// The first error is yielded with a zero Block and ends the loop. Leaving the loop cancels requests
// in flight and waits for them.
func Blocks[V any](ctx context.Context, v *Variable, bytes int64, read func(context.Context, *Variable) (V, error)) iter.Seq2[Block[V], error] {
	return func(yield func(Block[V], error) bool) {
		if err := v.usable(); err != nil {
			yield(Block[V]{}, err)
			return
		}
		if bytes < 1 {
			bytes = blockBytes
		}
		each, dims := v.elementBytes(), v.Dims()
		axes, want := make([]walk.Axis, len(dims)), int(max(min(bytes/each, 1<<28), 1)) // 4*want fits in an int of 32 bits
		for i, d := range dims {
			axes[i] = v.blockAxis(d)
		}
		o := walk.Options{Ahead: blocksAhead, Budget: v.stored.array.Limits().Shared.Bytes, Need: walk.Each(each)}
		for b, err := range walk.Read(ctx, o, walk.Tiles(axes, want, 4*want), func(ctx context.Context, b walk.Box) (Block[V], error) {
			part := v.in(b)
			values, err := read(ctx, part)
			return Block[V]{part, b.At, values}, err
		}) {
			if err != nil {
				b = Block[V]{}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// in returns the part of a variable in a box of its elements.
func (v *Variable) in(b walk.Box) *Variable {
	d := *v.dataset
	d.chosen = map[string]axis{}
	maps.Copy(d.chosen, v.dataset.chosen)
	for i, dim := range v.Dims() {
		p := positions{lo: b.At[i], n: b.Shape[i], step: 1}
		if _, ok := d.chosen[dim.Name]; !ok && slices.Contains(v.stored.dims, dim.Name) {
			d.chosen[dim.Name] = axis{positions: p}
			continue
		}
		for name, a := range v.dataset.chosen {
			if a.points == dim.Name || a.points == "" && name == dim.Name {
				a.positions = a.pick(p)
				d.chosen[name] = a
			}
		}
	}
	return &Variable{&d, v.name, v.stored}
}

// elementBytes returns the bytes of an element of the variable.
func (v *Variable) elementBytes() int64 {
	a := v.stored.array
	n := int64(a.DType().Size())
	if n == 0 {
		return 64
	}
	if shape := a.Shape(); v.stored.chars {
		n *= int64(max(shape[len(shape)-1], 1))
	}
	return n
}

// blockAxis returns the axis of a dimension. Blocks may end at any element of a dimension of
// points.
func (v *Variable) blockAxis(d Dim) walk.Axis {
	k, position, ok := v.Axis(d.Name)
	if !ok {
		return walk.Axis{Count: d.Len, Position: func(i int) int { return i }}.Even(1)
	}
	x := walk.Chunks(v.stored.array, k)
	x.Count, x.Position, x.List = d.Len, position, v.dataset.chosen[d.Name].list != nil
	return x
}
