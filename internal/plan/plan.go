package plan

import (
	"fmt"
	"iter"
	"strings"

	"github.com/zargo-io/zargo/internal/grid"
)

// Layout is what a plan needs to know of an array.
type Layout struct {
	Shape  []int                    // elements along each axis
	Chunks []int                    // elements of a chunk along each axis
	Key    func(coord []int) string // the key of the object that holds the chunk at a position of the grid
}

// Plan is a selection of an array, resolved.
type Plan struct {
	Layout
	Region grid.Region
}

// Index is a shard index that must be read before the chunks of its shard can be.
type Index struct {
	Key  string
	Last int64 // bytes of the index, at the object's end
}

// Fetch is one chunk of a plan.
type Fetch struct {
	grid.Box
	Key string
	// Covers: every element of the chunk that lies inside the array is selected, so a write need not read the chunk.
	Covers bool
	// Full: every element of the chunk is selected, and none lies outside the array.
	Full bool
}

// Indexes yields the first stage. Without shards there is none.
func (p Plan) Indexes() iter.Seq[Index] {
	return func(func(Index) bool) {}
}

// Fetches yields the second stage in C order of the chunk grid.
func (p Plan) Fetches() iter.Seq[Fetch] {
	return func(yield func(Fetch) bool) {
		for b := range p.Region.Chunks(p.Chunks) {
			f := Fetch{Box: b, Key: p.Key(b.Coord), Covers: b.Covers(p.Shape, p.Chunks), Full: b.Full(p.Chunks)}
			if !yield(f) {
				return
			}
		}
	}
}

// Len is the number of fetches, by arithmetic alone.
func (p Plan) Len() int { return p.Region.Touched(p.Chunks) }

// String lists the requests of the plan, one a line.
func (p Plan) String() string {
	var b strings.Builder
	for ix := range p.Indexes() {
		fmt.Fprintf(&b, "GET %s last %d\n", ix.Key, ix.Last)
	}
	for f := range p.Fetches() {
		fmt.Fprintf(&b, "GET %s whole\n", f.Key)
	}
	return b.String()
}
