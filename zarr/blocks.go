package zarr

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/bits/hugepages"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Block is a rectangular part of a selection, as yielded by [Blocks].
type Block[T any] struct {
	At     []int // offset within the selection, in elements along each dimension
	Shape  []int // elements along each dimension
	Values []T   // in C order
}

// BlockOptions are the options of [Blocks]: the size of blocks, their order and their memory.
type BlockOptions struct {
	// Objects is the number of stored objects (chunks, or shards) in a block along each dimension.
	// The default, nil, is one along each dimension. Blocks at the ends of the selection may be
	// smaller.
	Objects []int
	// Ahead is the maximum number of blocks that are read ahead of the loop's next block. The
	// default, 0, is [Limits.InFlight]; -1 disables reading ahead. Blocks that are read ahead use
	// at most half of the memory budget ([Limits.Shared]). A block that would exceed this is read
	// when the loop reaches it.
	Ahead int
	// AnyOrder yields each block as soon as it has been read. The default is C order.
	AnyOrder bool
	// Reuse lets a later block use the memory of Values after the loop body has ended. This avoids
	// page faults for large blocks. It is ignored if Results is set. By default each block has its
	// own memory, which the caller may keep.
	Reuse bool
	// Convert converts elements to T as [ReadAs] does. If the data type cannot be converted, the
	// loop yields ErrType before any request. An element that T cannot represent exactly ends the
	// loop.
	Convert bool
	// Results is a budget that counts the memory of each block until the loop body ends. The next
	// block waits until its memory is available. Other blocks are read ahead only if their memory
	// is available. Loops that share a budget together use at most its size, except that a single
	// larger block may be read alone. Results may be the budget of [Limits.Shared]. A loop body
	// must not run another loop with the same budget, because each would wait for the other. The
	// default, nil, does not count yielded blocks.
	Results *concurrency.Budget
}

// Blocks reads the selection block by block, ahead of the loop:
//
//	for b, err := range zarr.Blocks[float32](ctx, a, zarr.BlockOptions{}) {
//		if err != nil {
//			return err
//		}
//		use(b)
//	}
//
// Each stored object is read once, unless an index list in sel selects from it again later. T and
// the errors are as for [Read]. The first error is yielded with a zero Block and ends the loop.
// Leaving the loop cancels requests in flight and waits for them.
//
// The loop counts as one call for [Limits.Requests] and [Report]. If an object takes more than one
// request, the loop may exceed Limits.Requests after some blocks. Blocks yields ErrLimit if a block
// is larger than memory. It yields ErrSelection for [Points] and for a [Mask] of the whole array,
// because their elements do not form blocks.
func Blocks[T any](ctx context.Context, a *Array, o BlockOptions, sel ...Selection) iter.Seq2[Block[T], error] {
	return func(yield func(Block[T], error) bool) {
		l, err := newBlockLoop[T](a, o, sel)
		if err == nil {
			ctx, l.array, err = a.begin(ctx, l.region)
		}
		if err != nil {
			yield(Block[T]{}, err)
			return
		}
		for b, err := range walk.Read(ctx, l.ahead(), l.boxes(), l.read) {
			if err != nil {
				if err == context.Cause(ctx) { // not the error of a block, which names the array
					err = a.errf(err)
				}
				yield(Block[T]{}, err)
				return
			}
			if !yield(b, nil) {
				return
			}
			if o.Reuse && o.Results == nil {
				l.buffers.Put(b.Values)
			}
		}
	}
}

// blockLoop is one loop over Blocks.
type blockLoop[T any] struct {
	array   *Array
	o       BlockOptions
	region  grid.Region
	objects []int // objects of a block along each dimension
	each    int64 // bytes of memory of one element
	fill    func(context.Context, *Array, []T, grid.Selection) error

	buffers walk.Buffers[T] // of finished blocks, for reuse
}

func newBlockLoop[T any](a *Array, o BlockOptions, sel []Selection) (*blockLoop[T], error) {
	check, read := fits[T], readInto[T]
	if o.Convert && !a.of.Meta.DType.Fits(reflect.TypeFor[T]()) {
		check, read = converts[T], readAs[T]
	}
	if err := check(a); err != nil {
		return nil, err
	}
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	region, ok := r.(grid.Region)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Selection, "Blocks needs a rectangular selection, not Points or a Mask of all axes"))
	}
	if o.Objects != nil && len(o.Objects) != len(region) {
		return nil, a.errf(fault.Newf(fault.Selection, "the array has rank %d, but Objects has %d numbers", len(region), len(o.Objects)))
	}
	l := &blockLoop[T]{array: a, o: o, region: region, objects: o.Objects, each: costOfAs[T](a), fill: read}
	if l.objects == nil {
		l.objects = slices.Repeat([]int{1}, len(region))
	}
	for i, n := range l.objects {
		if n < 1 {
			return nil, a.errf(fault.Newf(fault.Selection, "Objects[%d] must be at least 1, is %d", i, n))
		}
	}
	return l, nil
}

// ahead returns the limits on the blocks that are read ahead of the loop. The memory of a block
// excludes the contents of elements of varying length.
func (l *blockLoop[T]) ahead() walk.Options {
	n, cfg := l.o.Ahead, &l.array.cfg
	if n == 0 {
		if n = cfg.InFlight; n == 0 {
			n = store.TuningOf(l.array.at.Store).Requests + cfg.Limits.CPU.Slots()
		}
	}
	o := walk.Options{Ahead: n, AnyOrder: l.o.AnyOrder, Budget: cfg.Limits.Bytes, Need: walk.Each(l.each)}
	if l.o.Results != nil {
		o.Budget, o.Held = l.o.Results, true
	}
	return o
}

// boxes yields the blocks in C order, as parts of the selection.
func (l *blockLoop[T]) boxes() iter.Seq[walk.Box] {
	return walk.Lattice(l.region.Shape(), func(i, from int) int {
		return from + l.region[i].Stretch(from, l.array.of.Pipe.Axes()[i], l.objects[i]).N
	})
}

func (l *blockLoop[T]) read(ctx context.Context, b walk.Box) (Block[T], error) {
	region := make(grid.Region, len(b.At))
	for i, s := range l.region {
		region[i] = s.Of(grid.Stretch{Out: b.At[i], N: b.Shape[i]})
	}
	n := b.Len()
	if err := l.array.mayHold(n, l.each); err != nil {
		return Block[T]{}, err
	}
	dst, advice := l.alloc(n)
	defer advice.Undo()
	return Block[T]{b.At, b.Shape, dst}, l.fill(ctx, l.array, dst, region)
}

// alloc returns memory for n elements. It reuses the memory of a finished block if there is one.
func (l *blockLoop[T]) alloc(n int) ([]T, hugepages.Advice) {
	if b, _ := l.buffers.Take(n); b != nil {
		return b, hugepages.Advice{}
	}
	return alloc[T](n)
}
