package compute

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Source is a selection of the elements of an array.
type Source struct {
	Array  *zarr.Array
	Coding *cf.Coding // decodes the elements; nil for elements as they are stored

	// Tiles divides the selection into parts that are read one after the other, and Select returns
	// the selection of a tile. If the last digits of results must not change, tiles must not.
	Tiles  iter.Seq[walk.Box]
	Select func(walk.Box) []zarr.Selection

	Done func(walk.Box) // called after each tile; nil for no call
}

// Memory returns the number of bytes that counting the elements needs. The values of chunks are in
// the budget of the array.
func (s Source) Memory() int64 {
	if s.Array.DType().Size() > 2 {
		return 0
	}
	return int64(2*s.Array.Limits().Shared.CPU.Slots()+1) * tableBytes // two tiles, and their sum
}

const tableBytes = 16 << 16 // of a table

// tally computes a result for parts of the elements. It is used by one goroutine at a time.
type tally[S any] interface {
	add(at []int, values []S)
	repeat(at []int, value S, n int) // n elements that are equal
}

// visit reads the tiles of a source, and calls merge with the tallies of each tile, in order. Each
// tally is of other chunks of the tile. to converts the values that the array has, concurrently.
func visit[A, S any, T tally[S]](ctx context.Context, s Source, to func([]A) []S, fresh func() T, merge func([]T)) error {
	type result struct {
		box walk.Box
		of  []T
	}
	o := walk.Options{Ahead: 1} // the array bounds the memory
	for r, err := range walk.Read(ctx, o, s.Tiles, func(ctx context.Context, b walk.Box) (result, error) {
		of, err := readTile(ctx, s, b, to, fresh)
		return result{b, of}, err
	}) {
		if err != nil {
			return err
		}
		merge(r.of)
		if s.Done != nil {
			s.Done(r.box)
		}
	}
	return nil
}

// errAgain means that a chunk was visited again, after it may have been counted.
var errAgain = errors.New("a shard was replaced while it was read")

// maxReplaced is the maximum number of attempts to read a tile whose shards are being replaced.
const maxReplaced = 10

// readTile returns the tallies of a tile.
func readTile[A, S any, T tally[S]](ctx context.Context, s Source, b walk.Box, to func([]A) []S, fresh func() T) (of []T, err error) {
	sel := s.Select(b)
	for range maxReplaced {
		of, err = visitTile(ctx, s.Array, sel, to, fresh)
		if !errors.Is(err, errAgain) {
			break
		}
	}
	if !errors.Is(err, fault.Selection) {
		return of, err
	}
	values, err := zarr.Read[A](ctx, s.Array, sel...) // a selection with lists
	if err != nil {
		return nil, err
	}
	one := fresh()
	one.add(make([]int, len(b.Shape)), to(values))
	return []T{one}, nil
}

func visitTile[A, S any, T tally[S]](ctx context.Context, a *zarr.Array, sel []zarr.Selection, to func([]A) []S, fresh func() T) ([]T, error) {
	var mu sync.Mutex
	var all, idle []T
	seen := map[string]bool{}
	err := zarr.Visit(ctx, a, func(p zarr.Part[A]) error {
		key := fmt.Sprint(p.At)
		mu.Lock()
		again := seen[key]
		seen[key] = true
		if len(idle) == 0 {
			t := fresh()
			all, idle = append(all, t), append(idle, t)
		}
		t := idle[len(idle)-1]
		idle = idle[:len(idle)-1]
		mu.Unlock()
		if again {
			return errAgain
		}
		if values := to(p.Values); p.Absent {
			t.repeat(p.At, values[0], p.Len())
		} else {
			t.add(p.At, values)
		}
		mu.Lock()
		idle = append(idle, t)
		mu.Unlock()
		return nil
	}, sel...)
	return all, err
}

// InRanges reports whether a read of a few elements requests only a range of a chunk's bytes,
// because the chunk is not compressed, or the index of a shard.
func InRanges(a *zarr.Array) bool {
	rank := len(a.Shape())
	p, err := a.Plan(zarr.Region{Start: make([]int, rank), Shape: slices.Repeat([]int{1}, rank)}.Select()...)
	if err != nil {
		return false
	}
	for r := range p.Requests() {
		return !r.Range.IsWhole()
	}
	return false
}

// same, widened and numbered are conversions of the values of an array: none, those of float16, and
// those of bools to 0 and 1.
func same[S any](values []S) []S { return values }

func widened(values []dtype.F16) []float32 { return widen(make([]float32, len(values)), values) }

func numbered(values []bool) []uint8 { return memory(values) }

// inOrder sorts results of chunks by the positions of the chunks.
func inOrder[R any](of []located[R]) {
	slices.SortFunc(of, func(a, b located[R]) int { return slices.Compare(a.at, b.at) })
}

// located is the result of a chunk at a position.
type located[R any] struct {
	at []int
	of R
}
