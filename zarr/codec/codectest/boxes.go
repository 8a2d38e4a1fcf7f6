package codectest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Boxes decodes n random boxes of a stored chunk to strided memory and returns the errors, joined.
// The boxes have any order of axes, positive and negative steps, and gaps between elements that
// must not be modified. want is the decoded chunk.
func Boxes(c *codec.Chain, stored []byte, want codec.Block, n int, seed uint64) error {
	r := &report{rand: rand.New(rand.NewPCG(seed, 3))}
	for range n {
		b := r.box(c.In(), false)
		r.guard("box", func() { b.decode(r, c, "box", stored, want) })
	}
	r.received(c, stored, want)
	return errors.Join(r.errs...)
}

// boxes decodes random boxes of a chunk to strided memory and compares them with the chunk. It also
// encodes the chunk from strided memory.
func (r *report) boxes(c *codec.Chain, stored []byte, want codec.Block) {
	for range 12 {
		if b := r.box(c.In(), false); b.decode(r, c, "box", stored, want) {
			return
		}
	}
	b := r.box(c.In(), true)
	b.put(want)
	asked := 0
	s := &codec.Scratch{Buffer: func(n int) []byte { asked += n; return make([]byte, 0, n) }}
	out, err := c.EncodeFrom([]byte("before"), b.Strided, s)
	if room := c.EncodeRoom(b.Strided); int64(asked) > room {
		r.addf("encode from %+v: requested %d bytes, but EncodeRoom returns %d", b.Axes, asked, room)
	}
	if err != nil || !bytes.HasPrefix(out, []byte("before")) {
		r.addf("encode from %+v: %v", b.Axes, err)
		return
	}
	_ = r.decodes(c, "decode what was encoded from a box", out[len("before"):], want, nil)
	r.received(c, stored, want)
}

// received decodes a chunk whose stored bytes are in the buffer that Room returned.
func (r *report) received(c *codec.Chain, stored []byte, want codec.Block) {
	in := c.In()
	if in.Type.Size() == 0 {
		return
	}
	place := codec.Block{Bytes: bytes.Repeat([]byte{mark}, len(want.Bytes))}
	m := codec.Whole(place, in.Shape, in.Type.Size())
	direct, _ := c.Room(m)
	if direct == nil {
		return
	}
	if len(direct) != 0 || cap(direct) != len(stored) {
		r.addf("%d bytes are stored, but the buffer of Room has a capacity of %d", len(stored), cap(direct))
		return
	}
	if err := c.DecodeTo(m, append(direct, stored...), nil); err != nil || !equal(place, want) {
		r.addf("decode from the buffer of Room: equal %v, error %v", equal(place, want), err)
	}
}

// box is a random box of a chunk, in memory with mark bytes between its elements.
type box struct {
	codec.Strided
	in   codec.Repr
	size int   // bytes of an element; 0 if elements vary in length
	from []int // index in the chunk of each element of the box
	to   []int // position in memory of each element of the box
}

// box returns a random box, or a box of the whole chunk if all is set.
func (r *report) box(in codec.Repr, all bool) *box {
	b := &box{in: in, size: in.Type.Size()}
	rank := len(in.Shape)
	b.Size, b.Axes = max(b.size, 1), make([]codec.Step, rank)
	for i, n := range in.Shape {
		a := &b.Axes[i]
		switch {
		case n == 0:
		case all || r.rand.IntN(3) == 0:
			a.N, a.Each = n, 1
		default:
			a.Off, a.Each = r.rand.IntN(n), 1+r.rand.IntN(3)
			a.N = 1 + r.rand.IntN((n-1-a.Off)/a.Each+1)
		}
		if a.N > 1 && r.rand.IntN(3) == 0 {
			a.Off, a.Each = a.Off+(a.N-1)*a.Each, -a.Each
		}
	}
	order := make([]int, rank) // axes from slow to fast in memory
	for i := range order {
		order[i] = i
	}
	if r.rand.IntN(2) == 0 {
		r.rand.Shuffle(rank, func(i, k int) { order[i], order[k] = order[k], order[i] })
	}
	stride := b.Size
	if r.rand.IntN(4) == 0 {
		stride += r.rand.IntN(9)
	}
	for _, i := range slices.Backward(order) {
		a := &b.Axes[i]
		if a.Stride = stride; r.rand.IntN(6) == 0 {
			a.Stride = -stride
			b.At += max(a.N-1, 0) * stride
		}
		stride *= max(a.N, 1)
		if r.rand.IntN(3) == 0 {
			stride += r.rand.IntN(20)
		}
	}
	b.At += 8
	if n := b.At + stride + b.Size + 8; b.size > 0 {
		b.Bytes = bytes.Repeat([]byte{mark}, n)
	} else {
		b.Items = make([][]byte, n)
	}
	b.elements(0, 0, b.At)
	return b
}

// elements appends the elements along b.Axes[axis:] to b.from, as indexes in the chunk, and to
// b.to, as positions in memory.
func (b *box) elements(axis, from, to int) {
	if axis == len(b.Axes) {
		b.from, b.to = append(b.from, from), append(b.to, to)
		return
	}
	a := b.Axes[axis]
	for i := range a.N {
		b.elements(axis+1, from*b.in.Shape[axis]+a.Off+i*a.Each, to+i*a.Stride)
	}
}

// put copies the elements of the box from a chunk to the memory of the box.
func (b *box) put(chunk codec.Block) {
	for i, from := range b.from {
		if b.size == 0 {
			b.Items[b.to[i]] = chunk.Items[from]
		} else {
			copy(b.Bytes[b.to[i]:], chunk.Bytes[from*b.size:(from+1)*b.size])
		}
	}
}

// decode decodes stored bytes to the box and reports whether it found errors. Unless want is empty,
// decode compares the box with want, the decoded chunk.
func (b *box) decode(r *report, c *codec.Chain, what string, stored []byte, want codec.Block) bool {
	before, asked := len(r.errs), 0
	s := &codec.Scratch{Buffer: func(n int) []byte { asked += n; return make([]byte, 0, n) }}
	kept := bytes.Clone(stored)
	err := c.DecodeTo(b.Strided, stored, s)
	if _, room := c.Room(b.Strided); int64(asked) > room {
		r.addf("%s %+v: requested %d bytes, but Room returns %d", what, b.Axes, asked, room)
	}
	if !bytes.Equal(stored, kept) {
		r.addf("%s: modified the stored bytes", what)
	}
	if want.Bytes != nil || want.Items != nil {
		other := box{Strided: codec.Strided{Block: codec.Block{Bytes: bytes.Repeat([]byte{mark}, len(b.Bytes)), Items: make([][]byte, len(b.Items))}},
			size: b.size, from: b.from, to: b.to}
		other.put(want)
		if err != nil || !equal(b.Block, other.Block) {
			r.addf("%s %+v at %d of chunk %v: equal %v, error %v", what, b.Axes, b.At, b.in.Shape, equal(b.Block, other.Block), err)
		}
		b.decodeSpan(r, c, what, stored, other.Block)
		return len(r.errs) > before
	}
	switch {
	case err != nil && !kinded(err):
		r.addf("%s: error without kind: %v", what, err)
	case b.size > 0:
		for _, at := range b.to {
			copy(b.Bytes[at:at+b.size], bytes.Repeat([]byte{mark}, b.size))
		}
		if !marked(b.Bytes) {
			r.addf("%s %+v: modified bytes outside the box", what, b.Axes)
		}
	}
	return len(r.errs) > before
}

// decodeSpan decodes the box from the range that Span returns, if there is such a range.
func (b *box) decodeSpan(r *report, c *codec.Chain, what string, stored []byte, want codec.Block) {
	off, n, ok := c.Span(codec.Strided{Size: b.Size, Axes: b.Axes})
	if !ok {
		return
	}
	if off < 0 || n < 1 || off+n > int64(len(stored)) {
		r.addf("%s %+v of chunk %v: Span returns %d+%d of %d bytes", what, b.Axes, b.in.Shape, off, n, len(stored))
		return
	}
	some := bytes.Clone(stored[off : off+n])
	if err := c.DecodeSpan(b.Strided, some[1:], nil); !errors.Is(err, fault.Corrupt) {
		r.addf("%s: decode from a span that is one byte short: %v", what, err)
	}
	r.elements(c, stored)
	copy(b.Bytes, bytes.Repeat([]byte{mark}, len(b.Bytes)))
	if err := c.DecodeSpan(b.Strided, some, nil); err != nil || !equal(b.Block, want) {
		r.addf("%s %+v at %d of chunk %v, from bytes %d+%d: equal %v, error %v", what, b.Axes, b.At, b.in.Shape, off, n, equal(b.Block, want), err)
	}
}

// elements decodes all stored elements in place and compares the first and the last with those of
// the chunk. These two elements have the same position in any order of axes.
func (r *report) elements(c *codec.Chain, stored []byte) {
	in, all := c.In(), bytes.Clone(stored)
	size := in.Type.Size()
	whole := codec.Block{Bytes: make([]byte, len(stored))}
	if err := errors.Join(c.Decode(whole, stored, nil), c.DecodeElements(all)); err != nil {
		r.addf("decode elements: %v", err)
		return
	}
	if last := len(all) - size; !bytes.Equal(all[:size], whole.Bytes[:size]) || !bytes.Equal(all[last:], whole.Bytes[last:]) {
		r.addf("elements decoded in place differ")
	}
	if size > 1 && !errors.Is(c.DecodeElements(all[1:]), fault.Selection) {
		r.addf("a partial element is decoded without an error")
	}
}

// wrongBoxes checks that boxes that exceed the chunk or their memory are rejected.
func (r *report) wrongBoxes(c *codec.Chain, stored []byte, src codec.Block) {
	in := c.In()
	for i := range in.Shape {
		for what, spoil := range map[string]func(a *codec.Step){
			"more elements": func(a *codec.Step) { a.N++ },
			"too far":       func(a *codec.Step) { a.Off++; a.N = max(a.N, 1) },
			"before":        func(a *codec.Step) { a.Off = -1; a.N = max(a.N, 1) },
			"backwards":     func(a *codec.Step) { a.Each = -1; a.N = max(a.N, 2) },
			"apart":         func(a *codec.Step) { a.Stride = 1 << 30; a.N = max(a.N, 2) },
		} {
			m := codec.Whole(clone(src), in.Shape, in.Type.Size())
			if spoil(&m.Axes[i]); slices.ContainsFunc(m.Axes, func(a codec.Step) bool { return a.N == 0 }) {
				continue
			}
			if err := c.DecodeTo(m, stored, nil); !errors.Is(err, fault.Selection) {
				r.addf("decode to a box with %s: %v", what, err)
			}
		}
	}
}
