package codec

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Span is which of the stored bytes the elements of a box lie in: n bytes from off on, from which
// DecodeSpan makes the box. m needs no memory. It is ok only where stored bytes are the elements,
// in whatever order of axes: of what is compressed nothing is known before it is there, and where
// elements are checked one by one none is left out. Not ok also for a box of no elements.
func (c *Chain) Span(m Strided) (off, n int64, ok bool) {
	if !c.Spans() {
		return 0, 0, false
	}
	if len(c.arrays) == 0 {
		return span(m, c.packed)
	}
	m.Axes = slices.Clone(m.Axes) // so that the caller's stay on its stack
	return span(c.moved(m, &Scratch{}), c.packed)
}

// Spans reports whether Span is ok for the boxes that have elements.
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

// moved is a box of the array that is serialised, for one of the chunk.
func (c *Chain) moved(m Strided, s *Scratch) Strided {
	for i := range c.arrays {
		m, _ = through(c.arrays[i].codec, m, s)
	}
	return m
}

// span is from the first to the last byte of a box of a serialised array.
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

// DecodeSpan is DecodeTo for src that has only the stored bytes that Span says. src may be what was
// received where the box lies, if that has no gaps there and they have the order of its elements.
// fault.Corrupt when src has another length.
func (c *Chain) DecodeSpan(dst Strided, src []byte, s *Scratch) error {
	if err := dst.check(c.whole); err != nil {
		return err
	}
	if !c.Spans() {
		return fault.Newf(fault.Selection, "a range of the bytes of a chunk whose codecs take all")
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
		return c.wrap(fault.Newf(fault.Corrupt, "%d bytes, the box has %d", len(src), n))
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

// DecodeElements turns a stretch of stored elements into memory form where it lies. It is for
// chains whose Spans is true, and for whole elements: fault.Selection otherwise.
func (c *Chain) DecodeElements(b []byte) error {
	raw, ok := c.array.(*rawBytes)
	if !ok || !c.Spans() || len(b)%c.packed.size != 0 {
		return fault.Newf(fault.Selection, "%d bytes of a chunk whose codecs take all", len(b))
	}
	if raw.fix != nil {
		raw.fix(b)
	}
	return nil
}
