package codectest

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// chain checks a codec within a chain.
func (r *report) chain(c *codec.Chain) {
	scratch := &codec.Scratch{}
	for kind := range contents {
		r.guard("chain of "+contents[kind], func() { r.chainOne(c, r.block(c.In(), kind), scratch) })
	}
}

func (r *report) chainOne(c *codec.Chain, src codec.Block, s *codec.Scratch) {
	if r.lossy {
		r.settle(c, src)
	}
	before := clone(src)
	out, err := c.Encode([]byte("before"), src, s)
	switch {
	case err != nil:
		r.addf("encode: %v", err)
		return
	case !bytes.HasPrefix(out, []byte("before")):
		r.addf("encode: not appended")
		return
	case !equal(src, before):
		r.addf("encode: modified its source")
		return
	}
	stored := out[len("before"):]
	if m := c.EncodedSize(); m >= 0 && m != int64(len(stored)) {
		r.addf("stored in %d bytes, but EncodedSize returns %d", len(stored), m)
	}
	if m := c.MinEncoded(); int64(len(stored)) < m {
		r.addf("stored in %d bytes, but MinEncoded returns %d", len(stored), m)
	}
	if m := c.Worst(); int64(len(stored)) > m {
		r.addf("stored in %d bytes, but Worst returns %d", len(stored), m)
	}
	_ = r.decodes(c, "decode", stored, src, s) // reports its own errors
	r.wrongRoom(c, stored, src)
	r.boxes(c, stored, src)
	r.wrongBoxes(c, stored, src)
	r.together(c, stored, src)
	if size := len(stored); size > 20_000 {
		return
	}
	r.wreck(stored, func(what string, b []byte, invalid bool) {
		r.guard(what, func() {
			err := r.decodes(c, what, b, codec.Block{}, s)
			if err == nil && invalid {
				r.addf("chunk of %d bytes, %s: no error", len(src.Bytes), what)
			} else if err != nil && !kinded(err) {
				r.addf("chunk, %s: error without kind: %v", what, err)
			}
			if r.rand.IntN(4) == 0 {
				r.box(c.In(), false).decode(r, c, what+", box", b, codec.Block{})
			}
		})
	})
	// The scratch must be usable after the errors above.
	_ = r.decodes(c, "decode after errors", stored, src, s)
}

// settle replaces the values in src by the result of a round trip, for codecs that change values.
func (r *report) settle(c *codec.Chain, src codec.Block) {
	stored, err := c.Encode(nil, src, nil)
	if err == nil {
		err = c.Decode(src, stored, nil)
	}
	if err != nil {
		r.addf("round trip: %v", err)
	}
}

// decodes decodes a chunk into a part of a larger buffer. If want is set, decodes compares the
// chunk with want.
func (r *report) decodes(c *codec.Chain, what string, stored []byte, want codec.Block, s *codec.Scratch) error {
	in := c.In()
	elems, err := in.Elems()
	if err != nil {
		return err
	}
	n := elems * in.Type.Size()
	buf := bytes.Repeat([]byte{mark}, n+64)
	dst := codec.Block{Bytes: buf[8 : 8+n]}
	if in.Type.Size() == 0 {
		dst = codec.Block{Items: make([][]byte, elems)}
	}
	kept := bytes.Clone(stored)
	err = c.Decode(dst, stored, s)
	if want.Bytes != nil || want.Items != nil {
		if err != nil || !equal(dst, want) {
			r.addf("%s: equal %v, error %v", what, equal(dst, want), err)
		}
	}
	if !marked(buf[:8]) || !marked(buf[8+n:]) {
		r.addf("%s: modified bytes outside the chunk", what)
	}
	if !bytes.Equal(stored, kept) {
		r.addf("%s: modified the stored bytes", what)
	}
	return err
}

// wrongRoom checks that blocks of another size are rejected on decoding and encoding.
func (r *report) wrongRoom(c *codec.Chain, stored []byte, src codec.Block) {
	more := codec.Block{Bytes: append(slices.Clone(src.Bytes), 0), Items: append(slices.Clone(src.Items), nil)}
	if err := c.Decode(more, stored, nil); !errors.Is(err, fault.Selection) {
		r.addf("decode into a larger block: %v", err)
	}
	if _, err := c.Encode(nil, more, nil); !errors.Is(err, fault.Selection) {
		r.addf("encode a larger chunk: %v", err)
	}
}

// together decodes a chunk in several goroutines that share the chain.
func (r *report) together(c *codec.Chain, stored []byte, src codec.Block) {
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			var s codec.Scratch
			for range 3 {
				dst := codec.Block{Bytes: make([]byte, len(src.Bytes)), Items: make([][]byte, len(src.Items))}
				if err := c.Decode(dst, stored, &s); err != nil || !equal(dst, src) {
					errs[i] = errors.Join(errors.New("concurrent decoding returned wrong elements"), err)
					return
				}
				if _, err := c.Encode(nil, src, &s); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			r.addf("%v", err)
		}
	}
}

// block returns a chunk of valid values of the given kind of content.
func (r *report) block(in codec.Repr, kind int) codec.Block {
	elems, err := in.Elems()
	if err != nil {
		r.addf("%v", err)
		return codec.Block{}
	}
	if size := in.Type.Size(); size > 0 {
		b := r.content(kind, elems*size)
		in.Type.Canon(b)
		return codec.Block{Bytes: b}
	}
	items := make([][]byte, elems)
	for i := range items {
		items[i] = r.content(kind, r.rand.IntN(20))
	}
	return codec.Block{Items: items}
}

func clone(b codec.Block) codec.Block {
	c := codec.Block{Bytes: bytes.Clone(b.Bytes), Items: slices.Clone(b.Items)}
	for i := range c.Items {
		c.Items[i] = bytes.Clone(c.Items[i])
	}
	return c
}

func equal(a, b codec.Block) bool {
	return bytes.Equal(a.Bytes, b.Bytes) && slices.EqualFunc(a.Items, b.Items, bytes.Equal)
}
