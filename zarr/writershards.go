package zarr

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/engine"
)

// shardRow is the shards at one position along the axis of a Writer, under way.
type shardRow struct {
	axis, index int
	to          int                   // the row behind them
	grid        []int                 // how many shards there are along each axis: one along the Writer's
	writers     []*engine.ShardWriter // in C order
}

// worthStreaming is how many times less memory shards under way have to take than a row of them:
// sent in one go they are sent faster.
const worthStreaming = 2

// streamedRows is how many rows an inner chunk has, where shards of so many rows are streamed; else
// 0.
func streamedRows(ctx context.Context, a *Array, axis, rows int) (int, error) {
	size := a.meta.DType.Size()
	if !a.Sharded() || size == 0 {
		return 0, nil
	}
	inner, ok := a.blocks[axis].Edge()
	if !ok || inner >= rows {
		return 0, nil
	}
	b, err := a.long(axis, 1)
	if err != nil {
		return 0, err
	}
	coord := make([]int, len(a.meta.Shape))
	coord[axis], _, _ = b.ChunkAt(axis, a.meta.Shape[axis])
	w, err := b.engine.OpenShard(ctx, coord, engine.ShardOptions{})
	if err != nil {
		return 0, nil // the first Write of rows says why
	}
	defer func() { _ = w.Abort(ctx) }() // nothing was sent
	shards, row := float64(1), float64(size)
	for i, n := range b.GridShape() {
		if i != axis {
			shards, row = shards*float64(n), row*float64(a.meta.Shape[i])
		}
	}
	if worthStreaming*(shards*float64(w.Kept())+row*float64(inner)) > row*float64(rows) {
		return 0, nil
	}
	return inner, nil
}

// openShards begins the shards that have a row, of a view of an array that is readable up to before
// another one. What they have before that stays.
func openShards(ctx context.Context, a *Array, axis, row, readable int) (*shardRow, error) {
	index, start, length := a.ChunkAt(axis, row)
	s := &shardRow{axis: axis, index: index, to: start + length, grid: a.GridShape()}
	s.grid[axis] = 1
	o := engine.ShardOptions{Latest: true}
	if inner, _ := a.blocks[axis].Edge(); start < readable {
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
		w, err := a.engine.OpenShard(ctx, coord, o)
		if err != nil {
			s.abort(ctx)
			return nil, err
		}
		s.writers = append(s.writers, w)
	}
	return s, nil
}

// at is the shard at a position; nil where it is none of these.
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

// committing is how many shards are completed at once: each sends its last part.
const committing = 8

// commit makes all of them visible. After an error those that are not are aborted.
func (s *shardRow) commit(ctx context.Context) error {
	err := concurrency.EachN(ctx, committing, len(s.writers), func(ctx context.Context, i int) error { return s.writers[i].Commit(ctx) })
	if err != nil {
		s.abort(ctx)
	}
	return err
}

// abort drops those that are not committed.
func (s *shardRow) abort(ctx context.Context) {
	if s == nil {
		return
	}
	for _, w := range s.writers {
		_ = w.Abort(ctx) // what is left is in no one's way
	}
}
