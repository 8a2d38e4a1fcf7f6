package codec

import "github.com/zargo-io/zargo/zarr/fault"

// Decode fills dst with the chunk whose stored form is src. dst has the size of In (fault.Selection otherwise) and does
// not overlap src. s may be nil. Where the array lies in dst as it was serialised, the first bytes-to-bytes codec
// decodes straight into dst.Bytes. Bytes beyond len(dst.Bytes) are never touched; after an error dst is undefined.
//
// Items of a chunk whose elements vary in length lie in src or in s, until either is used again, or, as labels and fill values do,
// in the chain: do not change them.
//
// Errors: fault.Corrupt when src does not decode to exactly a chunk, errors.ErrUnsupported when it uses what is not
// implemented; they name the codec.
func (c *Chain) Decode(dst Block, src []byte, s *Scratch) error {
	if err := c.whole.fits(dst); err != nil {
		return err
	}
	if c.packed.bytes > maxKept && int64(len(src)) < c.least {
		return fault.Newf(fault.Corrupt, "%d bytes are stored of a chunk of %d, whose codecs make %d or more", len(src), c.whole.bytes, c.least)
	}
	if s == nil {
		s = &Scratch{}
	}
	to := dst
	if k := len(c.arrays); k > 0 {
		to = s.block(k%2, c.packed)
	}
	if err := c.unpack(to, src, s); err != nil {
		return err
	}
	for i := len(c.arrays) - 1; i >= 0; i-- {
		a, from := c.arrays[i], to
		if to = dst; i > 0 {
			to = s.block(i%2, a.in)
		}
		if err := a.codec.Decode(to, from); err != nil {
			return named(a.name, kinded(fault.Corrupt, err))
		}
	}
	return nil
}

// unpack undoes the codecs from bytes to bytes, last first, and then the one from array to bytes.
func (c *Chain) unpack(to Block, src []byte, s *Scratch) error {
	inPlace, direct := c.array.(InPlace)
	b, flip := src, 0
	for i := len(c.bytes) - 1; i >= 0; i-- {
		st := &c.bytes[i]
		var err error
		switch v, isView := st.codec.(View); {
		case isView:
			b, err = v.DecodeView(b)
		case i == 0 && direct:
			b, err = st.codec.Decode(to.Bytes[:0:len(to.Bytes)], b, len(to.Bytes))
		default:
			b, err = st.codec.Decode(s.bytes[flip][:0], b, st.limit)
			if err == nil {
				s.keep(flip, b)
			}
			flip = 1 - flip
		}
		if err != nil {
			return named(st.name, kinded(fault.Corrupt, err))
		}
		if err := st.check(len(b)); err != nil {
			return named(st.name, err)
		}
	}
	if !direct {
		return c.wrap(c.array.Decode(to, b))
	}
	if len(b) != len(to.Bytes) {
		return c.wrap(fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d", len(b), len(to.Bytes)))
	}
	if len(b) > 0 && &b[0] != &to.Bytes[0] {
		copy(to.Bytes, b)
	}
	return c.wrap(inPlace.DecodeInPlace(to.Bytes))
}

// check compares what came out with what is due.
func (st *bytesStage) check(n int) error {
	if st.size >= 0 && int64(n) != st.size {
		return fault.Newf(fault.Corrupt, "decodes to %d bytes, %d are due", n, st.size)
	}
	if n > st.limit {
		return fault.Newf(fault.Corrupt, "decodes to %d bytes, at most %d are due", n, st.limit)
	}
	return nil
}

func (c *Chain) wrap(err error) error {
	if err != nil {
		return named(c.name, kinded(fault.Corrupt, err))
	}
	return nil
}
