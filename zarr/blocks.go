package zarr

import (
	"context"
	"iter"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/bits/hugepages"
	"github.com/zargo-io/zargo/internal/chunk/grid"
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
	// larger block may be read alone. Results must not be the budget of [Limits.Shared]
	// (ErrSelection). A loop body must not run another loop with the same budget, because each
	// would wait for the other. The default, nil, does not count yielded blocks.
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
		for b, err := range concurrency.Results(ctx, l.advance(), l.blocks, l.read) {
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
				l.takeBack(b.Values)
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

	mu   sync.Mutex
	idle [][]T // memory of finished blocks, for reuse
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
	if o.Results != nil && o.Results == a.cfg.Limits.Bytes {
		return nil, a.errf(fault.Newf(fault.Selection, "Results must not be the budget of Limits.Shared"))
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

// advance returns the limits on the blocks that are read ahead of the loop.
func (l *blockLoop[T]) advance() concurrency.InAdvance[blockAt] {
	n, cfg := l.o.Ahead, &l.array.cfg
	if n == 0 {
		if n = cfg.InFlight; n == 0 {
			n = store.TuningOf(l.array.at.Store).Requests + cfg.Limits.CPU.Slots()
		}
	}
	in := concurrency.InAdvance[blockAt]{Most: max(n, 0), AnyOrder: l.o.AnyOrder, Memory: cfg.Limits.Bytes, Need: l.need}
	if l.o.Results != nil {
		in.Memory, in.Held = l.o.Results, true
	}
	return in
}

// need returns the memory of a block in bytes, without the contents of elements of varying length.
func (l *blockLoop[T]) need(block blockAt) int64 {
	n, ok := block.region.Len()
	if !ok || int64(n) > math.MaxInt64/max(l.each, 1) {
		return math.MaxInt64
	}
	return int64(n) * l.each
}

// blockAt describes a block before it is read: its offset in the selection, and its region.
type blockAt struct {
	at     []int
	region grid.Region
}

// blocks yields the blocks in C order. It does not build a list, which could exceed memory.
func (l *blockLoop[T]) blocks(yield func(blockAt) bool) {
	at := make([]grid.Stretch, len(l.region))
	for i, s := range l.region {
		if s.Count == 0 {
			return
		}
		at[i] = l.stretch(i, 0)
	}
	for {
		b := blockAt{make([]int, len(at)), make(grid.Region, len(at))}
		for i, t := range at {
			b.at[i], b.region[i] = t.Out, l.region[i].Of(t)
		}
		if !yield(b) {
			return
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if next := at[i].Out + at[i].N; next < l.region[i].Count {
				at[i] = l.stretch(i, next)
				break
			}
			at[i] = l.stretch(i, 0)
		}
		if i < 0 {
			return
		}
	}
}

// stretch returns the range along dimension i of the block that starts at selected element j.
func (l *blockLoop[T]) stretch(i, j int) grid.Stretch {
	return l.region[i].Stretch(j, l.array.of.Pipe.Axes()[i], l.objects[i])
}

func (l *blockLoop[T]) read(ctx context.Context, b blockAt) (Block[T], error) {
	n, ok := b.region.Len()
	if !ok {
		n = math.MaxInt
	}
	if err := l.array.mayHold(n, l.each); err != nil {
		return Block[T]{}, err
	}
	dst, advice := l.alloc(n)
	defer advice.Undo()
	return Block[T]{b.at, b.region.Shape(), dst}, l.fill(ctx, l.array, dst, b.region)
}

// alloc returns memory for n elements. It reuses the memory of a finished block if there is one.
func (l *blockLoop[T]) alloc(n int) ([]T, hugepages.Advice) {
	l.mu.Lock()
	i := slices.IndexFunc(l.idle, func(b []T) bool { return cap(b) >= n })
	if i < 0 {
		l.mu.Unlock()
		return alloc[T](n)
	}
	defer l.mu.Unlock()
	b := l.idle[i][:n]
	l.idle = slices.Delete(l.idle, i, i+1)
	return b, hugepages.Advice{}
}

func (l *blockLoop[T]) takeBack(b []T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, b)
}
