package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/codec/internal/number"
	"github.com/zargo-io/zargo/zarr/fault"
)

// newDelta makes numcodecs' "delta". The codec stores the first element, and then the difference of
// each element from the previous one in C order. It casts the stored values to another type.
// Integers wrap, and floats lose precision. The codec is lossy for booleans, because decoding uses
// a logical or instead of a sum.
func newDelta(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	if _, ok := c.members["dtype"]; !ok {
		c.fail("\"dtype\" is missing")
	}
	f := filter{dec: c.elements("dtype", defaultElements(in))}
	f.enc = c.elements("astype", f.dec)
	if err := c.close(); err != nil {
		return nil, err
	}
	dec, enc := f.dec.number, f.enc.number
	if (dec.Kind == number.Time || enc.Kind == number.Time) && !(dec.Whole() && enc.Whole()) {
		return nil, fault.Newf(fault.Metadata, "differences of %v cannot be stored as %v", f.dec.typ, f.enc.typ)
	}
	f.encode = func() []number.Step { return []number.Step{number.Differences(dec), number.Cast(dec, enc)} }
	sum := number.Promote(enc, dec) // numpy sums in this type and casts the sums
	f.decode = func() []number.Step {
		return []number.Step{number.Cast(enc, sum), number.Sums(sum), number.Cast(sum, dec)}
	}
	return f.either(in)
}

// newAsType makes numcodecs' "astype", which casts elements to another type; see package number.
func newAsType(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	if _, ok := c.members["encode_dtype"]; !ok {
		c.fail("\"encode_dtype\" is missing")
	}
	f := filter{dec: c.elements("decode_dtype", defaultElements(in)), enc: c.elements("encode_dtype", defaultElements(in))}
	if err := c.close(); err != nil {
		return nil, err
	}
	dec, enc := f.dec.number, f.enc.number
	if dec.Kind == number.Time && !enc.Whole() || enc.Kind == number.Time && !dec.Whole() {
		return nil, fault.Newf(fault.Metadata, "%v cannot be cast to %v", f.dec.typ, f.enc.typ)
	}
	f.encode, f.decode = casts(dec, enc), casts(enc, dec)
	return f.either(in)
}

// casts returns the steps of a cast. If only the byte order differs, it returns no steps, which
// keeps all bits of NaNs.
func casts(from, to number.Type) func() []number.Step {
	if from.Kind == to.Kind && from.Size == to.Size {
		return steps()
	}
	return steps(number.Cast(from, to))
}
