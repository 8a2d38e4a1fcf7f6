package codec

import "github.com/zargo-io/zargo/zarr/fault"

// Encode is [Chain.EncodeFrom] for a chunk in C order. It returns fault.Selection if src does not
// have the size of In.
func (c *Chain) Encode(dst []byte, src Block, s *Scratch) ([]byte, error) {
	if err := c.whole.fits(src); err != nil {
		return dst, err
	}
	if c.reads != nil {
		return dst, c.reads
	}
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	return c.encode(dst, s.whole(c.whole.block(src), c.whole), s)
}

// EncodeFrom appends the stored form of a chunk to dst. src is a box with all elements of the
// chunk, in memory of any layout. It must not overlap dst, and EncodeFrom does not modify it. s may
// be nil. If the codecs only move elements or swap their bytes, each element is copied once.
//
// It returns fault.Selection if src is not the whole chunk or exceeds its memory. On error it
// returns dst unchanged.
func (c *Chain) EncodeFrom(dst []byte, src Strided, s *Scratch) ([]byte, error) {
	if err := src.check(c.whole); err != nil {
		return dst, err
	}
	if !src.covers(c.whole.shape) {
		return dst, fault.Newf(fault.Selection, "box %+v does not cover the chunk of shape %v", src.Axes, c.whole.shape)
	}
	if c.reads != nil {
		return dst, c.reads
	}
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	src.Block = c.whole.block(src.Block)
	return c.encode(dst, src, s)
}

// EncodeInPlace converts b from the elements of a chunk in C order to the stored form of the chunk.
// It requires [Chain.InMemory]. To reverse it, call Decode with b as source and destination.
// EncodeInPlace returns the errors of Encode. After an error b is undefined.
func (c *Chain) EncodeInPlace(b []byte) error {
	if err := c.whole.fits(Block{Bytes: b}); err != nil {
		return err
	}
	if c.reads != nil {
		return c.reads
	}
	in, ok := c.array.(InPlace)
	if !ok || !c.InMemory() {
		return fault.Newf(fault.Selection, "the codecs do not support encoding in place")
	}
	if err := in.EncodeInPlace(b); err != nil {
		return named(c.name, err)
	}
	return nil
}

func (c *Chain) encode(dst []byte, src Strided, s *Scratch) ([]byte, error) {
	slot := 0
	for i := range c.arrays {
		a, out := &c.arrays[i], c.into(i)
		moved, ok := through(a.codec, src, s)
		if ok {
			src = moved
			continue
		}
		block, direct := src.contiguous(a.in)
		if v, ok := a.codec.(decodedView); ok && direct && v.same() {
			src = s.whole(block, out)
			continue
		}
		if !direct {
			block = s.block(2, a.in)
			src.copyFrom(block, a.in)
		}
		to := s.block(slot, out)
		if err := a.codec.Encode(to, block); err != nil {
			return dst, named(a.name, err)
		}
		src, slot = s.whole(to, out), 1-slot
	}
	if len(c.bytes) == 0 {
		out, err := c.serialise(dst, src, s)
		if err != nil {
			return dst, named(c.name, err)
		}
		return out, nil
	}
	b, err := c.serialised(src, s)
	if err != nil {
		return dst, named(c.name, err)
	}
	last := len(c.bytes) - 1
	for i := range c.bytes[:last] {
		st, k := &c.bytes[i], (i+1)%2
		if b, err = st.codec.Encode(s.take(k, c.between(&c.bytes[i+1])), b); err != nil {
			return dst, named(st.name, err)
		}
		s.keep(k, b)
	}
	out, err := c.bytes[last].codec.Encode(dst, b)
	if err != nil {
		return dst, named(c.bytes[last].name, err)
	}
	return out, nil
}

// serialised returns the output of the array-to-bytes codec. It returns the memory of src if that
// has the same bytes, and otherwise a buffer of s.
func (c *Chain) serialised(src Strided, s *Scratch) ([]byte, error) {
	if p, ok := c.array.(plainer); ok {
		if block, direct := src.contiguous(c.packed); direct {
			if b, ok := p.plain(block); ok {
				return b, nil
			}
		}
	}
	b, err := c.serialise(s.take(0, c.between(&c.bytes[0])), src, s)
	if err == nil {
		s.keep(0, b)
	}
	return b, err
}

// plainer is an ArrayBytes whose encoded form may be equal to the bytes of the array.
type plainer interface {
	plain(src Block) ([]byte, bool)
}

// serialise appends the output of the array-to-bytes codec to dst.
func (c *Chain) serialise(dst []byte, src Strided, s *Scratch) ([]byte, error) {
	if g, ok := c.array.(Gatherer); ok {
		return g.EncodeFrom(dst, src, s)
	}
	block, direct := src.contiguous(c.packed)
	if !direct {
		block = s.block(2, c.packed)
		src.copyFrom(block, c.packed)
	}
	return c.array.Encode(dst, block)
}
