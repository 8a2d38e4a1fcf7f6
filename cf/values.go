package cf

import (
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Missing sets dst[i] to true if src[i] is missing and to false otherwise. It returns the number of
// missing values. NaN is missing, and among times and time differences the smallest int64, which is
// NaT. src contains stored values in the Go type of the variable's data type, which is float32 for
// float16. The error is fault.Type for other types, and for slices of different lengths.
func Missing[S Number](c *Coding, dst []bool, src []S) (n int, err error) {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return 0, err
	}
	if len(missing) <= 1 && c.low == nil && c.high == nil {
		return sole(dst, src, missing), nil
	}
	for i, v := range src {
		if dst[i] = isMissing(c, missing, v); dst[i] {
			n++
		}
	}
	return n, nil
}

// Decode decodes the stored values in src into dst. A decoded value is stored value × scale_factor
// + add_offset, computed in float64, or NaN if the stored value is missing. src contains values in
// the Go type of the variable's data type, which is float32 for float16. The error is fault.Type
// for other types, and for slices of different lengths.
func Decode[D Float, S Number](c *Coding, dst []D, src []S) error {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return err
	}
	l, err := LoopOf[S](c)
	switch {
	case err != nil:
		return err
	case !l.Several && !l.Flipped:
		Unpack(l, dst, src)
		return nil
	}
	for i, v := range src {
		switch {
		case isMissing(c, missing, v):
			dst[i] = D(math.NaN())
		case c.packed:
			dst[i] = D(float64(number64(c, v)*c.scale) + c.offset)
		default:
			dst[i] = D(number64(c, v))
		}
	}
	return nil
}

// DecodeTimes decodes the stored values of a time coordinate in src into dst. src contains values
// in the Go type of the variable's data type, which is float32 for float16. Missing values, NaN and
// the smallest int64 become NaT. The error is fault.Type for other types, for slices of different
// lengths, and for a value that is out of the calendar's range. In the last case the error contains
// the name of the variable and the index.
func DecodeTimes[S Number](c *Coding, dst []Time, src []S) error {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return err
	}
	if c.units == nil {
		return fault.Newf(fault.Type, "variable %s has no time units", c.name)
	}
	for i, v := range src {
		switch {
		case isMissing(c, missing, v):
			dst[i] = NaT(c.units.Calendar())
		case c.packed || numeric.Kind(c.stored) == 'f':
			dst[i], err = c.timeOf(number64(c, v))
		case c.flipped && c.stored.Size() == 8:
			dst[i], err = c.timeOf64(uint64(v))
		case c.flipped:
			dst[i], err = c.units.Time(int64(number64(c, v)))
		case numeric.Kind(c.stored) == 'u' && uint64(v) > math.MaxInt64:
			err = fault.Newf(fault.Type, "%v %s is out of the range of int64", v, c.units)
		default:
			dst[i], err = c.units.Time(int64(v))
		}
		if err != nil {
			return fmt.Errorf("variable %s, value %d: %w", c.name, i, err)
		}
	}
	return nil
}

// timeOf returns the time of a stored number of a packed or floating-point variable.
func (c *Coding) timeOf(stored float64) (Time, error) {
	v := stored*c.scale + c.offset
	return c.units.rounded(v, c.resolution(stored, v))
}

// timeOf64 returns the time of an integer of 8 bytes whose sign _Unsigned changes.
func (c *Coding) timeOf64(bits uint64) (Time, error) {
	if numeric.Kind(c.stored) == 'i' && bits > math.MaxInt64 {
		return Time{}, fault.Newf(fault.Type, "%d %s is out of the range of int64", bits, c.units)
	}
	return c.units.Time(int64(bits)) //nolint:gosec // in two's complement
}

// resolution returns the difference between decoded numbers near v that the variable distinguishes:
// the spacing of the stored type, and the error of the computation of packed values in float64.
func (c *Coding) resolution(stored, v float64) float64 {
	r := 0.0
	switch abs := math.Abs(stored); c.stored {
	case dtype.Float64:
		r = spacing(abs)
	case dtype.Float32:
		r = float64(math.Nextafter32(float32(abs), math.MaxFloat32) - float32(abs))
	case dtype.Float16:
		_, exponent := math.Frexp(abs)
		r = math.Ldexp(1, max(exponent, -13)-11) // 11 bits of precision; subnormals below 2⁻¹⁴
	}
	r *= math.Abs(c.scale)
	if c.packed { // the factor, the product, the offset and the sum are each half a spacing from exact
		r = max(r, spacing(stored*c.scale)+(spacing(c.offset)+spacing(v))/2)
	}
	return r
}

// Rounded returns the time that is decoded after t was stored, if both are the same within the
// precision of the stored numbers, and t otherwise. Variables of floating-point or packed numbers
// round times. For example, cftime decodes some hours of "days since 0001-01-01" as
// 00:59:59.999997, for which Rounded returns 01:00:00. It returns t for other variables, for NaT,
// and if t has another calendar.
func (c *Coding) Rounded(t Time) Time {
	if c.units == nil || !c.packed && numeric.Kind(c.stored) != 'f' || t.nat || t.calendar != c.units.ref.calendar {
		return t
	}
	v, err := c.units.ValueFloat(t)
	if err != nil {
		return t
	}
	stored := v
	if c.packed {
		stored = (v - c.offset) / c.scale
	}
	if stored = c.round(stored); numeric.Kind(c.stored) != 'f' {
		stored = math.RoundToEven(stored)
	}
	back, err := c.timeOf(stored)
	if err != nil || back.nat {
		return t
	}
	limit := c.resolution(stored, v) * float64(c.units.unit.nanos()) / 1e9
	if limit >= 1 { // times were not rounded to s, but to µs
		limit = 1e-6
	}
	if math.Abs(back.Sub(t)) > max(limit, 1e-9) {
		return t
	}
	return back
}

// Encode sets dst to the stored values of src. A stored value is (value - add_offset) /
// scale_factor, for integers rounded to the nearest, ties to even. NaN becomes _FillValue, or
// missing_value if there is no _FillValue, or NaT in times and time differences stored as int64.
// The error is fault.Type for a NaN if the variable has no missing value, for a value that the
// stored data type or the scale factor cannot represent, and for a value that would be read as
// missing. The error contains the name of the variable and the index.
func Encode[S Number, F Float](c *Coding, dst []S, src []F) error {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return err
	}
	integers := numeric.Kind(c.stored) != 'f'
	low, high := c.bounds()
	for i, v := range src {
		f := float64(v)
		if f != f {
			switch {
			case len(missing) > 0:
				dst[i] = missing[0]
			case integers:
				return fault.Newf(fault.Type, "variable %s, value %d: NaN cannot be stored as %v without _FillValue", c.name, i, c.stored)
			default:
				dst[i] = S(f)
			}
			continue
		}
		if c.packed {
			if f = (f - c.offset) / c.scale; f != f {
				return fault.Newf(fault.Type, "variable %s, value %d: %v cannot be packed with scale_factor %v and add_offset %v", c.name, i, v, c.scale, c.offset)
			}
		}
		if integers {
			f = math.RoundToEven(f)
			if f < low || f >= high {
				return fault.Newf(fault.Type, "variable %s, value %d: %v is out of the range of %v", c.name, i, v, c.stored)
			}
		}
		dst[i] = stored[S](c, f)
		if !integers && !math.IsInf(f, 0) && math.IsInf(c.round(f), 0) {
			return fault.Newf(fault.Type, "variable %s, value %d: %v is out of the range of %v", c.name, i, v, c.stored)
		}
		if isMissing(c, missing, dst[i]) {
			return fault.Newf(fault.Type, "variable %s, value %d: %v would be stored as a missing value", c.name, i, v)
		}
	}
	return nil
}

// EncodeTimes sets dst to the stored values of the times in src. A stored value is a number of time
// units, packed if the variable is packed. It must be an integer unless the variable stores
// floating-point numbers. NaT becomes _FillValue, or the smallest int64 without one. The error is
// fault.Type for a time that cannot be stored, for NaT if the variable has no missing value and
// another type, and for times of another calendar. The error contains the name of the variable and
// the index.
func EncodeTimes[S Number](c *Coding, dst []S, src []Time) error {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return err
	}
	if c.units == nil {
		return fault.Newf(fault.Type, "variable %s has no time units", c.name)
	}
	whole := numeric.Kind(c.stored) != 'f' && !c.packed
	for i, t := range src {
		if !whole || t.nat {
			f, err := c.units.ValueFloat(t)
			if err == nil {
				err = Encode(c, dst[i:i+1], []float64{f})
			}
			if err == nil && numeric.Kind(c.stored) != 'f' && !t.nat {
				err = c.exact(number64(c, dst[i]), f)
			}
			if err != nil {
				return fmt.Errorf("variable %s, value %d: %w", c.name, i, err)
			}
			continue
		}
		n, err := c.units.Value(t)
		if err != nil {
			return fmt.Errorf("variable %s, value %d: %w", c.name, i, err)
		}
		if dst[i] = S(n); n < 0 != (dst[i] < 0) || int64(dst[i]) != n {
			return fault.Newf(fault.Type, "variable %s, value %d: %d is out of the range of %v", c.name, i, n, c.stored)
		}
		if isMissing(c, missing, dst[i]) {
			return fault.Newf(fault.Type, "variable %s, value %d: %v would be stored as a missing value", c.name, i, t)
		}
	}
	return nil
}

// exact returns an error unless a stored integer of a packed variable represents f, to a millionth
// of the scale factor and the precision of float64.
func (c *Coding) exact(stored, f float64) error {
	if math.Abs(stored*c.scale+c.offset-f) <= 1e-6*math.Abs(c.scale)+1e-15*math.Abs(f) {
		return nil
	}
	return fault.Newf(fault.Type, "%v %s is not an integer number of scale_factor %v after add_offset %v", f, c.units, c.scale, c.offset)
}
