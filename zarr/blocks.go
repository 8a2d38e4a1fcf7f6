package zarr

import (
	"context"
	"iter"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/hugepages"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Block is a part of what a loop over [Blocks] selects.
type Block[T any] struct {
	At     []int // where it begins in what is selected, in elements along each dimension
	Shape  []int // elements along each dimension
	Values []T   // in C order
}

// BlockOptions say what a block is, and in what order blocks come.
type BlockOptions struct {
	// Objects is how many stored objects (chunks, or shards) a block has along each dimension; nil
	// is one. A block has less where the selection does.
	Objects []int
	// Ahead is how many blocks may be read, or be waiting, beside the one that the loop is due: 0
	// is as many as a call has requests in flight, -1 none. However many they are, they take no
	// more than half of the memory budget ([Limits.Shared]), and those that would are read when the loop
	// asks for them.
	Ahead int
	// AnyOrder yields blocks as they come, and not in C order.
	AnyOrder bool
	// Reuse makes the Values of a block the loop body's until it ends, and uses their memory for
	// another block then: large blocks cost their page faults once. Otherwise each block has memory
	// of its own, to keep.
	Reuse bool
	// Convert converts elements to Ts as [ReadAs] does. A type that no element is converted to is
	// ErrType before anything is requested; an element that T does not hold exactly ends the loop.
	Convert bool
	// Results counts the memory of each block until the loop body ends: a block that is due waits
	// until there is room, and blocks are read ahead only where there is. Loops that share one such
	// budget together hold no more than it has, or one larger block. It is a budget for results
	// alone, not that of [Limits.Shared] (ErrSelection), and a body must not run another loop over it:
	// each would wait for the other. nil: what was yielded is the caller's and does not count.
	Results *concurrency.Budget
}

// Blocks reads what sel selects block by block, ahead of the loop:
//
//	for b, err := range zarr.Blocks[float32](ctx, a, zarr.BlockOptions{}) {
//		if err != nil {
//			return err
//		}
//		use(b)
//	}
//
// Each object is read once, unless a list in sel comes back to it. T is as for [Read], and errors
// are: the first one is yielded with an empty Block and ends the loop. Leaving the loop cancels
// what is under way, and waits for its end. [Limits.Requests] and [Report] take the loop as one call:
// what takes more than one request for each object may exceed the former after some blocks. A block
// that memory cannot hold is ErrLimit. [Points], and a [Mask] of the whole array, are ErrSelection:
// their elements are in no blocks.
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
				if err == context.Cause(ctx) { // not of a block, which names the array
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
	objects []int // of a block along each dimension
	each    int64 // bytes of memory for an element
	fill    func(context.Context, *Array, []T, grid.Selection) error

	mu   sync.Mutex
	idle [][]T // memory of blocks that the loop is done with
}

func newBlockLoop[T any](a *Array, o BlockOptions, sel []Selection) (*blockLoop[T], error) {
	check, read := fits[T], readInto[T]
	if o.Convert && !a.meta.DType.Fits(reflect.TypeFor[T]()) {
		check, read = converts[T], readAs[T]
	}
	if err := check(a); err != nil {
		return nil, err
	}
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if o.Results != nil && o.Results == a.cfg.limits.Bytes {
		return nil, a.errf(fault.Newf(fault.Selection, "Results is the budget that reads draw on"))
	}
	region, ok := r.(grid.Region)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Selection, "elements that are selected one by one lie in no blocks"))
	}
	if o.Objects != nil && len(o.Objects) != len(region) {
		return nil, a.errf(fault.Newf(fault.Selection, "blocks of %d dimensions of an array of %d", len(o.Objects), len(region)))
	}
	l := &blockLoop[T]{array: a, o: o, region: region, objects: o.Objects, each: costOfAs[T](a), fill: read}
	if l.objects == nil {
		l.objects = slices.Repeat([]int{1}, len(region))
	}
	for i, n := range l.objects {
		if n < 1 {
			return nil, a.errf(fault.Newf(fault.Selection, "blocks of %d objects along dimension %d", n, i))
		}
	}
	return l, nil
}

// advance is how far the loop is run ahead of.
func (l *blockLoop[T]) advance() concurrency.InAdvance[blockAt] {
	n, cfg := l.o.Ahead, &l.array.cfg
	if n == 0 {
		if n = cfg.inFlight; n == 0 {
			n = store.TuningOf(l.array.at.Store).Requests + cfg.limits.CPU.Slots()
		}
	}
	in := concurrency.InAdvance[blockAt]{Most: max(n, 0), AnyOrder: l.o.AnyOrder, Memory: cfg.limits.Bytes, Need: l.need}
	if l.o.Results != nil {
		in.Memory, in.Held = l.o.Results, true
	}
	return in
}

// need is how much memory a block takes; of elements that vary in length without their contents.
func (l *blockLoop[T]) need(block blockAt) int64 {
	n, ok := block.region.Len()
	if !ok || int64(n) > math.MaxInt64/max(l.each, 1) {
		return math.MaxInt64
	}
	return int64(n) * l.each
}

// blockAt is a block before it is read.
type blockAt struct {
	at     []int
	region grid.Region
}

// blocks yields them in C order. There may be more than memory has room for.
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

// stretch is what a block has of dimension i that begins with the j-th element of what is selected
// there.
func (l *blockLoop[T]) stretch(i, j int) grid.Stretch {
	return l.region[i].Stretch(j, l.array.pipe.Axes()[i], l.objects[i])
}

func (l *blockLoop[T]) read(ctx context.Context, b blockAt) (Block[T], error) {
	n, ok := b.region.Len()
	if !ok {
		return Block[T]{}, l.array.errf(tooMuch(n, l.each))
	}
	if err := l.array.mayHold(n, l.each); err != nil {
		return Block[T]{}, err
	}
	dst, advice := l.room(n)
	defer advice.Undo()
	return Block[T]{b.at, b.region.Shape(), dst}, l.fill(ctx, l.array, dst, b.region)
}

// room is memory for n elements.
func (l *blockLoop[T]) room(n int) ([]T, hugepages.Advice) {
	l.mu.Lock()
	i := slices.IndexFunc(l.idle, func(b []T) bool { return cap(b) >= n })
	if i < 0 {
		l.mu.Unlock()
		return room[T](n)
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
