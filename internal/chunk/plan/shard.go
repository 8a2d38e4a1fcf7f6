package plan

import (
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
)

// Packed returns the maximum length in bytes of a shard that has no unused space, and whose nested
// shards have none. It returns math.MaxInt64 if the length is unbounded.
func Packed(shard *pipeline.Chunk) int64 {
	each := shard.Inner.Chain.Worst()
	if shard.Inner.Shards != nil {
		each = Packed(shard.Inner)
	}
	index, _ := shard.Shards.IndexSize()
	if each > (math.MaxInt64-index)/int64(shard.Shards.Len()) {
		return math.MaxInt64
	}
	return each*int64(shard.Shards.Len()) + index
}

// deepest returns the innermost chunk of nested shards.
func deepest(c *pipeline.Chunk) *pipeline.Chunk {
	for c.Shards != nil {
		c = c.Inner
	}
	return c
}

// whole reports whether one request for a whole stored shard is cheaper than a request for its
// index and further requests for inner chunks. want is the number of wanted innermost chunks. have
// is the number of innermost chunks inside the array. The whole shard is cheaper if it is no longer
// than one merged read and has at most Cost.Gap unwanted bytes, because reading it saves at least
// one request and a round trip. Stored lengths are unknown. The lengths of decoded chunks, which
// are usually longer, are used instead. Often the sum of these is exactly Cost.Max, so an index of
// up to a sixteenth of that is not counted.
func (c *Cost) whole(shard *pipeline.Chunk, want, have int) bool {
	index, _ := shard.Shards.IndexSize()
	each := int64(max(deepest(shard).Bytes, 1))
	fits := func(n int, most int64) bool { return most >= 0 && int64(n) <= most/each }
	return fits(have, c.Max-max(0, index-c.Max/16)) && fits(have-want, c.Gap-index)
}

// inside returns how many innermost chunks of the shard have elements inside the array.
func (o *Object) inside() int {
	n, chunk := 1, deepest(o.Chunk).Shape
	for i, edge := range o.Chunk.Shape {
		n *= (min(edge, o.left(i))-1)/chunk[i] + 1
	}
	return n
}

// wholeWithin is like whole, but for a nested shard of size stored bytes. It assumes that all inner
// chunks of the shard have the same stored length.
func (c *Cost) wholeWithin(shard *pipeline.Chunk, b grid.Box, size int64) bool {
	index, _ := shard.Shards.IndexSize()
	have := int64(1)
	for m := shard; m.Shards != nil; m = m.Inner {
		have *= int64(m.Shards.Len())
	}
	unwanted := have - int64(touched(shard, deepest(shard), b))
	// The division rounds up, so that unwanted bytes are never counted as 0. Dividing first avoids
	// an overflow.
	return size <= c.Max && (size/have+1)*unwanted <= c.Gap-index
}

// touched returns the number of inner chunks of a shard that a box touches. The chunk inner
// describes the inner chunks, which may be of any nesting depth. Except for points, the number is
// computed without visiting each inner chunk.
func touched(shard, inner *pipeline.Chunk, b grid.Box) int {
	if b.Pairs != nil {
		return b.CutPairs(shard.Shape, inner.Shape).Touched(nil)
	}
	n := 1
	for i, p := range b.Parts {
		n *= p.Touched(inner.Shape[i])
	}
	return n
}
