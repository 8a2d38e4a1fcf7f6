package plan

import (
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
)

// deepest is the chunk that is no shard, within shards within a shard.
func deepest(c *pipeline.Chunk) *pipeline.Chunk {
	for c.Shards != nil {
		c = c.Inner
	}
	return c
}

// whole reports whether one request for all of a stored shard is cheaper than one for its index and
// then some for the deepest inner chunks: want of the have that lie inside the array. It is when
// the shard can be had in one range, and what is not wanted of it is no more than the gap that a
// request is worth, for here it saves one at the least, and a round trip. Sizes are those of
// decoded chunks: what is stored is not known yet, and codecs make it smaller.
func (c *Cost) whole(shard *pipeline.Chunk, want, have int) bool {
	index, _ := shard.Shards.IndexSize()
	each := int64(max(deepest(shard).Bytes, 1))
	fits := func(n int, most int64) bool { return most >= 0 && int64(n) <= most/each }
	return fits(have, c.Max-index) && fits(have-want, c.Gap-index)
}

// wholeWithin is whole of a shard within another: its length in bytes is known, and what of it is
// wanted is taken for a like part of that.
func (c *Cost) wholeWithin(shard *pipeline.Chunk, b grid.Box, size int64) bool {
	index, _ := shard.Shards.IndexSize()
	have := int64(1)
	for m := shard; m.Shards != nil; m = m.Inner {
		have *= int64(m.Shards.Len())
	}
	unwanted := have - int64(touched(shard, deepest(shard), b))
	// Rounded up, so that nothing is taken for free. A quotient first: a product might overflow.
	return size <= c.Max && (size/have+1)*unwanted <= c.Gap-index
}

// touched is the number of inner chunks of a shard that a box touches, of the direct ones or of
// those at any depth: by arithmetic alone, but for Points.
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

// inside is the number of inner chunks of the shard, the deepest ones, that have elements inside
// the array.
func (o *Object) inside() int {
	n, chunk := 1, deepest(o.Chunk).Shape
	for i, edge := range o.Chunk.Shape {
		n *= (min(edge, o.left(i))-1)/chunk[i] + 1
	}
	return n
}

// Packed bounds the bytes of a shard without unused space, in it or in the shards within;
// math.MaxInt64 when there is no bound.
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
