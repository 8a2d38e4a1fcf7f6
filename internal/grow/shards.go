package grow

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/node/array"
)

// shardRow has the open shards at one index along the axis of a Writer.
type shardRow struct {
	axis, index int
	to          int                   // the first row after the shards
	grid        []int                 // number of shards along each axis; 1 along the Writer's axis
	writers     []*engine.ShardWriter // in C order
}

// worthStreaming is the minimum factor by which streaming must reduce memory, compared with a row
// of whole shards in memory. If the reduction is smaller, shards are sent whole, which is faster.
const worthStreaming = 2

// innerEdge returns the length of an inner chunk along an axis, or 0 if the array is not sharded.
func innerEdge(a *array.Array, axis int) int {
	s := a.Engine.Layout.Pipe.Largest().Chain.Shards()
	if s == nil {
		return 0
	}
	return s.Chunk[axis]
}

// gridOf returns the number of objects along each axis.
func gridOf(a *array.Array) []int {
	n := shapeOf(a)
	for i, axis := range a.Engine.Layout.Axes {
		n[i] = axis.Count(n[i])
	}
	return n
}

// streamedRows returns the number of rows of an inner chunk, or 0 if shards with the given number
// of rows are not worth streaming.
func streamedRows(ctx context.Context, a *array.Array, axis, rows int) (int, error) {
	m := a.At.Array()
	inner := innerEdge(a, axis)
	if inner == 0 || m.DType.Size() == 0 || inner >= rows {
		return 0, nil
	}
	b, err := longer(a, axis, 1)
	if err != nil {
		return 0, err
	}
	shape := shapeOf(a)
	coord := make([]int, len(shape))
	coord[axis], _, _ = chunkAt(b, axis, shape[axis])
	w, err := b.Engine.OpenShard(ctx, coord, engine.ShardOptions{})
	if err != nil {
		return 0, nil // the first Write returns the error
	}
	defer func() { _ = w.Abort(ctx) }() // nothing was sent
	shards, row := float64(1), float64(m.DType.Size())
	for i, n := range gridOf(b) {
		if i != axis {
			shards, row = shards*float64(n), row*float64(shape[i])
		}
	}
	if worthStreaming*(shards*float64(w.Kept())+row*float64(inner)) > row*float64(rows) {
		return 0, nil
	}
	return inner, nil
}

// openShards opens the shards that contain a row of the array a. Rows before the row "readable" are
// part of the stored array, so they are carried over to the new shards.
func openShards(ctx context.Context, a *array.Array, axis, row, readable int) (*shardRow, error) {
	index, start, length := chunkAt(a, axis, row)
	s := &shardRow{axis: axis, index: index, to: start + length, grid: gridOf(a)}
	s.grid[axis] = 1
	o := engine.ShardOptions{Latest: true}
	if inner := innerEdge(a, axis); start < readable {
		o.Carry = func(coord []int) bool { return start+coord[axis]*inner < readable }
	}
	n := 1
	for _, k := range s.grid {
		n *= k
	}
	for i := range n {
		coord, left := make([]int, len(s.grid)), i
		for k := len(coord) - 1; k >= 0; k-- {
			coord[k], left = left%s.grid[k], left/s.grid[k]
		}
		coord[axis] = index
		w, err := a.Engine.OpenShard(ctx, coord, o)
		if err != nil {
			s.abort(ctx)
			return nil, err
		}
		s.writers = append(s.writers, w)
	}
	return s, nil
}

// at returns the open shard at a position, or nil.
func (s *shardRow) at(coord []int) *engine.ShardWriter {
	if coord[s.axis] != s.index {
		return nil
	}
	i := 0
	for k, n := range s.grid {
		i *= n
		if k != s.axis {
			i += coord[k]
		}
	}
	return s.writers[i]
}

// committing is the number of shards that are committed concurrently. Each commit sends the last
// part of a shard.
const committing = 8

// commit makes all shards visible. If a commit fails, it aborts the remaining shards.
func (s *shardRow) commit(ctx context.Context) error {
	err := concurrency.EachN(ctx, committing, len(s.writers), func(ctx context.Context, i int) error { return s.writers[i].Commit(ctx) })
	if err != nil {
		s.abort(ctx)
	}
	return err
}

// abort aborts the shards that were not committed.
func (s *shardRow) abort(ctx context.Context) {
	if s == nil {
		return
	}
	for _, w := range s.writers {
		_ = w.Abort(ctx) // parts that remain are never visible
	}
}
