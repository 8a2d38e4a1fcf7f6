package main

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// conversion converts numbers from one type to another by the rules of the codec cast_value. It
// rounds to nearest, ties to even. A number out of range is an error. NaN is an error for an
// integer type.
type conversion struct {
	from, to dtype.Type
	n        int // number of elements that the chain is bound to
	chain    *codec.Chain
	out      []byte
}

func newConversion(from, to dtype.Type) (*conversion, error) {
	c := &conversion{from: from, to: to}
	if dtype.Equal(from, to) {
		return c, nil
	}
	return c, c.bind(1)
}

func (c *conversion) bind(n int) (err error) {
	if c.chain != nil && c.n == n {
		return nil
	}
	specs := []codec.Spec{codec.CastValue(codec.CastValueOptions{Type: c.to}), codec.Bytes(dtype.Little)}
	c.chain, err = codec.Builtin().Chain(specs, codec.Repr{Shape: []int{n}, Type: c.from})
	if err != nil {
		return fault.Newf(errors.ErrUnsupported, "%v cannot be converted to %v: %v", c.from, c.to, err)
	}
	c.n = n
	return nil
}

// of returns the converted elements. Input and output are in memory form. The result is valid until
// the next call.
func (c *conversion) of(elems []byte) (_ []byte, err error) {
	if c.chain == nil { // both types are the same
		return elems, nil
	}
	if err := c.bind(len(elems) / c.from.Size()); err != nil {
		return nil, err
	}
	if c.out, err = c.chain.Encode(c.out[:0], codec.Block{Bytes: elems}, nil); err != nil {
		return nil, fault.Newf(fault.Type, "conversion of %v to %v: %v", c.from, c.to, err)
	}
	return c.out, nil
}
