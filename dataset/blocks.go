package dataset

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr/fault"
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
	return BlocksOf(ctx, []*Variable{v}, bytes, func(ctx context.Context, parts []*Variable) (V, error) { return read(ctx, parts[0]) })
}

// BlocksOf reads variables of one dataset that share dimensions block by block, as [Blocks] reads
// one. The blocks are parts of the first variable, which must have all dimensions of the others. In
// parts are the variables in the same order, each with the elements at the block's positions along
// its dimensions.
//
// Blocks end where chunks of all variables with the dimensions of the first end, so that no chunk
// of these is read twice, unless the blocks would then have more than four times the given bytes.
// The bytes are those of the elements of all variables.
//
// The error is fault.Selection if a variable has a dimension that the first does not have.
func BlocksOf[V any](ctx context.Context, vars []*Variable, bytes int64, read func(ctx context.Context, parts []*Variable) (V, error)) iter.Seq2[Block[V], error] {
	return func(yield func(Block[V], error) bool) {
		each, err := elementBytes(vars)
		if err != nil {
			yield(Block[V]{}, err)
			return
		}
		if bytes < 1 {
			bytes = blockBytes
		}
		lead := vars[0]
		dims := lead.Dims()
		axes, want := make([]walk.Axis, len(dims)), int(max(min(bytes/each, 1<<28), 1)) // 4*want fits in an int of 32 bits
		for i, d := range dims {
			axes[i] = lead.blockAxis(d)
			n := d.Len
			if j := slices.IndexFunc(lead.dataset.dims, func(x Dim) bool { return x.Name == d.Name }); j >= 0 {
				n = lead.dataset.dims[j].Len
			}
			for _, v := range vars[1:] {
				if len(v.Dims()) == len(dims) {
					axes[i] = axes[i].Common(n, v.blockAxis(d))
				}
			}
		}
		o := walk.Options{Ahead: blocksAhead, Budget: lead.stored.array.Limits().Shared.Bytes, Need: walk.Each(each)}
		for b, err := range walk.Read(ctx, o, walk.Tiles(axes, want, 4*want), func(ctx context.Context, b walk.Box) (Block[V], error) {
			parts := make([]*Variable, len(vars))
			for i, v := range vars {
				parts[i] = v.in(b, dims)
			}
			values, err := read(ctx, parts)
			return Block[V]{parts[0], b.At, values}, err
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

// elementBytes returns the bytes of one element of each variable. The first must have the
// dimensions of the others.
func elementBytes(vars []*Variable) (n int64, err error) {
	if len(vars) == 0 {
		return 0, fault.Newf(fault.Selection, "there is no variable to read")
	}
	for _, v := range vars {
		if err := v.usable(); err != nil {
			return 0, err
		}
		for _, d := range v.Dims() {
			if dims := vars[0].Dims(); !slices.Contains(dims, d) {
				return 0, fault.Newf(fault.Selection, "variable %s has the dimension %v, but %s has %v", v.name, d, vars[0].name, dims)
			}
		}
		n += v.elementBytes()
	}
	return n, nil
}

// in returns the part of a variable in a box of elements with the dimensions dims, which include
// those of the variable.
func (v *Variable) in(b walk.Box, dims []Dim) *Variable {
	d := *v.dataset
	d.chosen = map[string]axis{}
	maps.Copy(d.chosen, v.dataset.chosen)
	own := v.Dims()
	for i, dim := range dims {
		if !slices.Contains(own, dim) {
			continue
		}
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
