package codec

// Room returns the memory that [Chain.DecodeTo] needs besides the memory of m.
//
// direct is a buffer for the stored bytes, in the memory of m, with length 0 and capacity for all
// of them. If the stored bytes are read into it, DecodeTo copies nothing. direct is nil unless the
// box is the whole chunk in C order and the codecs leave every element in place.
//
// scratch is the maximum number of bytes that DecodeTo requests from [Scratch.Buffer], plus 24 for
// each element of varying length if a codec needs a Block of items. It does not include the
// decompressed form of such elements, whose length is unknown.
func (c *Chain) Room(m Strided) (direct []byte, scratch int64) {
	var r rooms
	if m.forgets() {
		r.block(2, c.whole)
		r.decode(c, 0, 0, Whole(Block{}, c.whole.shape, c.whole.size))
		return nil, r.sum()
	}
	i, box := r.decode(c, 0, 0, m)
	if _, ok := c.array.(InPlace); ok && i == len(c.arrays) && len(c.bytes) == 0 && (m.Bytes != nil || m.Items != nil) {
		if block, ok := box.contiguous(c.packed); ok {
			direct = block.Bytes[:0]
		}
	}
	return direct, r.sum()
}

// InMemory reports whether the stored bytes of every chunk are its elements in C order. A reader
// can then read the stored bytes directly into the chunk's memory and swap bytes there, if
// necessary. The scratch that [Chain.Room] returns is then the same for any box.
func (c *Chain) InMemory() bool {
	_, ok := c.array.(InPlace)
	return ok && len(c.arrays) == 0 && len(c.bytes) == 0
}

// AsInMemory reports whether the stored bytes of every chunk are its elements in C order and in
// memory form, so that they need neither byte swapping nor checks.
func (c *Chain) AsInMemory() bool {
	raw, ok := c.array.(*rawBytes)
	return ok && c.InMemory() && raw.swap == nil && !raw.isChecked()
}

// EncodeRoom returns the maximum number of bytes that [Chain.EncodeFrom] requests from
// [Scratch.Buffer]. The box and the output are not included. As in Room, elements of varying length
// that are still to be compressed are not included.
//
// The tables of compressors are not included either. They are reused, and there are at most as many
// as concurrently encoded chunks, so they belong to the CPU slots and not to a chunk.
func (c *Chain) EncodeRoom(m Strided) int64 {
	var r rooms
	slot := 0
	for i := range c.arrays {
		a, out := &c.arrays[i], c.into(i)
		if t, ok := a.codec.(Mover); ok {
			m = t.Through(m)
			continue
		}
		_, direct := m.isContiguous(a.in)
		m = Whole(Block{}, out.shape, out.size)
		if v, ok := a.codec.(decodedView); ok && direct && v.same() {
			continue
		}
		if !direct {
			r.block(2, a.in)
		}
		r.block(slot, out)
		slot = 1 - slot
	}
	_, direct := m.isContiguous(c.packed)
	if _, ok := c.array.(Gatherer); !ok && !direct {
		r.block(2, c.packed)
	}
	for i := range c.bytes {
		r.take(i%2, c.between(&c.bytes[i]))
	}
	if e, ok := c.array.(roomer); ok {
		r.more = addSat(r.more, e.encodeRoom())
	}
	return r.sum()
}

// roomer is an ArrayBytes that takes buffers from a Scratch when it encodes or decodes. Its methods
// return the total size of these buffers in bytes.
type roomer interface {
	decodeRoom() int64
	encodeRoom() int64
}

// rooms are the sizes in bytes of the buffers that a Chain takes from a Scratch.
type rooms struct {
	blocks  [3]int64
	bytes   [2]int64
	more    int64
	outgrew int64 // total size of buffers replaced because a later use needed more
}

func (r *rooms) block(i int, st stage) { r.size(&r.blocks[i], st.room()) }
func (r *rooms) take(i int, n int64)   { r.size(&r.bytes[i], n) }

func (r *rooms) size(b *int64, n int64) {
	if n > *b {
		r.outgrew = addSat(r.outgrew, *b)
		*b = n
	}
}

func (r *rooms) sum() (n int64) {
	n = addSat(r.more, r.outgrew)
	for _, k := range r.blocks {
		n = addSat(n, k)
	}
	for _, k := range r.bytes {
		n = addSat(n, k)
	}
	return n
}

// decode adds the buffers of decodeArray. It returns the index of the first codec that does not map
// the box to its output, and the box of that codec's input.
func (r *rooms) decode(c *Chain, i, slot int, box Strided) (int, Strided) {
	for ; i < len(c.arrays); i++ {
		if t, ok := c.arrays[i].codec.(Mover); ok {
			box = t.Through(box)
		} else if _, ok := c.arrays[i].codec.(decodedAsIs); !ok {
			break
		}
	}
	if i == len(c.arrays) {
		r.unpack(c, slot, box)
		return i, box
	}
	a, out := &c.arrays[i], c.into(i)
	_, direct := box.isContiguous(a.in)
	view, isView := a.codec.(decodedView)
	inner := Whole(Block{}, out.shape, out.size)
	if isView && direct && view.same() {
		inner.Block, inner.At = box.Block, box.At
		return r.decode(c, i+1, slot, inner)
	}
	r.block(slot, out)
	r.decode(c, i+1, 1-slot, inner)
	if !direct && !isView {
		r.block(2, a.in)
	}
	return i, box
}

// unpack adds the buffers of Chain.unpack.
func (r *rooms) unpack(c *Chain, slot int, box Strided) {
	_, plain := c.array.(InPlace)
	raw, rows := c.array.(*rawBytes)
	rows = rows && !raw.isValidated()
	_, direct := box.isContiguous(c.packed)
	flip := 0
	for i := len(c.bytes) - 1; i >= 0; i-- {
		st := &c.bytes[i]
		_, isView := st.codec.(View)
		switch {
		case isView:
		case i == 0 && plain && direct, i == 0 && rows && places(st.codec, box):
			return
		default:
			r.take(flip, c.between(st))
			flip = 1 - flip
		}
	}
	_, placed := c.array.(Placer)
	if e, ok := c.array.(roomer); ok {
		r.more = addSat(r.more, e.decodeRoom())
	}
	if !direct && (!placed || raw != nil && !rows) {
		r.block(slot, c.packed)
	}
}
