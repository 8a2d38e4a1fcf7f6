package plan

import (
	"encoding/binary"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/store"
)

// Layout is the part of an array's metadata that a plan depends on.
type Layout struct {
	Shape []int                    // elements along each axis
	Axes  []grid.Axis              // divides each axis into chunks or shards
	Key   func(coord []int) string // returns the key of the object at a position of the grid
	Pipe  *pipeline.Pipeline       // has the codecs for each shape of object
}

// AppendEdge appends to dst, for each axis, how many elements of the object at a position are
// inside the array. dst must be empty. If the whole object is inside the array, AppendEdge appends
// nothing.
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

// Object is one object of a plan: a stored chunk or shard. It must not be copied.
type Object struct {
	grid.Box                 // position in the grid, and positions of the selected elements
	Key      string          // key of the stored value
	Chunk    *pipeline.Chunk // shared; nil if Err is not nil
	Err      error           // the codecs cannot be bound to the object's shape

	// Ranged means that the object is a shard that is read in parts: first its index, then ranges
	// of inner chunks. Other objects are read with one request.
	Ranged bool
	// Covers means that every element of the object inside the array is selected. A write then need
	// not read the object.
	Covers bool
	// Edge means that a write covers the object, and that the object extends beyond the shape of
	// the array. Another writer may have appended elements beyond that shape, so the write keeps
	// the stored elements there.
	Edge bool
	// Full means that every element of the object is inside the array and selected.
	Full bool

	plan   *Plan
	ranged bool // nested shards are never read whole
	cut    Cut
	piece  [1]Piece
	off, n int64 // range of a chunk that is read; n is 0 if the whole object is read
}

// Whole returns the request that reads the whole object.
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

// Wanted returns the request that reads the selected part of a chunk. It reads the range of bytes
// that contains the selected elements, or the whole chunk.
func (o *Object) Wanted() Read {
	r := o.Whole()
	if o.n > 0 {
		r.Range, r.Off, r.Bound = store.Within(o.off, o.n), o.off, o.n
	}
	return r
}

// Shard returns the first [Level] of a read of the shard in parts. The level contains the shard
// itself.
func (o *Object) Shard() *Level {
	return &Level{key: o.Key, cost: o.plan.gaps(), chunk: o.Chunk, parts: o.piece[:], ranged: o.ranged}
}

// Stored returns the first [Level] of a read of all inner chunks of the shard in their stored form.
// A nested shard is read like a chunk, without its index. The box of each piece is the whole inner
// chunk.
func (o *Object) Stored() *Level {
	return &Level{key: o.Key, cost: o.plan.gaps(), chunk: o.Chunk, parts: []Piece{{Len: -1, cut: one(o.Chunk, grid.All(o.Chunk.Shape))}}, flat: true}
}

// Inner divides the selected part of the shard into its inner chunks.
func (o *Object) Inner() *Cut { return cut(o.Chunk, o.Box) }

// Decided returns, for each axis, the extent of the object within which the write need not preserve
// elements of other writers. If all elements of an inner chunk within this extent are selected, the
// inner chunk is written without being read. If WriteOptions.Held is set, the extent is the part of
// the object inside the array. Otherwise it is the whole object.
func (o *Object) Decided() []int {
	if o.plan.Write.Held {
		return o.Inside()
	}
	return o.Chunk.Shape
}

// beyond reports whether the object extends beyond the array's shape.
func (o *Object) beyond() bool {
	for i, n := range o.Chunk.Shape {
		if o.left(i) < n {
			return true
		}
	}
	return false
}

// Inside returns, for each axis, the number of elements from the first element of the object to the
// end of the array.
func (o *Object) Inside() []int {
	n := make([]int, len(o.Coord))
	for i := range n {
		n[i] = o.left(i)
	}
	return n
}

// left returns the element of Inside for one axis.
func (o *Object) left(axis int) int {
	start, _ := o.plan.Axes[axis].Chunk(o.Coord[axis])
	return o.plan.Shape[axis] - start
}

// TouchedInner returns the number of selected inner chunks of the shard. The inner chunks may be
// nested shards.
func (o *Object) TouchedInner() int { return touched(o.Chunk, o.Chunk.Inner, o.Box) }

// Touched returns the number of selected chunks in the object: 1 for a chunk, or the number of
// selected innermost chunks of a shard.
func (o *Object) Touched() int { return o.piece[0].Touched() }
