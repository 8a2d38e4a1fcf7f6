package transfer

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr"
)

// need is the memory of one task in bytes.
type need struct {
	block int64 // elements of a region; 0 if objects are copied
	work  int64 // objects in flight: one decoded, one encoded
}

// overhead is the memory of a process that is not reserved for tasks: the program (25 MiB for
// zargo), stacks, tables, compressor state (18 MiB for a zstd encoder), and garbage that is not
// collected yet. With 64 MiB and the limit on the heap that cmd/zargo sets, rechunking 512 MiB
// within 128, 256 and 512 MiB took 108, 225 and 510 MiB of resident memory.
const overhead = 64 << 20

// memory returns the smallest Plan.Memory that the task fits in.
func (n need) memory() int64 {
	eighths := func(n, of int64) int64 { return sum(n, n/of*(8-of), (n%of*(8-of)+of-1)/of) } // n*8/of, rounded up
	return sum(overhead, max(eighths(n.block, 5), eighths(sum(n.block, n.work), 7)))
}

// Budget returns the number of bytes of Plan.Memory that tasks may use for elements and objects.
// The program itself uses the rest. A process that only runs transfers may set
// [RunOptions].Limits.Bytes to a budget of this size.
func (p *Plan) Budget() int64 { return budget(p.Memory) }

func budget(memory int64) int64 { return max(memory-overhead, 0) }

// objectsShare returns the part of a budget for objects in flight, a quarter. Reservations of kind
// Block always leave this quarter to reservations of kind Task.
func objectsShare(budget int64) int64 { return budget / 4 }

// blocksShare returns the part of a budget for the elements of regions. It excludes an eighth for
// garbage that is not collected yet. It also excludes the share of objects in flight, or the bytes
// of work if one object needs more than that share.
func blocksShare(budget, work int64) int64 {
	return budget - max(objectsShare(budget), work) - budget/8 - 16 // 16: rounding
}

// needOf returns the memory of a task of a step. A chunk that is decoded or encoded takes memory
// for its elements and its encoded bytes. A written shard is counted once: its inner chunks are
// encoded one at a time into the bytes to send.
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

// varies is the assumed size in bytes of an element of varying length: a slice header and a short
// text.
const varies = 64

func itemSize(a *zarr.Array) int {
	if n := a.DType().Size(); n > 0 {
		return n
	}
	return varies
}

// blockBytes returns the size of the elements in a block of objects.
func blockBytes(to *zarr.Array, block []int) int64 {
	n, shape := int64(itemSize(to)), to.Shape()
	for d, each := range objectShape(to) {
		n = product(n, int(min(product(int64(each), block[d]), int64(shape[d]))))
	}
	return n
}

// unitShape returns the shape of the largest chunk that is read and decoded whole. For a sharded
// array that is an inner chunk.
func unitShape(a *zarr.Array) []int {
	if c := a.Chunks(); c != nil && a.Sharded() {
		return c
	}
	return objectShape(a)
}

// objectShape returns the longest edge of the objects along each dimension.
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

// sum returns the sum of amounts, or math.MaxInt64 if it overflows.
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
