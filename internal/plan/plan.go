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
	Chunks []int                    // elements along each axis of a chunk, or of a shard: of what is one object
	Key    func(coord []int) string // the key of the object at a position of the grid
	Shards *shard.Layout            // how objects fall into inner chunks; nil where they are read as a whole
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
	Key string
	// Whole: one request reads all of the object. Otherwise it is a shard of which the index is read first, and then what it
	// says.
	Whole bool
	// Covers: every element of the chunk that lies inside the array is selected, so a write need not read the chunk.
	Covers bool
	// Full: every element of the chunk is selected, and none lies outside the array.
	Full bool
}

// Indexes yields the first stage: of each shard that is not read as a whole, its index.
func (p Plan) Indexes() iter.Seq[Index] {
	return func(yield func(Index) bool) {
		if p.Shards == nil {
			return
		}
		n, atStart := p.Shards.IndexSize()
		for f := range p.Fetches() {
			if !f.Whole && !yield(Index{f.Key, n, atStart}) {
				return
			}
		}
	}
}

// Fetches yields the objects, in C order of their grid.
func (p Plan) Fetches() iter.Seq[Fetch] {
	return func(yield func(Fetch) bool) {
		for b := range p.Region.Chunks(p.Chunks) {
			f := Fetch{Box: b, Key: p.Key(b.Coord), Covers: b.Covers(p.Shape, p.Chunks), Full: b.Full(p.Chunks)}
			f.Whole = p.Shards == nil || p.Shards.Whole(p.Shards.Touched(b), p.inside(b.Coord))
			if !yield(f) {
				return
			}
		}
	}
}

// inside is the number of inner chunks of a shard, the deepest ones, that have elements inside the array.
func (p Plan) inside(coord []int) int {
	n, chunk := 1, p.Shards.Deepest().Chunk
	for i, c := range coord {
		length := min(p.Chunks[i], p.Shape[i]-c*p.Chunks[i])
		n *= (length-1)/chunk[i] + 1
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
