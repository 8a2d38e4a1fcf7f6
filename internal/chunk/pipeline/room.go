package pipeline

import (
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// rooms are the numbers of bytes of memory that operations on a chunk take in addition to the
// stored form and the region.
type rooms struct {
	placed int64 // bytes to decode the chunk to memory without gaps
	rows   int64 // bytes to decode the whole chunk to rows of a region
	box    int64 // bytes to decode any other box
	whole  int64 // bytes to decode the chunk in scratch memory, including the decoded chunk
	packed int64 // bytes to encode the chunk from memory without gaps
	taken  int64 // bytes to encode the chunk from rows of a region
}

// Varies reports whether the elements vary in length. The results of DecodeRoom and EncodeRoom do
// not include such elements.
func (c *Chunk) Varies() bool { return c.options.varies }

// DecodeRoom returns the number of bytes of memory that Decode of a box takes in addition to dst
// and the stored form. Decode requests no more from [Scratch.Lend].
func (c *Chunk) DecodeRoom(dst Memory, b grid.Box) int64 {
	if dst.Use != nil {
		m, local, _ := alone(b)
		m.Bytes = []byte{} // the room does not depend on the contents
		return add(c.DecodeRoom(m, local), int64(local.Len())*int64(c.Size))
	}
	switch {
	case dst.Bytes == nil || b.Pairs != nil || c.listed(b):
		return c.rooms.whole
	case !b.Full(c.Shape):
		return c.rooms.box
	}
	if _, ok := b.Contiguous(dst.Shape); ok {
		return c.rooms.placed
	}
	return c.rooms.rows
}

// listed reports whether a box selects elements by lists of indexes.
func (c *Chunk) listed(b grid.Box) bool {
	for i := range b.Parts {
		if b.Parts[i].At != nil {
			return true
		}
	}
	return false
}

// EncodeRoom returns the number of bytes of memory that Encode of a box takes in addition to src
// and the stored forms. It includes the state of encoders.
func (c *Chunk) EncodeRoom(src Memory, b grid.Box) int64 {
	_, ok := b.Contiguous(src.Shape)
	switch full := b.Pairs == nil && !c.listed(b) && b.Full(c.Shape); {
	case c.of != nil:
		return add(int64(c.Bytes), add(c.of.rooms.whole, c.of.rooms.packed))
	case full && ok:
		return c.rooms.packed
	case full:
		return c.rooms.taken
	case c.LaysOver():
		return 0
	}
	return add(c.rooms.whole, c.rooms.packed)
}

// MostRoom returns the maxima of DecodeRoom and EncodeRoom over all boxes.
func (c *Chunk) MostRoom() (decode, encode int64) {
	encode = add(c.rooms.whole, max(c.rooms.packed, c.rooms.taken))
	if c.of != nil {
		encode = add(int64(c.Bytes), add(c.of.rooms.whole, c.of.rooms.packed))
	}
	return c.rooms.whole, encode
}

// measure computes the rooms of a chunk from the memory that its codecs take.
func (c *Chunk) measure() rooms {
	if c.options.varies {
		return rooms{whole: int64(c.Bytes)}
	}
	all := codec.Whole(codec.Block{}, c.Shape, c.Size)
	var r rooms
	_, r.whole = c.Chain.Room(codec.Strided{})
	r.whole = max(r.whole, int64(c.Bytes))
	r.placed, r.rows, r.box = r.whole-int64(c.Bytes), r.whole, r.whole
	r.packed = c.Chain.EncodeRoom(all)
	r.taken = r.packed
	last, first := len(c.Shape)-1, true
	for i := last; i >= 0; i-- {
		n, stride := c.Shape[i], &all.Axes[i].Stride
		if n < 2 {
			continue
		}
		*stride *= 2 // gaps between the parts along this axis
		if first {
			_, r.box = c.Chain.Room(all)
			r.taken = c.Chain.EncodeRoom(all)
		}
		if i < last && c.Shape[last] > 1 { // no gaps along the last axis
			_, r.rows = c.Chain.Room(all)
			break
		}
		*stride /= 2
		first = false
	}
	return r
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
