package codec

import (
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/zarr/codec/internal/number"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// newScaleOffset makes the codec "scale_offset" of the registry. The codec stores (x - offset) ×
// scale in the type of the array. Integers must not overflow, and their division rounds down. The
// default offset is 0 and the default scale is 1. zarr-python omits default values.
func newScaleOffset(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	e, err := real(in.Type)
	if err != nil {
		return nil, err
	}
	offset, scale := c.element("offset", e, "0"), c.element("scale", e, "1")
	if err := c.close(); err != nil {
		return nil, err
	}
	f := filter{dec: e, enc: e}
	n := e.number
	if n.Whole() {
		if scale.Int == 0 {
			return nil, fault.Newf(fault.Metadata, "\"scale\" must not be 0")
		}
		f.encode = steps(number.Checked{Type: n}.Minus(offset.Int, scale.Int))
		f.decode = steps(number.Checked{Type: n}.Over(scale.Int, offset.Int))
	} else {
		if !(scale.Float < 0 || scale.Float > 0) {
			return nil, fault.Newf(fault.Metadata, "\"scale\" must not be %v", scale.Float)
		}
		f.encode = steps(number.Minus(n, offset.Float), number.Times(n, scale.Float))
		f.decode = steps(number.Over(n, scale.Float), number.Add(n, offset.Float))
	}
	return f.through(in)
}

// newCastValue makes the codec "cast_value" of the registry, which converts to another type by
// value.
func newCastValue(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	f := filter{}
	var err error
	if f.dec, err = real(in.Type); err != nil {
		return nil, err
	}
	name, ok := c.take("data_type")
	if !ok {
		return nil, fault.Newf(fault.Metadata, "\"data_type\" is missing")
	}
	typ, err := dtype.ParseV3(name)
	if err != nil {
		return nil, err
	}
	if f.enc, err = real(typ); err != nil {
		return nil, err
	}
	rounding := number.Rounding(c.text("rounding", string(number.NearestEven), string(number.NearestEven), string(number.TowardsZero),
		string(number.TowardsPositive), string(number.TowardsNegative), string(number.NearestAway)))
	c.dropNull("out_of_range", "scalar_map")
	outside := number.Outside(c.text("out_of_range", string(number.Refuse), string(number.Refuse), string(number.Clamp), string(number.Wrap)))
	there, back := c.pairs(f.dec, f.enc)
	if err := c.close(); err != nil {
		return nil, err
	}
	dec, enc := f.dec.number, f.enc.number
	if outside == number.Wrap && !enc.Whole() {
		return nil, fault.Newf(fault.Metadata, "\"out_of_range\" is %q, but values of %v do not wrap", outside, typ)
	}
	returning := outside
	if returning == number.Wrap && !dec.Whole() {
		returning = number.Refuse
	}
	f.encode = steps(number.Convert(dec, enc, rounding, outside, there))
	f.decode = steps(number.Convert(enc, dec, rounding, returning, back))
	return f.through(in)
}

// real returns the elements of an integer or float type. The value codecs support only these types.
func real(t dtype.Type) (elements, error) {
	e, err := viewed(t, dtype.NoOrder)
	if err == nil && e.number.Kind != number.Int && e.number.Kind != number.Uint && e.number.Kind != number.Float {
		err = fault.Newf(errors.ErrUnsupported, "elements must be integers or floats, are %v", t)
	}
	return e, err
}

// through binds the filter to an array. It encodes the fill value like the elements. If that fails,
// it returns fault.Metadata.
func (f filter) through(in Repr) (any, error) {
	a, err := f.array(in)
	if err != nil {
		return nil, err
	}
	if a.out.Fill = nil; len(in.Fill) == f.dec.number.Size {
		a.out.Fill = make([]byte, f.enc.number.Size)
		if err := number.Run(a.out.Fill, in.Fill, f.dec.number, f.enc.number, f.encode()...); err != nil {
			return nil, fault.Newf(fault.Metadata, "fill value: %v", err)
		}
	}
	return a, nil
}

// element reads a number that is written as a fill value of the type of e.
func (c *config) element(key string, e elements, def string) number.Value {
	raw, ok := c.take(key)
	if !ok {
		raw = json.RawMessage(def)
	}
	v, err := e.value(raw)
	if err != nil {
		c.wrap(key, err)
	}
	return v
}

func (e elements) value(raw json.RawMessage) (number.Value, error) {
	b, err := e.typ.ParseFill(raw, 3)
	if err != nil {
		return number.Value{}, err
	}
	var v number.Value
	keep := func(b *number.Block) { v = number.Value{Int: b.Int[0], Float: b.Re[0]} }
	err = number.Run(make([]byte, len(b)), b, e.number, e.number, keep)
	return v, err
}

// pairs reads the member "scalar_map", which has a list of pairs of numbers for each direction.
func (c *config) pairs(dec, enc elements) (there, back []number.Pair) {
	raw, ok := c.take("scalar_map")
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	m := openConfig(raw)
	read := func(key string, from, to elements) (list []number.Pair) {
		raw, ok := m.take(key)
		if !ok || string(raw) == "null" {
			return nil
		}
		var entries [][]json.RawMessage
		if err := json.Unmarshal(raw, &entries); err != nil {
			m.fail("%q is not a list of pairs", key)
		}
		for _, e := range entries {
			if len(e) != 2 {
				m.fail("entries of %q must have 2 numbers, one has %d", key, len(e))
				return nil
			}
			a, err := from.value(e[0])
			if err != nil {
				m.wrap(key, err)
			}
			b, err := to.value(e[1])
			if err != nil {
				m.wrap(key, err)
			}
			list = append(list, number.Pair{From: a, To: b})
		}
		return list
	}
	there, back = read("encode", dec, enc), read("decode", enc, dec)
	if err := m.close(); err != nil {
		c.wrap("scalar_map", err)
	}
	return there, back
}
