package transfer

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr"
)

// overhead is what a process takes beside the memory that tasks are counted with: the program (25
// MiB of zargo), stacks, tables, state of compressors (a zstd encoder has 18 MiB), and what the
// garbage collector has not found yet. With 64 MiB and the limit on the heap that cmd/zargo sets,
// rechunking 512 MiB within 128, 256 and 512 MiB took 108, 225 and 510 MiB of resident memory.
const overhead = 64 << 20

// need is the memory of one task.
type need struct {
	block int64 // elements of a region, 0 where none are held
	work  int64 // objects under way: one decoded, one encoded
}

// memory is the smallest Plan.Memory that the task fits in.
func (n need) memory() int64 {
	eighths := func(n, of int64) int64 { return sum(n, n/of*(8-of), (n%of*(8-of)+of-1)/of) } // n is of so many eighths
	return sum(overhead, max(eighths(n.block, 5), eighths(sum(n.block, n.work), 7)))
}

// Budget is the part of the plan's memory that is for elements and objects of tasks, in bytes. A
// process that only transfers makes a budget of it, see [RunOptions].
func (p *Plan) Budget() int64 { return budget(p.Memory) }

func budget(memory int64) int64 { return max(memory-overhead, 0) }

// objectsShare is how much of a budget is for objects in flight: the quarter that Blocks of it
// always leave to Tasks.
func objectsShare(budget int64) int64 { return budget / 4 }

// blocksShare is what elements of regions may take of a budget beside objects in flight, of which
// one may take more than the share of all. An eighth is left for what was used and is not collected
// yet.
func blocksShare(budget, work int64) int64 {
	return budget - max(objectsShare(budget), work) - budget/8 - 16 // what rounding may make of it
}

// needOf is the memory of a task of a step, of whole objects or of boxes of a shard. A chunk that
// is decoded or encoded takes its elements and its bytes; of a shard inner chunks are decoded one
// by one, and what is sent is made of them.
func needOf(s *Step, from, to *zarr.Array) need {
	read, written := product(int64(itemSize(from)), unitShape(from)...), product(int64(itemSize(to)), objectShape(to)...)
	if s.Kind == Encoded {
		return need{work: min(sum(written, written/64, 1<<10), streamAbove)}
	}
	if s.Inner != nil {
		return dividedNeed(to, s.Inner, read)
	}
	if !to.Sharded() {
		written = sum(written, written)
	}
	return need{block: blockBytes(to, s.Block), work: max(sum(read, read), written)}
}

// varies is how many bytes an element is taken to have whose type does not say it: what holds it in
// memory, and a word.
const varies = 64

func itemSize(a *zarr.Array) int {
	if n := a.DType().Size(); n > 0 {
		return n
	}
	return varies
}

// blockBytes is the memory of the elements in a block of objects.
func blockBytes(to *zarr.Array, block []int) int64 {
	n, shape := int64(itemSize(to)), to.Shape()
	for d, each := range objectShape(to) {
		n = product(n, int(min(product(int64(each), block[d]), int64(shape[d]))))
	}
	return n
}

// unitShape is the shape of what is read of an array as one piece: the largest chunk, which in a
// shard is an inner one.
func unitShape(a *zarr.Array) []int {
	if c := a.Chunks(); c != nil && a.Sharded() {
		return c
	}
	return objectShape(a)
}

// objectShape is the shape of the largest object.
func objectShape(a *zarr.Array) []int {
	g := a.Metadata().Grid
	if g.Edges == nil {
		return slices.Clone(g.Shape)
	}
	shape := make([]int, len(g.Edges))
	for d, e := range g.Edges {
		shape[d] = max(e.Every, 1)
		for _, r := range e.Runs {
			shape[d] = max(shape[d], r.Edge)
		}
	}
	return shape
}

// sum adds amounts up; math.MaxInt64 where that is more.
func sum(amounts ...int64) int64 {
	total := int64(0)
	for _, n := range amounts {
		if total > math.MaxInt64-n {
			return math.MaxInt64
		}
		total += n
	}
	return total
}
