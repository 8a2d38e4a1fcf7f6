package codec

// plainer is an ArrayBytes whose encoded form may be the bytes of the array themselves.
type plainer interface {
	plain(src Block) ([]byte, bool)
}

// Encode appends the stored form of a chunk to dst. src has the size of In (fault.Selection otherwise), is not changed
// and does not overlap dst. s may be nil. After an error dst is returned as it was.
func (c *Chain) Encode(dst []byte, src Block, s *Scratch) ([]byte, error) {
	if err := c.whole.fits(src); err != nil {
		return dst, err
	}
	if s == nil {
		s = &Scratch{}
	}
	for i, a := range c.arrays {
		next := c.packed
		if i+1 < len(c.arrays) {
			next = c.arrays[i+1].in
		}
		to := s.block(i%2, next)
		if err := a.codec.Encode(to, src); err != nil {
			return dst, named(a.name, err)
		}
		src = to
	}
	if len(c.bytes) == 0 {
		out, err := c.array.Encode(dst, src)
		if err != nil {
			return dst, named(c.name, err)
		}
		return out, nil
	}
	b, err := c.serialise(src, s)
	if err != nil {
		return dst, named(c.name, err)
	}
	last := len(c.bytes) - 1
	for i, st := range c.bytes[:last] {
		k := (i + 1) % 2
		if b, err = st.codec.Encode(s.bytes[k][:0], b); err != nil {
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

// serialise makes bytes of the array, without a copy where they are there already.
func (c *Chain) serialise(src Block, s *Scratch) ([]byte, error) {
	if p, ok := c.array.(plainer); ok {
		if b, ok := p.plain(src); ok {
			return b, nil
		}
	}
	b, err := c.array.Encode(s.bytes[0][:0], src)
	if err == nil {
		s.keep(0, b)
	}
	return b, err
}
