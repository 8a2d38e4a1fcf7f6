package zarr

import (
	"context"
	"iter"
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
	Values []T   // in C order. They are the loop body's until it ends: then their memory is used for another block
}

// BlockOptions say what a block is, and in what order blocks come.
type BlockOptions struct {
	// Objects is how many stored objects (chunks, or shards) a block has along each dimension; nil is one. A block has less where the
	// selection does.
	Objects []int
	// Ahead is how many blocks may be read, or be waiting, beside the one that the loop is due: 0 is as many as a call has requests
	// in flight, -1 none. However many they are, they take no more than half of the memory budget ([Limits]), and those that would are read
	// when the loop asks for them.
	Ahead int
	// AnyOrder yields blocks as they come, and not in C order.
	AnyOrder bool
}

// Blocks reads what sel selects block by block, ahead of the loop:
//
//	for b, err := range zarr.Blocks[float32](ctx, a, zarr.BlockOptions{}) {
//
// Each object is read once, unless a list in sel comes back to it. T is as for [Read], and errors are: the first one is yielded with an empty Block and ends
// the loop. Leaving the loop cancels what is under way, and waits for its end. [MaxRequests] and [Report] take the loop as one call. Points and
// Where are ErrSelection: their elements lie in no blocks.
func Blocks[T any](ctx context.Context, a *Array, o BlockOptions, sel ...Selection) iter.Seq2[Block[T], error] {
	return func(yield func(Block[T], error) bool) {
		l, err := newBlockLoop[T](a, o, sel)
		if err == nil {
			if ctx, err = a.engine.InParts(ctx, l.region); err != nil {
				err = a.errf(err)
			}
		}
		if err != nil {
			yield(Block[T]{}, err)
			return
		}
		for b, err := range concurrency.Results(ctx, l.advance(), l.blocks, l.read) {
			if err != nil {
				yield(Block[T]{}, err)
				return
			}
			if !yield(b, nil) {
				return
			}
			l.takeBack(b.Values)
		}
	}
}

// blockLoop is one loop over Blocks.
type blockLoop[T any] struct {
	array     *Array
	o         BlockOptions
	region    grid.Region
	stretches [][]grid.Stretch // along each dimension
	each      int64            // bytes of memory for an element

	mu   sync.Mutex
	idle [][]T // memory of blocks that the loop is done with
}

func newBlockLoop[T any](a *Array, o BlockOptions, sel []Selection) (*blockLoop[T], error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	if err := fits[T](a); err != nil {
		return nil, err
	}
	region, ok := r.(grid.Region)
	if !ok {
		return nil, a.errf(fault.Newf(fault.Selection, "elements that are selected one by one lie in no blocks"))
	}
	if o.Objects != nil && len(o.Objects) != len(region) {
		return nil, a.errf(fault.Newf(fault.Selection, "blocks of %d dimensions of an array of %d", len(o.Objects), len(region)))
	}
	l := &blockLoop[T]{array: a, o: o, region: region, each: costOf[T](a)}
	most := 1
	for i, s := range region {
		n := 1
		if o.Objects != nil {
			n = o.Objects[i]
		}
		if n < 1 {
			return nil, a.errf(fault.Newf(fault.Selection, "blocks of %d objects along dimension %d", n, i))
		}
		all := s.Stretches(a.pipe.Axes()[i], n)
		longest := 0
		for _, t := range all {
			longest = max(longest, t.N)
		}
		l.stretches = append(l.stretches, all)
		if longest > 0 && most > int(^uint(0)>>1)/longest {
			return nil, a.errf(tooMuch(most, l.each))
		}
		most *= longest
	}
	return l, a.mayHold(most, l.each)
}

// advance is how far the loop is run ahead of.
func (l *blockLoop[T]) advance() concurrency.InAdvance[blockAt] {
	n, cfg := l.o.Ahead, &l.array.cfg
	if n == 0 {
		if n = cfg.inFlight; n == 0 {
			n = store.TuningOf(l.array.st).Requests + cfg.limits.CPU.Slots()
		}
	}
	return concurrency.InAdvance[blockAt]{Most: max(n, 0), AnyOrder: l.o.AnyOrder, Memory: cfg.limits.Bytes, Need: l.need}
}

func (l *blockLoop[T]) need(block blockAt) int64 {
	n, _ := block.region.Len()
	return int64(n) * l.each
}

// blockAt is a block before it is read.
type blockAt struct {
	at     []int
	region grid.Region
}

// blocks yields them in C order.
func (l *blockLoop[T]) blocks(yield func(blockAt) bool) {
	for _, all := range l.stretches {
		if len(all) == 0 {
			return
		}
	}
	next := make([]int, len(l.stretches))
	for {
		b := blockAt{make([]int, len(next)), make(grid.Region, len(next))}
		for i, k := range next {
			t := l.stretches[i][k]
			b.at[i], b.region[i] = t.Out, l.region[i].Of(t)
		}
		if !yield(b) {
			return
		}
		i := len(next) - 1
		for ; i >= 0; i-- {
			if next[i]++; next[i] < len(l.stretches[i]) {
				break
			}
			next[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (l *blockLoop[T]) read(ctx context.Context, b blockAt) (Block[T], error) {
	n, _ := b.region.Len()
	dst, advice := l.room(n)
	defer advice.Undo()
	return Block[T]{b.at, b.region.Shape(), dst}, readInto(ctx, l.array, dst, b.region)
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
