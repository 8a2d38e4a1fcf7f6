package codec

import "github.com/zargo-io/zargo/zarr/fault"

// Decode is DecodeTo all of a chunk, which lies in dst in C order. dst has the size of In
// (fault.Selection otherwise).
func (c *Chain) Decode(dst Block, src []byte, s *Scratch) error {
	if err := c.whole.fits(dst); err != nil {
		return err
	}
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	return c.decode(s.whole(c.whole.block(dst), c.whole), src, s)
}

// DecodeTo sets dst, a box of the chunk whose stored form is src. fault.Selection when the box does
// not fit the chunk or its memory; a Strided without memory and axes decodes the chunk and forgets
// it. s may be nil. dst does not overlap src, unless src is what was received, or encoded by
// [Chain.EncodeInPlace], where [Chain.Room] said. Where the array lies in dst as it was serialised,
// the first bytes-to-bytes codec decodes straight into it; where codecs only move elements or swap
// their bytes, they are moved once. Bytes between those of the box are never touched; after an
// error the box is undefined.
//
// What is stored of elements outside the box need not be decoded, and then nothing says whether it
// could be.
//
// Items of a chunk whose elements vary in length lie in src or in s, until either is used again,
// or, as labels and fill values do, in the chain: do not change them.
//
// Errors: fault.Corrupt when src does not decode to exactly a chunk, errors.ErrUnsupported when it
// uses what is not implemented; they name the codec.
func (c *Chain) DecodeTo(dst Strided, src []byte, s *Scratch) error {
	if s == nil {
		s = &Scratch{}
	}
	s.steps = s.steps[:0]
	if dst.forgets() {
		return c.decode(dst, src, s)
	}
	if err := dst.check(c.whole); err != nil {
		return err
	}
	dst.Block = c.whole.block(dst.Block)
	return c.decode(dst, src, s)
}

func (c *Chain) decode(dst Strided, src []byte, s *Scratch) error {
	if c.packed.bytes > maxKept && int64(len(src)) < c.least {
		return fault.Newf(fault.Corrupt, "%d bytes are stored of a chunk of %d, whose codecs make %d or more", len(src), c.whole.bytes, c.least)
	}
	if dst.forgets() {
		dst = s.whole(s.block(2, c.whole), c.whole)
	}
	return c.decodeArray(0, 0, dst, src, s)
}

// decodeArray sets a box of the array that enters the i-th codec from array to array. Block slot of
// s is free for the array that leaves it, 1-slot for those after it, and the last one for what is
// copied into the box; dst may lie in any of them, since it is written when the others have been
// read.
func (c *Chain) decodeArray(i, slot int, dst Strided, src []byte, s *Scratch) error {
	for ; i < len(c.arrays); i++ {
		moved, ok := through(c.arrays[i].codec, dst, s)
		if _, same := c.arrays[i].codec.(decodedAsIs); !ok && !same {
			break
		}
		dst = moved
	}
	if i == len(c.arrays) {
		return c.unpack(slot, dst, src, s)
	}
	a, out := &c.arrays[i], c.into(i)
	block, direct := dst.contiguous(a.in)
	view, isView := a.codec.(decodedView)
	if isView && direct && view.same() {
		return c.decodeArray(i+1, slot, s.whole(block, out), src, s)
	}
	from := s.block(slot, out)
	if err := c.decodeArray(i+1, 1-slot, s.whole(from, out), src, s); err != nil {
		return err
	}
	if isView {
		view.copyView(dst, from)
		return nil
	}
	if !direct {
		block = s.block(2, a.in)
	}
	if err := a.codec.Decode(block, from); err != nil {
		return named(a.name, kinded(fault.Corrupt, err))
	}
	if !direct {
		dst.copyTo(block, a.in)
	}
	return nil
}

// decodedView is a codec from array to array whose decoded elements lie, as they are, in the
// encoded array.
type decodedView interface {
	// same reports whether they have the same order there, and nothing lies between them.
	same() bool
	// copyView copies a box of the decoded array out of the encoded one.
	copyView(dst Strided, encoded Block)
}

// decodedAsIs is a codec from array to array that changes nothing when it decodes.
type decodedAsIs interface{ decodedAsIs() }

// through is the box of the array that leaves a codec for one of the array that enters it, where
// the codec only moves elements.
func through(codec ArrayArray, box Strided, s *Scratch) (Strided, bool) {
	switch t := codec.(type) {
	case *transpose:
		return t.through(box, s.axes(len(box.Axes))), true
	case Mover:
		return t.Through(box), true
	}
	return box, false
}

// unpack undoes the codecs from bytes to bytes, last first, and then the one from array to bytes.
func (c *Chain) unpack(slot int, dst Strided, src []byte, s *Scratch) error {
	inPlace, plain := c.array.(InPlace)
	raw, rows := c.array.(*rawBytes)
	rows = rows && !raw.isValidated()
	to, direct := dst.contiguous(c.packed)
	b, flip := src, 0
	for i := len(c.bytes) - 1; i >= 0; i-- {
		st := &c.bytes[i]
		_, isView := st.codec.(View)
		var err error
		switch {
		case i == 0 && plain && direct && !isView:
			b, err = st.codec.Decode(to.Bytes[:0:len(to.Bytes)], b, len(to.Bytes))
			err = st.decoded(b, err)
		case i == 0 && rows && !isView && places(st.codec, dst):
			if err := st.codec.(Placer).DecodeTo(dst, b, s); err != nil {
				return named(st.name, kinded(fault.Corrupt, err))
			}
			raw.settle(dst)
			return nil
		default:
			b, err = c.undo(i, b, &flip, s)
		}
		if err != nil {
			return err
		}
	}
	placer, ok := c.array.(Placer)
	switch {
	case plain && len(b) != c.packed.bytes:
		return c.wrap(fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d", len(b), c.packed.bytes))
	case plain && direct && (len(b) == 0 || &b[0] == &to.Bytes[0]):
		return c.wrap(inPlace.DecodeInPlace(to.Bytes))
	case ok && (raw == nil || rows):
		return c.wrap(placer.DecodeTo(dst, b, s))
	case direct:
		return c.wrap(c.array.Decode(to, b))
	}
	to = s.block(slot, c.packed)
	if err := c.array.Decode(to, b); err != nil {
		return c.wrap(err)
	}
	dst.copyTo(to, c.packed)
	return nil
}

// undo decodes by the i-th codec from bytes to bytes, within b or in memory of s. flip is which, of
// two that are used by turns.
func (c *Chain) undo(i int, b []byte, flip *int, s *Scratch) (_ []byte, err error) {
	st := &c.bytes[i]
	if view, ok := st.codec.(View); ok {
		b, err = view.DecodeView(b)
		return b, st.decoded(b, err)
	}
	b, err = st.codec.Decode(s.take(*flip, c.between(st)), b, st.limit)
	if err == nil {
		s.keep(*flip, b)
	}
	*flip = 1 - *flip
	return b, st.decoded(b, err)
}

// decoded names the codec in an error, and compares what came out with what is due.
func (st *bytesStage) decoded(b []byte, err error) error {
	if err != nil {
		return named(st.name, kinded(fault.Corrupt, err))
	}
	if err := st.check(len(b)); err != nil {
		return named(st.name, err)
	}
	return nil
}

// places reports whether a codec is to write the elements of a box where they belong.
func places(codec BytesBytes, box Strided) bool {
	if _, ok := codec.(Placer); !ok {
		return false
	}
	b, ok := codec.(*bloscCodec)
	return !ok || b.places(box)
}

// between is how many bytes of memory a codec decodes to; -1 where that is not known, because
// elements vary in length.
func (c *Chain) between(st *bytesStage) int64 {
	switch {
	case st.size >= 0:
		return st.size
	case c.packed.items:
		return -1
	}
	return int64(st.limit)
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
