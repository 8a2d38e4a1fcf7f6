package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"

	"github.com/zargo-io/zargo/zarr/codec/internal/number"
	"github.com/zargo-io/zargo/zarr/fault"
)

// newFixedScaleOffset makes numcodecs' "fixedscaleoffset". The codec stores (x - offset) × scale,
// rounded to an integer, ties to even, and cast to another type. numpy computes in the type of x if
// x is a float, or if x and the configured number are integers. Otherwise it computes in float64.
func newFixedScaleOffset(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	offset, scale := c.scalar("offset"), c.scalar("scale")
	f := filter{dec: c.elements("dtype", defaultElements(in))}
	f.enc = c.elements("astype", f.dec)
	if err := c.close(); err != nil {
		return nil, err
	}
	if scale.float == 0 {
		return nil, fault.Newf(fault.Metadata, "\"scale\" must not be 0")
	}
	if err := f.known(); err != nil {
		return nil, err
	}
	dec, enc := f.dec.number, f.enc.number
	for _, n := range []number.Type{dec, enc} {
		if n.Kind == number.Complex || n.Kind == number.Time {
			return nil, fault.Newf(errors.ErrUnsupported, "scaling %v to %v is not supported", f.dec.typ, f.enc.typ)
		}
	}
	f.encode, f.refuse = scaling(dec, enc, offset, scale)
	work := float64s()
	if enc.Kind == number.Float {
		work = enc
	}
	f.decode = steps(number.Cast(enc, work), number.Over(work, work.Round(scale.float)), number.Add(work, work.Round(offset.float)), number.Cast(work, dec))
	return f.either(in)
}

// scaling returns the steps of encoding. If the computation is in an integer type that cannot
// represent a configured number, scaling returns an error, as numpy does.
func scaling(dec, enc number.Type, offset, scale scalar) (func() []number.Step, error) {
	var list []number.Step
	at := dec
	for i, s := range []scalar{offset, scale} {
		if at.Whole() && s.whole != nil {
			if at.Kind == number.Bool {
				at = number.Type{Kind: number.Int, Size: 8}
			}
			v, ok := s.in(at)
			if !ok {
				return nil, fault.Newf(fault.Metadata, "%s is out of range for the elements", s.text)
			}
			list = append(list, []func(number.Type, uint64) number.Step{number.Subtract, number.Multiply}[i](at, v))
			continue
		}
		if at.Whole() {
			list, at = append(list, number.Cast(at, float64s())), float64s()
		}
		list = append(list, []func(number.Type, float64) number.Step{number.Minus, number.Times}[i](at, at.Round(s.float)))
	}
	if !at.Whole() {
		list = append(list, number.Around)
	}
	return steps(append(list, number.Cast(at, enc))...), nil
}

func float64s() number.Type { return number.Type{Kind: number.Float, Size: 8} }

// scalar is a number in a configuration. Python distinguishes 1 from 1.0, and numpy chooses the
// type of the computation accordingly.
type scalar struct {
	text  string
	whole *big.Int // nil for a float
	float float64
}

// in returns the number as a value of the integer type t. It also reports whether the number is in
// the range of t.
func (s scalar) in(t number.Type) (uint64, bool) {
	lo, hi := t.Range()
	switch {
	case s.whole.IsInt64():
		n := s.whole.Int64()
		return uint64(n), n >= lo && (n < 0 || uint64(n) <= hi)
	case s.whole.IsUint64():
		return s.whole.Uint64(), s.whole.Uint64() <= hi
	}
	return 0, false
}

// scalar reads a finite JSON number.
func (c *config) scalar(key string) scalar {
	raw, ok := c.take(key)
	if !ok {
		c.fail("%q is missing", key)
		return scalar{}
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		c.fail("%q must be a number, is %.40s", key, raw)
		return scalar{}
	}
	s := scalar{text: string(raw), float: f}
	if !bytes.ContainsAny(raw, ".eE") {
		s.whole, _ = new(big.Int).SetString(string(raw), 10)
	}
	return s
}

// newQuantize makes numcodecs' "quantize". The codec rounds floats to a multiple of a power of two,
// and casts them to another type. The power is small enough to keep the configured number of
// decimal digits.
func newQuantize(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	if _, ok := c.members["digits"]; !ok {
		c.fail("\"digits\" is missing")
	}
	digits := c.integer("digits", 0, -maxDigits, maxDigits)
	f := filter{dec: c.elements("dtype", defaultElements(in))}
	f.enc = c.elements("astype", f.dec)
	if err := c.close(); err != nil {
		return nil, err
	}
	if err := f.known(); err != nil {
		return nil, err
	}
	dec, enc := f.dec.number, f.enc.number
	if dec.Kind != number.Float || enc.Kind != number.Float {
		return nil, fault.Newf(fault.Metadata, "quantize requires two float types, not %v and %v", f.dec.typ, f.enc.typ)
	}
	scale := dec.Round(math.Ldexp(1, int(math.Ceil(float64(digits)*math.Log2(10)))))
	f.encode = steps(number.Times(dec, scale), number.Around, number.Over(dec, scale), number.Cast(dec, enc))
	f.decode = casts(enc, dec)
	return f.either(in)
}

// maxDigits is the maximum number of digits in numcodecs. Larger powers of ten exceed a float64.
const maxDigits = 307
