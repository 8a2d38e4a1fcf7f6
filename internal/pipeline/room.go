package pipeline

import (
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
)

// rooms are how many bytes the codecs of a chunk take beside its stored form and the region.
type rooms struct {
	placed int64 // to decode it where it lies without gaps
	rows   int64 // to decode all of it to rows of a region
	box    int64 // to decode any other box
	whole  int64 // to decode it elsewhere, itself included
	packed int64 // to encode it from where it lies without gaps
	taken  int64 // to encode it from rows of a region
}

// Varies reports that the lengths of the elements are not known before they are there: rooms have
// nothing for these.
func (c *Chunk) Varies() bool { return c.options.varies }

// DecodeRoom is how many bytes Decode of a box takes beside dst and the stored form: no more is
// asked of [Scratch.Lend].
func (c *Chunk) DecodeRoom(dst Memory, b grid.Box) int64 {
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

// listed reports whether lists say what a box selects.
func (c *Chunk) listed(b grid.Box) bool {
	for i := range b.Parts {
		if b.Parts[i].At != nil {
			return true
		}
	}
	return false
}

// EncodeRoom is how many bytes Encode of a box takes beside src and the stored forms, with what the
// state of encoders takes.
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

// MostRoom is the most that DecodeRoom and EncodeRoom say of any box.
func (c *Chunk) MostRoom() (decode, encode int64) {
	encode = add(c.rooms.whole, max(c.rooms.packed, c.rooms.taken))
	if c.of != nil {
		encode = add(int64(c.Bytes), add(c.of.rooms.whole, c.of.rooms.packed))
	}
	return c.rooms.whole, encode
}

// measure asks the codecs.
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
		*stride *= 2 // gaps between what has a number along this axis
		if first {
			_, r.box = c.Chain.Room(all)
			r.taken = c.Chain.EncodeRoom(all)
		}
		if i < last && c.Shape[last] > 1 { // and none along the last one
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
