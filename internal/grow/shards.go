package grow

import (
	"context"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/zarr/meta"
)

// shardRow is the shards at one position along the axis of a Writer, in progress.
type shardRow struct {
	axis, index int
	to          int                   // the row after them
	grid        []int                 // the number of shards along each axis: one along the Writer's
	writers     []*engine.ShardWriter // in C order
}

// worthStreaming is how many times less memory shards in progress must take than a row of them:
// whole shards are sent faster.
const worthStreaming = 2

// innerEdge returns the length of an inner chunk along an axis; 0: the array has no shards.
func innerEdge(a Array, axis int) int {
	s := a.Engine().Layout.Pipe.Largest().Chain.Shards()
	if s == nil {
		return 0
	}
	return s.Chunk[axis]
}

// gridOf returns the number of objects along each axis.
func gridOf(a Array) []int {
	n := shapeOf(a)
	for i, axis := range a.Engine().Layout.Axes {
		n[i] = axis.Count(n[i])
	}
	return n
}

// streamedRows returns the number of rows of an inner chunk, if shards of so many rows are to be
// streamed; else 0.
func streamedRows(ctx context.Context, a Array, axis, rows int) (int, error) {
	m, ok := a.Source().Model.(*meta.Array)
	inner := innerEdge(a, axis)
	if !ok || inner == 0 || m.DType.Size() == 0 || inner >= rows {
		return 0, nil
	}
	b, err := longer(a, axis, 1)
	if err != nil {
		return 0, err
	}
	shape := shapeOf(a)
	coord := make([]int, len(shape))
	coord[axis], _, _ = chunkAt(b, axis, shape[axis])
	w, err := b.Engine().OpenShard(ctx, coord, engine.ShardOptions{})
	if err != nil {
		return 0, nil // the first Write of rows says why
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

// openShards begins the shards that have a row, of a view of an array that is readable up to before
// another one. Their readable rows stay.
func openShards(ctx context.Context, a Array, axis, row, readable int) (*shardRow, error) {
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
		w, err := a.Engine().OpenShard(ctx, coord, o)
		if err != nil {
			s.abort(ctx)
			return nil, err
		}
		s.writers = append(s.writers, w)
	}
	return s, nil
}

// at returns the shard at a position; nil: it is none of these.
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

// commit makes all of them visible. After an error it aborts those that are not.
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
		_ = w.Abort(ctx) // the parts that remain are in nobody's way
	}
}
