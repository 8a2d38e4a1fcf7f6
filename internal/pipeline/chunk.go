package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Memory is a region of an array in C order. Without a Block chunks are decoded and forgotten.
type Memory struct {
	codec.Block
	Shape []int // elements along each axis
}

// Chunk is the codecs bound to chunks of one shape, or to shards. It is immutable: do not change
// what it has.
type Chunk struct {
	Shape []int        // elements along each axis
	Size  int          // bytes of one element
	Bytes int          // of the decoded chunk
	Chain *codec.Chain // to what is stored and back
	Fill  []byte       // one element; nil where it is undefined, or differs within an element of structures

	Shards *codec.Shards // nil where the chunk is read as a whole
	Inner  *Chunk        // of a shard with Shards: one of its inner chunks

	fill    filler
	options *Options
	field   *codec.Field // of a chunk of one field's values; else nil
	of      *Chunk       // of field: the structures
	items   *Items       // of elements of varying length: what their numbers are of; nil where only sizes are asked for

	rooms rooms
	spans bool // its stored bytes are its elements: Span
}

func newChunk(p *Pipeline, shape []int, bytes int, chain *codec.Chain) *Chunk {
	c := &Chunk{Shape: shape, Size: p.typ.Size(), Bytes: bytes, Chain: chain, Fill: p.fill.defined, fill: p.fill, options: &p.options}
	if c.Size == 0 { // numbers, of which the fill value has 0
		c.Size, c.fill = 8, filler{one: make([]byte, 8)}
		if c.Fill != nil {
			c.Fill, c.fill.defined = c.fill.one, c.fill.one
		}
	}
	if s := chain.Shards(); s != nil {
		c.Shards = s
		c.Inner = newChunk(p, s.Chunk, bytes/s.Len(), s.Inner)
	}
	c.rooms = c.measure()
	c.spans = c.Shards == nil && !p.options.varies && chain.Spans()
	return c
}

// Decode sets a box of dst to what it selects of the chunk whose stored form is src: by
// [codec.Chain.DecodeTo], or, where lists say what is selected, out of the whole chunk in scratch
// memory. src may be what was received where Room said. fault.Corrupt when src is no chunk,
// fault.Limit when that is longer than Options.ChunkLimit and the box is not all of it, without
// gaps in dst. After an error the box is undefined.
func (c *Chunk) Decode(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	if dst.Bytes != nil && c.items == nil {
		if box, ok := s.place(dst, b, c.Size); ok {
			if _, ok := b.Contiguous(dst.Shape); !ok || !b.Full(c.Shape) {
				if err := c.mayHold(src); err != nil {
					return err
				}
			}
			return c.Chain.DecodeTo(box, src, s.of(c))
		}
	}
	if off, ok := b.Contiguous(dst.Shape); ok && dst.Bytes != nil && b.Full(c.Shape) { // of numbers of items
		off *= c.Size
		return c.items.decode(dst.Bytes[off:off+c.Bytes], c, src, s.of(c))
	}
	if c.items != nil && dst.Bytes != nil {
		return c.decodeItems(dst, b, src, s)
	}
	whole, err := c.decode(src, s)
	if err != nil || dst.Bytes == nil {
		return err
	}
	b.FromChunk(dst.Bytes, whole, dst.Shape, c.Shape, c.Size)
	return nil
}

// Room returns where the stored form of the chunk can be received, so that decoding it to a box of
// dst copies nothing: of length 0, with a capacity for as many bytes as are due. It is nil unless
// the stored bytes are the elements in C order and the box is all of the chunk, without gaps in
// dst.
func (c *Chunk) Room(dst Memory, b grid.Box) (direct []byte) {
	off, ok := b.Contiguous(dst.Shape)
	if !ok || dst.Bytes == nil || !c.Chain.InMemory() || !b.Full(c.Shape) {
		return nil
	}
	off *= c.Size
	return dst.Bytes[off : off : off+c.Bytes]
}

// decode gives the whole chunk, in scratch memory.
func (c *Chunk) decode(src []byte, s *Scratch) ([]byte, error) {
	if err := c.mayHold(src); err != nil {
		return nil, err
	}
	whole := s.room(c.Bytes)
	if c.items != nil {
		return whole, c.items.decode(whole, c, src, s.of(c))
	}
	return whole, c.Chain.Decode(codec.Block{Bytes: whole}, src, s.of(c))
}

// decodeItems is Decode of a part of a chunk whose elements vary in length. Those that are not
// selected are not kept.
func (c *Chunk) decodeItems(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	if err := c.mayHold(src); err != nil {
		return err
	}
	whole := s.room(c.Bytes)
	clear(whole)
	b.FillRegion(dst.Bytes, dst.Shape, wanted)
	b.ToChunk(whole, dst.Bytes, dst.Shape, c.Shape, c.Size)
	if err := c.items.decodeWanted(whole, c, src, s.of(c)); err != nil {
		return err
	}
	b.FromChunk(dst.Bytes, whole, dst.Shape, c.Shape, c.Size)
	return nil
}

// mayHold refuses a chunk that may not be held in memory. It looks at the number of stored bytes
// before there is more room than a Scratch keeps.
func (c *Chunk) mayHold(src []byte) error {
	if least := c.Chain.MinEncoded(); c.Bytes > maxKept && int64(c.Bytes) <= c.options.ChunkLimit && int64(len(src)) < least {
		return fault.Newf(fault.Corrupt, "%d bytes are stored of a chunk of shape %v, whose codecs make %d or more", len(src), c.Shape, least)
	}
	return c.limit()
}

// limit refuses a decoded chunk of more than ChunkLimit.
func (c *Chunk) limit() error {
	if int64(c.Bytes) > c.options.ChunkLimit {
		return fault.Newf(fault.Limit, "a chunk of shape %v has %d bytes, more than Limits.Chunk (%d)", c.Shape, c.Bytes, c.options.ChunkLimit)
	}
	return nil
}

// room is scratch memory for the decoded chunk, of undefined contents.
func (c *Chunk) room(s *Scratch) ([]byte, error) {
	if err := c.limit(); err != nil {
		return nil, err
	}
	return s.room(c.Bytes), nil
}

// Encode appends to dst the stored form of the chunk after a box of src was laid over it. old is
// the stored form before; nil when there was none, or nothing of it stays: then what the box does
// not select is the fill value. fill reports a chunk that is all fill value and shall not be
// stored; nothing is appended then. Where the box selects all of the chunk, it is encoded from
// where it lies in src. Of one field's values the structures are decoded, changed and encoded.
// Where the chunk LaysOver, dst may be old[:0]: then old is changed, and is what is returned.
// Errors are as for Decode.
func (c *Chunk) Encode(dst, old []byte, src Memory, b grid.Box, s *Scratch) (out []byte, fill bool, err error) {
	stored := c
	if c.of != nil {
		stored = c.of
	}
	if c.of == nil && c.items == nil && b.Full(c.Shape) {
		if box, ok := s.place(src, b, c.Size); ok {
			return c.encode(dst, src, b, box, s)
		}
	}
	if c.items != nil {
		return c.encodeItems(dst, old, src, b, s)
	}
	if c.LaysOver() && (old == nil || len(old) == c.Bytes) {
		return c.layOver(dst, old, src, b, s)
	}
	whole, err := c.gather(old, src, b, s)
	if err != nil {
		return dst, false, err
	}
	if !c.options.StoreFill && stored.Fill != nil && grid.IsFill(whole, stored.Fill) {
		return dst, true, nil
	}
	out, err = stored.Chain.Encode(dst, codec.Block{Bytes: whole}, s.of(c))
	return out, false, err
}

// AsItLies gives the stored form of a chunk that the box selects all of, where it lies in src. ok
// is false where that has to be made, by Encode.
func (c *Chunk) AsItLies(src Memory, b grid.Box) (stored []byte, ok bool) {
	if c.of != nil || c.items != nil || !b.Full(c.Shape) || !c.Chain.AsInMemory() {
		return nil, false
	}
	off, ok := b.Contiguous(src.Shape)
	if !ok {
		return nil, false
	}
	at := off * c.Size
	return src.Bytes[at : at+c.Bytes : at+c.Bytes], true
}

// IsFill reports whether the chunk is all fill value and shall not be stored, for what AsItLies
// gave.
func (c *Chunk) IsFill(stored []byte) bool {
	return !c.options.StoreFill && c.Fill != nil && grid.IsFill(stored, c.Fill)
}

// encodeItems is Encode of elements that vary in length. Those that were stored before are kept no
// longer than that takes.
func (c *Chunk) encodeItems(dst, old []byte, src Memory, b grid.Box, s *Scratch) (out []byte, fill bool, err error) {
	if old != nil {
		err = c.mayHold(old)
	} else {
		err = c.limit()
	}
	if err != nil {
		return dst, false, err
	}
	whole, before := s.room(c.Bytes), c.items.beside()
	switch full := b.Full(c.Shape); {
	case full:
	case old == nil:
		clear(whole)
	default:
		if err := before.decode(whole, c, old, s.of(c)); err != nil {
			return dst, false, err
		}
		mark(whole)
	}
	b.ToChunk(whole, src.Bytes, src.Shape, c.Shape, c.Size)
	if !c.options.StoreFill && c.Fill != nil && grid.IsFill(whole, c.Fill) {
		return dst, true, nil
	}
	out, err = c.Chain.Encode(dst, codec.Block{Items: c.items.get(whole, before)}, s.of(c))
	return out, false, err
}

// encode is Encode of all of the chunk, from where it lies.
func (c *Chunk) encode(dst []byte, src Memory, b grid.Box, box codec.Strided, s *Scratch) (out []byte, fill bool, err error) {
	if _, ok := b.Contiguous(src.Shape); !ok {
		if err := c.limit(); err != nil {
			return dst, false, err
		}
	}
	if !c.options.StoreFill && c.Fill != nil && box.IsFill(c.Fill) {
		return dst, true, nil
	}
	out, err = c.Chain.EncodeFrom(dst, box, s.of(c))
	return out, false, err
}

// LaysOver reports that the stored bytes of the chunk are its elements in C order, so that what is
// written of a part of it is laid over them.
func (c *Chunk) LaysOver() bool { return c.Chain.InMemory() }

// layOver is Encode of a part of the chunk in the memory that its stored form takes. old has the
// length of the chunk, or is nil.
func (c *Chunk) layOver(dst, old []byte, src Memory, b grid.Box, s *Scratch) (out []byte, fill bool, err error) {
	if err := c.limit(); err != nil {
		return dst, false, err
	}
	at := len(dst)
	out = slices.Grow(dst, c.Bytes)[:at+c.Bytes]
	whole := codec.Block{Bytes: out[at:]}
	if old == nil {
		grid.Fill(whole.Bytes, c.fill.one)
	} else {
		if c.Bytes > 0 && &old[0] != &whole.Bytes[0] {
			copy(whole.Bytes, old)
		}
		if err := c.Chain.Decode(whole, whole.Bytes, s.of(c)); err != nil {
			return dst, false, err
		}
	}
	b.ToChunk(whole.Bytes, src.Bytes, src.Shape, c.Shape, c.Size)
	if !c.options.StoreFill && c.Fill != nil && grid.IsFill(whole.Bytes, c.Fill) {
		return dst, true, nil
	}
	if err := c.Chain.EncodeInPlace(whole.Bytes); err != nil {
		return dst, false, err
	}
	return out, false, nil
}

// gather gives the whole decoded chunk as it is to be stored: of a field's values the structures.
func (c *Chunk) gather(old []byte, src Memory, b grid.Box, s *Scratch) (whole []byte, err error) {
	if c.of != nil {
		return c.gatherField(old, src, b, s)
	}
	full := b.Full(c.Shape)
	if whole, err = c.before(old, s, !full); err != nil {
		return nil, err
	}
	b.ToChunk(whole, src.Bytes, src.Shape, c.Shape, c.Size)
	return whole, nil
}

// before gives the decoded chunk as it was stored. Where nothing was, it is the fill value if that
// matters.
func (c *Chunk) before(old []byte, s *Scratch, matters bool) ([]byte, error) {
	if old != nil && matters {
		return c.decode(old, s)
	}
	whole, err := c.room(s)
	if err == nil && matters {
		grid.Fill(whole, c.fill.one)
	}
	return whole, err
}

// FillBox sets a box of dst to the fill value, or to zero where that is undefined.
func (c *Chunk) FillBox(dst Memory, b grid.Box) {
	if dst.Bytes != nil {
		c.fill.set(dst, b)
	}
}

// filler is the fill value of an array.
type filler struct {
	defined []byte // one element; nil where it is undefined, or all is set
	one     []byte // one element: that, or zero
	all     []byte // the values within an element of structures, where they differ; else nil
	within  []int  // their shape, of the last axes
}

func (f *filler) set(dst Memory, b grid.Box) {
	if f.all == nil {
		b.FillRegion(dst.Bytes, dst.Shape, f.one)
		return
	}
	n := len(f.one)
	for i := range product(f.within) {
		b.Within(f.within, i).FillRegion(dst.Bytes, dst.Shape, f.all[i*n:(i+1)*n])
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
