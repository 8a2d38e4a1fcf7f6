package plan

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Cut is the selected part of a shard, divided into inner chunks.
type Cut struct {
	shards *codec.Shards
	chunk  *pipeline.Chunk // describes each piece
	axes   [][]grid.Part   // pieces along each axis, whose combinations are the inner chunks
	points *grid.Points    // used instead of axes for a box of Points
	n      int
	box    grid.Box // the only piece, if shards is nil
}

// one returns a Cut with the box of an undivided chunk as its only piece.
func one(c *pipeline.Chunk, b grid.Box) *Cut { return &Cut{chunk: c, n: 1, box: b} }

// cut returns the inner chunks of a shard that a box touches, in C order.
func cut(shard *pipeline.Chunk, b grid.Box) *Cut {
	s := shard.Shards
	if b.Pairs != nil {
		p := b.CutPairs(shard.Shape, s.Chunk)
		return &Cut{shards: s, chunk: shard.Inner, points: p, n: p.Touched(nil)}
	}
	c := newCut(len(b.Parts))
	c.shards, c.chunk, c.n = s, shard.Inner, 1
	total := 0
	for i, p := range b.Parts {
		if p.At == nil { // lists can be counted only by dividing them
			total += p.Touched(s.Chunk[i])
		}
	}
	parts := make([]grid.Part, 0, total)
	for i, p := range b.Parts {
		from := len(parts)
		parts = p.AppendCut(parts, s.Chunk[i])
		c.axes[i] = parts[from:len(parts):len(parts)]
		c.n *= len(c.axes[i])
	}
	return c
}

// newCut returns a Cut with the given number of axes. It makes one allocation for up to four axes.
func newCut(axes int) *Cut {
	if axes > 4 {
		return &Cut{axes: make([][]grid.Part, axes)}
	}
	c := new(struct {
		Cut
		room [4][]grid.Part
	})
	c.axes = c.room[:axes]
	return &c.Cut
}

// Len returns the number of inner chunks.
func (c *Cut) Len() int { return c.n }

// Box returns the box of the i-th inner chunk: the position of the inner chunk in the shard, and
// the positions of its selected elements in the inner chunk and in the region.
func (c *Cut) Box(i int) grid.Box {
	if c.shards == nil {
		return c.box
	}
	if c.points != nil {
		return c.points.Box(i)
	}
	b := grid.MakeBox(len(c.axes))
	for k := len(c.axes) - 1; k >= 0; k-- {
		n := len(c.axes[k])
		b.Parts[k] = c.axes[k][i%n]
		b.Coord[k] = b.Parts[k].Chunk
		i /= n
	}
	return b
}

// Place returns the number of the index entry of the i-th inner chunk.
func (c *Cut) Place(i int) int {
	if c.shards == nil {
		return 0
	}
	var room [8]int
	return c.place(i, slices.Grow(room[:0], len(c.shards.Chunk))[:len(c.shards.Chunk)])
}

// place is like Place, but also sets coord to the position of the inner chunk in the shard.
func (c *Cut) place(i int, coord []int) int {
	if c.points != nil {
		copy(coord, c.points.Box(i).Coord)
		return c.shards.Position(coord)
	}
	for k := len(c.axes) - 1; k >= 0; k-- {
		n := len(c.axes[k])
		coord[k] = c.axes[k][i%n].Chunk
		i /= n
	}
	return c.shards.Position(coord)
}

// Locate finds the inner chunks in a shard that starts at off. It returns the stored and the
// missing inner chunks, both in the order of the Cut. It returns fault.Corrupt if an inner chunk is
// outside the shard, or if it is longer than its codecs can produce. Nested shards may be longer,
// because they may have unused space.
func (c *Cut) Locate(x codec.ShardIndex, off int64) (pieces, missing []Piece, err error) {
	most := c.chunk.Chain.Worst()
	var room [8]int
	coord := slices.Grow(room[:0], len(c.shards.Chunk))[:len(c.shards.Chunk)]
	all := make([]Piece, c.n) // stored pieces from the front, missing pieces from the back
	k := 0
	for i := range c.n {
		at, n, ok, err := x.At(c.place(i, coord))
		switch {
		case err != nil:
			return nil, nil, err
		case !ok:
			all[c.n-1-i+k] = Piece{I: i, cut: c}
		case n > most && c.chunk.Shards == nil:
			return nil, nil, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %v has %d stored bytes, want at most %d", slices.Clone(coord), n, most)
		default:
			all[k] = Piece{Off: off + at, Len: n, I: i, cut: c}
			k++
		}
	}
	pieces, missing = all[:k:k], all[k:]
	slices.Reverse(missing)
	return pieces, missing, nil
}

// Within returns the inner chunks of the shard p, as [Cut.Locate] does. x is the index of the
// shard. The whole shard is in memory, and offsets count from its start.
func (p Piece) Within(x codec.ShardIndex) (pieces, missing []Piece, err error) {
	return cut(p.cut.chunk, p.Box()).Locate(x, 0)
}
