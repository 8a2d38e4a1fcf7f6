package plan

import (
	"encoding/binary"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Layout is what a plan needs to know of an array.
type Layout struct {
	Shape []int                    // elements along each axis
	Axes  []grid.Axis              // how each axis is cut into chunks, or shards: into what is one object
	Key   func(coord []int) string // the key of the object at a position of the grid
	Pipe  *pipeline.Pipeline       // the codecs of each shape of object
}

// AppendEdge appends how far the array reaches within the object at a position, along each axis, to
// an empty dst. Of an object that is wholly inside the array it appends nothing.
func (l *Layout) AppendEdge(dst []byte, coord []int) []byte {
	ends := false
	for i, axis := range l.Axes {
		start, n := axis.Chunk(coord[i])
		if left := l.Shape[i] - start; left < n {
			ends, n = true, left
		}
		dst = binary.AppendUvarint(dst, uint64(n)) //nolint:gosec // not negative
	}
	if !ends {
		return dst[:0]
	}
	return dst
}

// Object is one stored value of a plan: a chunk or a shard. It is not to be copied.
type Object struct {
	grid.Box                 // its position in the grid, and where its elements lie in it and in the region
	Key      string          // of the stored value
	Chunk    *pipeline.Chunk // shared; nil with Err
	Err      error           // the codecs cannot be bound to the object's shape: it can be neither read nor written

	// Ranged: it is a shard of which the index is read first, and then ranges by it. Otherwise
	// one request reads all of it.
	Ranged bool
	// Covers: every element of the object that lies inside the array is selected, so a write need
	// not read it.
	Covers bool
	// Edge: it is written, covered, and reaches beyond the shape, where another writer may have
	// appended. A write keeps the stored elements beyond the shape.
	Edge bool
	// Full: every element of the object is selected, and none lies outside the array.
	Full bool

	plan   *Plan
	ranged bool // shards within are never read as a whole
	cut    Cut
	piece  [1]Piece
	off, n int64 // of a chunk of which a range is read; n is 0 for any other object
}

// Whole is the request that reads all of the object.
func (o *Object) Whole() Read {
	role := Chunk
	if o.Chunk.Shards != nil {
		role = Shard
	}
	return Read{
		Request: Request{Op: store.OpGet, Role: role, Key: o.Key, Bound: o.Chunk.Chain.Worst(), Exact: o.Chunk.Chain.EncodedSize() >= 0},
		Pieces:  o.piece[:],
	}
}

// Wanted is the request that reads what is selected of a chunk: all of it, or the range of its
// bytes which that lies in.
func (o *Object) Wanted() Read {
	r := o.Whole()
	if o.n > 0 {
		r.Range, r.Off, r.Bound = store.Within(o.off, o.n), o.off, o.n
	}
	return r
}

// Shard is stage one of reading the shard in parts: its index.
func (o *Object) Shard() *Level {
	return &Level{key: o.Key, cost: o.plan.gaps(), chunk: o.Chunk, parts: o.piece[:], ranged: o.ranged}
}

// Stored is stage one of reading every inner chunk that the shard has, as they are stored: shards
// within it are not looked into. Boxes of the pieces are those of the whole shard.
func (o *Object) Stored() *Level {
	return &Level{key: o.Key, cost: o.plan.gaps(), chunk: o.Chunk, parts: []Piece{{Len: -1, cut: one(o.Chunk, grid.All(o.Chunk.Shape))}}, flat: true}
}

// Inner cuts what is selected of the shard into its inner chunks.
func (o *Object) Inner() *Cut { return cut(o.Chunk, o.Box) }

// Decided returns the extent of the object that a write decides alone, along each axis: an inner
// chunk that is selected as far as this extent reaches is written without being read. It is the
// whole object unless WriteOptions.Held says that nothing beyond the shape is kept.
func (o *Object) Decided() []int {
	if o.plan.Write.Held {
		return o.Inside()
	}
	return o.Chunk.Shape
}

// beyond reports whether the object reaches beyond the array's shape.
func (o *Object) beyond() bool {
	for i, n := range o.Chunk.Shape {
		if o.left(i) < n {
			return true
		}
	}
	return false
}

// Inside is how much of the array there is from the object's first element on, along each axis.
func (o *Object) Inside() []int {
	n := make([]int, len(o.Coord))
	for i := range n {
		n[i] = o.left(i)
	}
	return n
}

// left is Inside along one axis.
func (o *Object) left(axis int) int {
	start, _ := o.plan.Axes[axis].Chunk(o.Coord[axis])
	return o.plan.Shape[axis] - start
}

// TouchedInner is the number of inner chunks of the shard that are selected, which may be shards.
func (o *Object) TouchedInner() int { return touched(o.Chunk, o.Chunk.Inner, o.Box) }

// Touched is the number of chunks that are selected in the object: 1, or of a shard that of the
// deepest inner chunks.
func (o *Object) Touched() int { return o.piece[0].Touched() }
