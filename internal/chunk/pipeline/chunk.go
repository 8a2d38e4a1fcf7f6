package pipeline

import (
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Memory is a region of an array in C order. If Block is empty and Use is nil, chunks are decoded
// and discarded.
type Memory struct {
	codec.Block
	Shape []int // elements along each axis
	// Use, if not nil, receives the elements of a region that is read without lists, instead of
	// Block. The elements must have a fixed length.
	Use Use
}

// Chunk contains the codecs, bound to chunks or shards of one shape. It is immutable, and its
// fields must not be changed.
type Chunk struct {
	Shape []int        // elements along each axis
	Size  int          // bytes of one element
	Bytes int          // bytes of the decoded chunk
	Chain *codec.Chain // encodes and decodes the chunk
	Fill  []byte       // one element; nil if it is undefined or differs within a structure

	Shards *codec.Shards // nil if the chunk is read whole
	Inner  *Chunk        // an inner chunk, if Shards is not nil

	fill    filler
	options *Options
	field   *codec.Field // the field, for a chunk of one field's values
	of      *Chunk       // the chunk of structures, if field is not nil
	items   *Items       // has the elements of varying length; nil if only sizes are needed

	rooms rooms
	spans bool // the stored bytes are the elements; see Span
}

func newChunk(p *Pipeline, shape []int, bytes int, chain *codec.Chain) *Chunk {
	c := &Chunk{Shape: shape, Size: p.typ.Size(), Bytes: bytes, Chain: chain, Fill: p.fill.defined, fill: p.fill, options: &p.options}
	if c.Size == 0 { // numbers of elements; the number of the fill value is 0
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

// Decode decodes src, the stored form of the chunk. It sets a box of dst to the elements that the
// box selects. If the selection has lists, Decode decodes the whole chunk in scratch memory.
// Otherwise it uses [codec.Chain.DecodeTo]. src may have been received in the memory that Room
// returned. After an error the contents of the box are undefined.
//
// Decode returns fault.Corrupt if src is not a valid chunk. It returns fault.Limit if the chunk is
// longer than Options.ChunkLimit, unless the box is the whole chunk without gaps in dst.
func (c *Chunk) Decode(dst Memory, b grid.Box, src []byte, s *Scratch) error {
	if dst.Use != nil {
		if err := c.limit(); err != nil {
			return err
		}
		return c.use(dst, b, s, func(m Memory, b grid.Box) error { return c.Decode(m, b, src, s) })
	}
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
	// The box is the whole chunk, so the numbers are decoded in place.
	if off, ok := b.Contiguous(dst.Shape); ok && dst.Bytes != nil && b.Full(c.Shape) {
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

// Room returns memory of dst that can receive the stored form of the chunk, so that decoding it to
// the box copies nothing. The memory has length 0 and capacity for the expected bytes. Room returns
// nil in two cases: the stored bytes are not the elements in C order, or the box is not the whole
// chunk without gaps in dst.
func (c *Chunk) Room(dst Memory, b grid.Box) (direct []byte) {
	off, ok := b.Contiguous(dst.Shape)
	if !ok || dst.Bytes == nil || !c.Chain.InMemory() || !b.Full(c.Shape) {
		return nil
	}
	off *= c.Size
	return dst.Bytes[off : off : off+c.Bytes]
}

// decode returns the whole decoded chunk, in scratch memory.
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

// decodeItems is Decode for part of a chunk whose elements vary in length. It retains only the
// selected elements.
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

// mayHold returns fault.Limit if the chunk is too long to be held in memory. For a chunk longer
// than maxKept, mayHold also returns fault.Corrupt if the number of stored bytes is too small. The
// caller then allocates no memory.
func (c *Chunk) mayHold(src []byte) error {
	if least := c.Chain.MinEncoded(); c.Bytes > maxKept && int64(c.Bytes) <= c.options.ChunkLimit && int64(len(src)) < least {
		return fault.Newf(fault.Corrupt, "the stored chunk of shape %v has %d bytes, want at least %d", c.Shape, len(src), least)
	}
	return c.limit()
}

// limit returns fault.Limit if the decoded chunk has more than ChunkLimit bytes.
func (c *Chunk) limit() error {
	if int64(c.Bytes) > c.options.ChunkLimit {
		return fault.Newf(fault.Limit, "a chunk of shape %v has %d bytes, more than Limits.Chunk (%d)", c.Shape, c.Bytes, c.options.ChunkLimit)
	}
	return nil
}

// room returns scratch memory for the decoded chunk, with undefined contents.
func (c *Chunk) room(s *Scratch) ([]byte, error) {
	if err := c.limit(); err != nil {
		return nil, err
	}
	return s.room(c.Bytes), nil
}

// Encode replaces the elements of a box of the chunk by elements of src, and appends the new stored
// form of the chunk to dst. old is the previous stored form. It is nil if the chunk was not stored,
// or if no previous element remains. If old is nil, the elements outside the box become the fill
// value. If all elements are the fill value, the chunk need not be stored: fill is true, and Encode
// appends nothing.
//
// If the box is the whole chunk, it is encoded directly from src. For the values of one field, the
// structures are decoded, changed and encoded. If LaysOver returns true, dst may be old[:0]; Encode
// then changes old in place and returns it. The errors are those of Decode.
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

// AsItLies returns the part of src that equals the stored form of a chunk. The box must select the
// whole chunk. If the stored form differs from the elements in src, ok is false, and the caller
// must call Encode.
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

// IsFill reports whether all elements of the chunk are the fill value, so that the chunk need not
// be stored. The argument stored must be the result of AsItLies.
func (c *Chunk) IsFill(stored []byte) bool {
	return !c.options.StoreFill && c.Fill != nil && grid.IsFill(stored, c.Fill)
}

// encodeItems is Encode for elements that vary in length. Elements decoded from old are retained
// only until encodeItems returns.
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

// encode is Encode for the whole chunk, directly from src.
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

// LaysOver reports whether the stored bytes of the chunk are its elements in C order, so that
// Encode can change part of it in place.
func (c *Chunk) LaysOver() bool { return c.Chain.InMemory() }

// layOver is Encode for part of a chunk whose stored bytes are its elements. It changes the
// elements in the stored form. old is nil or has the length of the chunk.
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

// gather returns all elements of the new chunk. For the values of a field, it returns the
// structures.
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

// before returns the previous decoded chunk. If old is nil, it returns a chunk of the fill value.
// If needed is false, the contents of the result are undefined.
func (c *Chunk) before(old []byte, s *Scratch, needed bool) ([]byte, error) {
	if old != nil && needed {
		return c.decode(old, s)
	}
	whole, err := c.room(s)
	if err == nil && needed {
		grid.Fill(whole, c.fill.one)
	}
	return whole, err
}

// FillBox sets a box of dst to the fill value, or to the default of the data type if the fill value
// is undefined.
func (c *Chunk) FillBox(dst Memory, b grid.Box) {
	switch {
	case dst.Use != nil:
		c.fill.useFill(dst, b)
	case dst.Bytes != nil:
		c.fill.set(dst, b)
	}
}

// filler is the fill value of an array.
type filler struct {
	defined []byte // one element; nil if it is undefined or all is set
	one     []byte // one element: defined, or the default of the type if defined is nil
	all     []byte // the fill values of one structure if they differ, else nil
	within  []int  // the shape of all, along the last axes
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
