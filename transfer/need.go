package transfer

import (
	"encoding/json"
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

const (
	// streamAbove is the maximum length of an object that is copied in one piece. 32 MiB is two
	// parts.
	streamAbove = 32 << 20
	// piece is the length of the parts of longer objects. 16 MiB is the default of package large.
	piece = 16 << 20
)

const (
	// partBytes is the length of the parts in an upload of a large shard. It is the maximum of
	// package zarr. A shard that would need more than mostParts parts has longer parts. S3 allows
	// 10,000 parts; mostParts is smaller because an encoded shard may be longer than its elements.
	partBytes = 8 << 20
	mostParts = 9000
)

// innerShape returns the shape of the inner chunks, or nil if a shard cannot be filled in boxes of
// inner chunks. It returns nil in three cases: a codec around sharding needs the whole shard; a
// shard contains shards, which may be large too; or elements vary in length, so that their size is
// unknown before reading.
func innerShape(to *zarr.Array) []int {
	codecs := to.Metadata().Codecs
	if !to.Sharded() || len(codecs) != 1 || to.Chunks() == nil || to.DType().Size() == 0 {
		return nil
	}
	var c struct {
		Codecs []struct {
			Name string `json:"name"`
		} `json:"codecs"`
	}
	if json.Unmarshal(codecs[0].Config, &c) != nil {
		return nil
	}
	for _, of := range c.Codecs {
		if of.Name == "sharding_indexed" {
			return nil
		}
	}
	return to.Chunks()
}

// perShard returns the number of inner chunks of the largest shard along each dimension.
func perShard(to *zarr.Array) []int {
	n := objectShape(to)
	for d, each := range to.Chunks() {
		n[d] = max(n[d]/each, 1)
	}
	return n
}

// shardParts returns the memory of one part of a shard in flight, and of the shard's index.
func shardParts(to *zarr.Array) (part, index int64) {
	index = product(32, perShard(to)...)
	long := product(int64(itemSize(to)), objectShape(to)...)
	return min(sum(long, long/64, index), max(partBytes, long/mostParts, index)), index
}

// dividedNeed returns the memory of a task that fills its shard in boxes of inner chunks. Field
// block includes a box, two unsent parts, and the index. Field work is the larger of two amounts: a
// source chunk of read bytes while it is decoded, or a part in flight and an inner chunk while it
// is encoded.
func dividedNeed(to *zarr.Array, inner []int, read int64) need {
	part, index := shardParts(to)
	one := product(int64(itemSize(to)), to.Chunks()...)
	return need{block: sum(boxBytes(to, inner), part, part, index), work: max(sum(read, read), sum(part, one, one))}
}

// boxBytes returns the size of the elements in a box. inner is the number of inner chunks of the
// box along each dimension.
func boxBytes(to *zarr.Array, inner []int) int64 {
	n, chunk, shape, shard := int64(itemSize(to)), to.Chunks(), to.Shape(), objectShape(to)
	for d, each := range chunk {
		n = product(n, int(min(product(int64(each), inner[d]), int64(shard[d]), int64(shape[d]))))
	}
	return n
}
