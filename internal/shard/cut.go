package shard

import (
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// Layout is what a plan needs to know of an array's shards and of the store they are in.
type Layout struct {
	*codec.Shards
	ChunkBytes int64 // of a decoded inner chunk
	Gap        int64 // bytes of a hole worth reading through rather than paying another request
	Max        int64 // bytes of the longest merged range
}

// Whole tells whether one request for all of a shard is cheaper than one for its index and then some for the inner chunks: want
// of the have that lie inside the array. It is when the shard can be had in one range, and what is not wanted of it is no
// more than the hole that one reads through to save a request, for here it saves one at the least, and a round trip. Sizes
// are those of decoded chunks: what is stored is not known yet, and codecs make it smaller.
func (l *Layout) Whole(want, have int) bool {
	index, _ := l.IndexSize()
	return l.fits(have, l.Max-index) && l.fits(have-want, l.Gap-index)
}

// fits tells whether n decoded inner chunks have at most so many bytes.
func (l *Layout) fits(n int, most int64) bool {
	return most >= 0 && int64(n) <= most/max(l.ChunkBytes, 1)
}

// Touched is the number of inner chunks of a shard that a box touches: by arithmetic alone, but for Points.
func (l *Layout) Touched(b grid.Box) int {
	if b.Pairs != nil {
		return b.CutPairs(l.shape(), l.Chunk).Touched(nil)
	}
	n := 1
	for i, p := range b.Parts {
		n *= p.Touched(l.Chunk[i])
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
