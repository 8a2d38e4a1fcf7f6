package codec

import "github.com/zargo-io/zargo/zarr/fault"

// Decode is [Chain.DecodeTo] for a whole chunk in C order. It returns fault.Selection if dst does
// not have the size of In.
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

// DecodeTo decodes the chunk whose stored form is src and sets dst, a box of the chunk. If dst has
// no memory and no axes, DecodeTo decodes the chunk and discards it. s may be nil.
//
// dst must not overlap src, with one exception: src may be the stored bytes in the buffer that
// [Chain.Room] returned, or the result of [Chain.EncodeInPlace].
//
// If dst has the layout of the serialised array, the first bytes-to-bytes codec decodes directly
// into dst. If the codecs only move elements or swap their bytes, each element is copied once.
// Bytes between the elements of the box are never modified. After an error the box is undefined.
// Elements outside the box need not be decoded, so errors in them may not be detected.
//
// Items of elements of varying length are slices of src or of memory of s, and are valid until that
// memory is reused. They may also be slices of memory of the chain, such as labels and fill values.
// The caller must not modify the items.
//
// Errors name the codec. DecodeTo returns fault.Corrupt if src does not decode to exactly one
// chunk, errors.ErrUnsupported if src uses a feature that is not implemented, and fault.Selection
// if the box exceeds the chunk or its memory.
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
		return fault.Newf(fault.Corrupt, "stored chunk has %d bytes, but a chunk of %d bytes encodes to at least %d", len(src), c.whole.bytes, c.least)
	}
	if dst.forgets() {
		dst = s.whole(s.block(2, c.whole), c.whole)
	}
	return c.decodeArray(0, 0, dst, src, s)
}

// decodeArray decodes to dst, a box of the array that enters array-to-array codec i on encoding. It
// uses three blocks of s: block slot for the output of codec i, block 1-slot for the outputs of
// later codecs, and the last block for copies into the box. dst may be in any of the blocks,
// because it is written after the others have been read.
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

// decodedView is an array-to-array codec whose decoded elements are part of the encoded array,
// unchanged.
type decodedView interface {
	// same reports whether the decoded elements are the whole encoded array, in the same order.
	same() bool
	// copyView copies the elements of one box, which refers to the decoded array, from the encoded
	// array.
	copyView(dst Strided, encoded Block)
}

// decodedAsIs is an array-to-array codec whose decoding changes nothing.
type decodedAsIs interface{ decodedAsIs() }

// through maps a box of a codec's input to the box of its output, if the codec only moves elements.
func through(codec ArrayArray, box Strided, s *Scratch) (Strided, bool) {
	switch t := codec.(type) {
	case *transpose:
		return t.through(box, s.axes(len(box.Axes))), true
	case Mover:
		return t.Through(box), true
	}
	return box, false
}

// unpack decodes the bytes-to-bytes codecs, last first, and then the array-to-bytes codec.
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
		return c.wrap(fault.Newf(fault.Corrupt, "the chunk has %d bytes, want %d", len(b), c.packed.bytes))
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

// undo decodes bytes-to-bytes codec i. The result is a part of b or in memory of s. undo uses two
// buffers of s alternately, and flip is the index of the next one.
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

// decoded adds the name of the codec to err. If err is nil, it checks the length of the decoded
// bytes b.
func (st *bytesStage) decoded(b []byte, err error) error {
	if err != nil {
		return named(st.name, kinded(fault.Corrupt, err))
	}
	if err := st.check(len(b)); err != nil {
		return named(st.name, err)
	}
	return nil
}

// places reports whether a codec should decode the elements of the box directly to their positions.
func places(codec BytesBytes, box Strided) bool {
	if _, ok := codec.(Placer); !ok {
		return false
	}
	b, ok := codec.(*bloscCodec)
	return !ok || b.places(box)
}

// between returns the size of the buffer for a codec's decoded form. It returns -1 if the size is
// unknown because elements vary in length.
func (c *Chain) between(st *bytesStage) int64 {
	switch {
	case st.size >= 0:
		return st.size
	case c.packed.items:
		return -1
	}
	return int64(st.limit)
}

// check compares a decoded length with the expected one.
func (st *bytesStage) check(n int) error {
	if st.size >= 0 && int64(n) != st.size {
		return fault.Newf(fault.Corrupt, "decoded to %d bytes, want %d", n, st.size)
	}
	if n > st.limit {
		return fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", n, st.limit)
	}
	return nil
}

func (c *Chain) wrap(err error) error {
	if err != nil {
		return named(c.name, kinded(fault.Corrupt, err))
	}
	return nil
}
