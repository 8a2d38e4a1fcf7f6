package codec

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Span returns the range of the stored bytes that holds the elements of the box m: n bytes at
// offset off. [Chain.DecodeSpan] decodes the box from that range. m needs no memory. ok is false if
// the box has no elements or if the chunk must be read whole. A chunk must be read whole if it is
// compressed or if each of its elements is validated.
func (c *Chain) Span(m Strided) (off, n int64, ok bool) {
	if !c.Spans() {
		return 0, 0, false
	}
	if len(c.arrays) == 0 {
		return span(m, c.packed)
	}
	m.Axes = slices.Clone(m.Axes) // so that the caller's axes do not escape to the heap
	return span(c.moved(m, &Scratch{}), c.packed)
}

// Spans reports whether Span can return ranges of this chain's chunks.
func (c *Chain) Spans() bool {
	raw, ok := c.array.(*rawBytes)
	if !ok || raw.isValidated() || len(c.bytes) > 0 {
		return false
	}
	for i := range c.arrays {
		switch c.arrays[i].codec.(type) {
		case Mover, decodedAsIs:
		default:
			return false
		}
	}
	return true
}

// moved maps a box of the chunk to a box of the serialised array.
func (c *Chain) moved(m Strided, s *Scratch) Strided {
	for i := range c.arrays {
		m, _ = through(c.arrays[i].codec, m, s)
	}
	return m
}

// span returns the range of the bytes of a box in a serialised array.
func span(m Strided, st stage) (off, n int64, ok bool) {
	lo, hi, stride := int64(0), int64(0), int64(st.size)
	for i := len(st.shape) - 1; i >= 0; i-- {
		a := m.Axes[i]
		if a.N == 0 {
			return 0, 0, false
		}
		first, last := int64(a.Off), int64(a.Off)+int64(a.N-1)*int64(a.Each)
		lo, hi = lo+min(first, last)*stride, hi+max(first, last)*stride
		stride *= int64(st.shape[i])
	}
	return lo, hi - lo + int64(st.size), true
}

// DecodeSpan is [Chain.DecodeTo] for the range of stored bytes that [Chain.Span] returns. src may
// be the memory of dst if the box has no gaps there and its elements are in stored order.
// DecodeSpan returns fault.Corrupt if src does not have the length of the range.
func (c *Chain) DecodeSpan(dst Strided, src []byte, s *Scratch) error {
	if err := dst.check(c.whole); err != nil {
		return err
	}
	if !c.Spans() {
		return fault.Newf(fault.Selection, "the codecs cannot decode a range of a chunk")
	}
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	dst = c.moved(dst, s)
	off, n, ok := span(dst, c.packed)
	if !ok {
		return nil
	}
	if int64(len(src)) != n {
		return c.wrap(fault.Newf(fault.Corrupt, "the range has %d bytes, want %d", len(src), n))
	}
	raw := c.array.(*rawBytes) // see Spans
	if &src[0] == &dst.Bytes[dst.At] {
		raw.settle(dst)
		return nil
	}
	var m move
	m.fromChunk(dst, c.packed.shape)
	m.src -= int(off)
	m.bytes(dst.Bytes, src, dst.Size, raw.fix)
	return nil
}

// DecodeElements converts stored elements to memory form in place. It returns fault.Selection if
// [Chain.Spans] is false or if b does not consist of whole elements.
func (c *Chain) DecodeElements(b []byte) error {
	raw, ok := c.array.(*rawBytes)
	if !ok || !c.Spans() {
		return fault.Newf(fault.Selection, "the codecs cannot decode single elements of a chunk")
	}
	if len(b)%c.packed.size != 0 {
		return fault.Newf(fault.Selection, "%d bytes are not a multiple of the element size %d", len(b), c.packed.size)
	}
	if raw.fix != nil {
		raw.fix(b)
	}
	return nil
}
