package shard

import (
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// Layout is what a plan needs to know of an array's shards and of the store they are in.
type Layout struct {
	*codec.Shards
	ChunkBytes int64   // of a decoded inner chunk
	Gap        int64   // bytes of a hole worth reading through rather than paying another request
	Max        int64   // bytes of the longest merged range
	Below      *Layout // of the inner chunks, where these are shards whose own inner chunks can be read one by one
}

// New gives the layout of shards whose inner chunks have so many bytes when they are decoded, and of the shards in them.
func New(s *codec.Shards, chunkBytes, gap, longest int64) *Layout {
	l := &Layout{Shards: s, ChunkBytes: chunkBytes, Gap: gap, Max: longest}
	if below := s.Inner.Shards(); below != nil {
		l.Below = New(below, chunkBytes/int64(below.Len()), gap, longest)
	}
	return l
}

// Deepest is the layout whose inner chunks are no shards.
func (l *Layout) Deepest() *Layout {
	for l.Below != nil {
		l = l.Below
	}
	return l
}

// Whole tells whether one request for all of a shard is cheaper than one for its index and then some for the deepest inner
// chunks: want of the have that lie inside the array. It is when the shard can be had in one range, and what is not wanted of it is no
// more than the hole that one reads through to save a request, for here it saves one at the least, and a round trip. Sizes
// are those of decoded chunks: what is stored is not known yet, and codecs make it smaller.
func (l *Layout) Whole(want, have int) bool {
	index, _ := l.IndexSize()
	return l.fits(have, l.Max-index) && l.fits(have-want, l.Gap-index)
}

// fits tells whether n decoded inner chunks, the deepest ones, have at most so many bytes.
func (l *Layout) fits(n int, most int64) bool {
	return most >= 0 && int64(n) <= most/max(l.Deepest().ChunkBytes, 1)
}

// WholeOf is Whole of a shard within another: its length in bytes is known, and what of it is wanted is taken for a like
// part of that.
func (l *Layout) WholeOf(b grid.Box, size int64) bool {
	index, _ := l.IndexSize()
	have := int64(1)
	for m := l; m != nil; m = m.Below {
		have *= int64(m.Len())
	}
	unwanted := have - int64(l.Touched(b))
	// Rounded up, so that nothing is taken for free. A quotient first: a product might overflow.
	return size <= l.Max && (size/have+1)*unwanted <= l.Gap-index
}

// Touched is the number of inner chunks of a shard, the deepest ones, that a box touches: by arithmetic alone, but for
// Points.
func (l *Layout) Touched(b grid.Box) int {
	chunk := l.Deepest().Chunk
	if b.Pairs != nil {
		return b.CutPairs(l.shape(), chunk).Touched(nil)
	}
	n := 1
	for i, p := range b.Parts {
		n *= p.Touched(chunk[i])
	}
	return n
}

// shape is that of a shard.
func (l *Layout) shape() []int {
	s := make([]int, len(l.Chunk))
	for i, n := range l.Grid {
		s[i] = n * l.Chunk[i]
	}
	return s
}

// Cut is what a box selects of a shard, cut into inner chunks.
type Cut struct {
	layout *Layout
	axes   [][]grid.Part // the pieces along each axis: every combination is an inner chunk
	points *grid.Points  // of a box of Points, in place of axes
	n      int
}

// Cut gives the inner chunks of a shard that a box touches, in C order.
func (l *Layout) Cut(b grid.Box) Cut {
	if b.Pairs != nil {
		p := b.CutPairs(l.shape(), l.Chunk)
		return Cut{layout: l, points: p, n: p.Touched(nil)}
	}
	c := Cut{layout: l, axes: make([][]grid.Part, len(b.Parts)), n: 1}
	for i, p := range b.Parts {
		c.axes[i] = p.Cut(l.Chunk[i])
		c.n *= len(c.axes[i])
	}
	return c
}

// Packed bounds the bytes of a shard without unused space, in it or in the shards within; math.MaxInt64 when there is no bound.
func (l *Layout) Packed() int64 {
	each := l.Inner.Worst()
	if l.Below != nil {
		each = l.Below.Packed()
	}
	index, _ := l.IndexSize()
	if each > (math.MaxInt64-index)/int64(l.Len()) {
		return math.MaxInt64
	}
	return each*int64(l.Len()) + index
}

// All is the cut of a whole shard.
func (l *Layout) All() Cut {
	b := grid.Box{Parts: make([]grid.Part, len(l.Chunk))}
	for i, n := range l.shape() {
		b.Parts[i] = grid.Part{Step: 1, N: n}
	}
	return l.Cut(b)
}

// Layout is that of the shard which was cut.
func (c Cut) Layout() *Layout { return c.layout }

// Len is the number of inner chunks.
func (c Cut) Len() int { return c.n }

// Box is the i-th inner chunk: its position in the shard, and where its elements lie in it and in the region.
func (c Cut) Box(i int) grid.Box {
	if c.points != nil {
		return c.points.Box(i)
	}
	b := grid.Box{Coord: make([]int, len(c.axes)), Parts: make([]grid.Part, len(c.axes))}
	for k := len(c.axes) - 1; k >= 0; k-- {
		n := len(c.axes[k])
		b.Parts[k] = c.axes[k][i%n]
		b.Coord[k] = b.Parts[k].Chunk
		i /= n
	}
	return b
}

// place is the place in the index of the i-th inner chunk; coord is room for its position.
func (c Cut) place(i int, coord []int) int {
	if c.points != nil {
		copy(coord, c.points.Box(i).Coord)
		return c.layout.Place(coord)
	}
	for k := len(c.axes) - 1; k >= 0; k-- {
		n := len(c.axes[k])
		coord[k] = c.axes[k][i%n].Chunk
		i /= n
	}
	return c.layout.Place(coord)
}
