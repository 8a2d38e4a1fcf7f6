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
	Key    func(coord []int) string // the key of the object at a position of the grid
	Object Object                   // what these are, or the largest of them where they differ in shape

	// Shards is how objects of a shape fall into inner chunks, where they differ in shape; nil where they do not.
	Shards func(shape []int) (*shard.Layout, error)
}

// Object is a chunk or a shard.
type Object struct {
	Shape  []int         // elements along each axis
	Shards *shard.Layout // how it falls into inner chunks; nil where it is read as a whole
	Err    error         // no shard can have this shape: it can be neither read nor written
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
	Key    string
	Object *Object // shared: not to be changed
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
		if p.Object.Shards == nil {
			return
		}
		for f := range p.Fetches() {
			if f.Whole || f.Object.Err != nil {
				continue
			}
			if n, atStart := f.Object.Shards.IndexSize(); !yield(Index{f.Key, n, atStart}) {
				return
			}
		}
	}
}

// Fetches yields the objects, in C order of their grid.
func (p Plan) Fetches() iter.Seq[Fetch] {
	return func(yield func(Fetch) bool) {
		for b := range p.Region.Chunks(p.Chunks) {
			o := &p.Object
			if p.Shards != nil {
				o = p.object(b.Coord)
			}
			f := Fetch{Box: b, Key: p.Key(b.Coord), Object: o, Covers: b.Covers(p.Shape, p.Chunks), Full: b.Full(o.Shape)}
			f.Whole = o.Err == nil && (o.Shards == nil || o.Shards.Whole(o.Shards.Touched(b), p.inside(b.Coord, o.Shards)))
			if !yield(f) {
				return
			}
		}
	}
}

// object is what is at a position of a grid of objects that differ in shape.
func (p Plan) object(coord []int) *Object {
	o := &Object{Shape: grid.ShapeOf(p.Chunks, coord)}
	if p.Object.Shards != nil {
		o.Shards, o.Err = p.Shards(o.Shape)
	}
	return o
}

// inside is the number of inner chunks of a shard, the deepest ones, that have elements inside the array.
func (p Plan) inside(coord []int, shards *shard.Layout) int {
	n, chunk := 1, shards.Deepest().Chunk
	for i, c := range coord {
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
