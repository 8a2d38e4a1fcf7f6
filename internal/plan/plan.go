package plan

import (
	"fmt"
	"iter"
	"strings"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/shard"
)

// Layout is what a plan needs to know of an array.
type Layout struct {
	Shape  []int                    // elements along each axis
	Chunks []grid.Axis              // how each axis is cut into chunks, or shards: into what is one object
	Even   []int                    // the shape of these where all have one; nil otherwise
	Key    func(coord []int) string // the key of the object at a position of the grid
	Shards *shard.Layout            // how objects fall into inner chunks, or the largest of them where they differ in shape; nil where they are read as a whole

	// ShardsOf is Shards of objects of a shape, where Even and Shards leave that open.
	ShardsOf func(chunk []int) (*shard.Layout, error)
}

// Plan is a selection of an array, resolved.
type Plan struct {
	Layout
	Region grid.Selection
}

// Index is a shard index that must be read before the inner chunks of its shard can be.
type Index struct {
	Key     string
	Len     int64 // bytes of the index
	AtStart bool  // of the object, or else at its end
}

// Fetch is one object of a plan: a chunk or a shard.
type Fetch struct {
	grid.Box
	Key   string
	Chunk []int // the shape of the object; not to be changed
	// Shards is how the object falls into inner chunks; nil where it is read as a whole.
	Shards *shard.Layout
	// Whole: one request reads all of the object. Otherwise it is a shard of which the index is read first, and then what it
	// says.
	Whole bool
	// Covers: every element of the chunk that lies inside the array is selected, so a write need not read the chunk.
	Covers bool
	// Full: every element of the chunk is selected, and none lies outside the array.
	Full bool
	// Err: no shard can have the shape of this one, so that it can be neither read nor written.
	Err error
}

// Indexes yields the first stage: of each shard that is not read as a whole, its index.
func (p Plan) Indexes() iter.Seq[Index] {
	return func(yield func(Index) bool) {
		if p.Shards == nil {
			return
		}
		for f := range p.Fetches() {
			if f.Whole || f.Err != nil {
				continue
			}
			if n, atStart := f.Shards.IndexSize(); !yield(Index{f.Key, n, atStart}) {
				return
			}
		}
	}
}

// Fetches yields the objects, in C order of their grid.
func (p Plan) Fetches() iter.Seq[Fetch] {
	return func(yield func(Fetch) bool) {
		for b := range p.Region.Chunks(p.Chunks) {
			f := Fetch{Box: b, Key: p.Key(b.Coord), Chunk: p.Even, Shards: p.Shards, Covers: b.Covers(p.Shape, p.Chunks)}
			if p.Even == nil {
				f.Chunk = grid.ShapeOf(p.Chunks, b.Coord)
				if p.Shards != nil {
					f.Shards, f.Err = p.ShardsOf(f.Chunk)
				}
			}
			f.Full = b.Full(f.Chunk)
			f.Whole = p.Shards == nil || f.Err == nil && f.Shards.Whole(f.Shards.Touched(b), p.inside(f))
			if !yield(f) {
				return
			}
		}
	}
}

// inside is the number of inner chunks of a shard, the deepest ones, that have elements inside the array.
func (p Plan) inside(f Fetch) int {
	n, chunk := 1, f.Shards.Deepest().Chunk
	for i, c := range f.Coord {
		start, length := p.Chunks[i].Chunk(c)
		n *= (min(length, p.Shape[i]-start)-1)/chunk[i] + 1
	}
	return n
}

// Len is the number of fetches, known before any of them.
func (p Plan) Len() int { return p.Region.Touched(p.Chunks) }

// String lists the requests of the plan that can be told before an index is known, one a line. [shard.Plan] tells the others.
func (p Plan) String() string {
	var b strings.Builder
	for ix := range p.Indexes() {
		where := "last"
		if ix.AtStart {
			where = "first"
		}
		fmt.Fprintf(&b, "GET %s %s %d\n", ix.Key, where, ix.Len)
	}
	for f := range p.Fetches() {
		if f.Whole {
			fmt.Fprintf(&b, "GET %s whole\n", f.Key)
		}
	}
	return b.String()
}
