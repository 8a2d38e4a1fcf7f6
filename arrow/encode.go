package arrow

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// encoder converts values to those that a variable stores, as the functions of package cf do.
type encoder func(x vector) (held, error)

// held contains values in their stored form.
type held interface {
	none() held
	take(from held, rows []int32) // appends elements of from, which has the same type
	data(order []int32) dataset.Data
	bytes() int64
}

// heldOf implements held.
type heldOf[T any] struct {
	name   string
	values []T
}

func (h *heldOf[T]) none() held { return &heldOf[T]{name: h.name} }

func (h *heldOf[T]) take(from held, rows []int32) {
	values := from.(*heldOf[T]).values
	for _, i := range rows {
		h.values = append(h.values, values[i])
	}
}

func (h *heldOf[T]) data(order []int32) dataset.Data {
	out := make([]T, len(order))
	for i, k := range order {
		out[i] = h.values[k]
	}
	return dataset.Stored(h.name, out)
}

func (h *heldOf[T]) bytes() int64 {
	n := int64(reflect.TypeFor[T]().Size()) * int64(len(h.values))
	switch values := any(h.values).(type) {
	case []string:
		for _, s := range values {
			n += int64(len(s))
		}
	case [][]byte:
		for _, s := range values {
			n += int64(len(s))
		}
	}
	return n
}

// encoderOf returns the encoder for a variable, and the value of its missing elements in memory
// form, which is the fill value if none marks them. can reports whether an element can be missing.
// The error is fault.Type if the variable cannot store values of the class.
func encoderOf(v *dataset.Variable, c class) (e encoder, missing []byte, can bool, err error) {
	unfit := fault.Newf(fault.Type, "variable %s of the data type %v does not store such values", v.Name(), v.Array().DType())
	if missing = v.Array().Fill(); missing == nil {
		missing = make([]byte, v.Array().DType().Size())
	}
	switch t := v.Array().DType().(type) {
	case dtype.DateTime:
		if c == instants || c == nulls {
			nat, err := binary.Append(nil, binary.LittleEndian, dtype.Instant(dtype.NaT))
			return encodeEach(v, func(x vector, i int) (dtype.Instant, error) { return t.Instant(x.at(i)) }, dtype.NaT, true), nat, true, err
		}
	case dtype.VarLen:
		switch {
		case t == dtype.String && (c == words || c == nulls):
			return encodeEach(v, func(x vector, i int) (string, error) { return valid(x.s(i)) }, "", true), nil, true, nil
		case t == dtype.Bytes && (c == blobs || c == nulls):
			return encodeEach(v, func(x vector, i int) ([]byte, error) { return append([]byte{}, x.b(i)...), nil }, nil, true), nil, true, nil
		}
	case dtype.Basic:
		switch t {
		case dtype.Bool:
			if c == truths {
				return encodeEach(v, func(x vector, i int) (bool, error) { return x.t(i), nil }, false, false), missing, false, nil
			}
		case dtype.Int8:
			return numberEncoder[int8](v, c)
		case dtype.Int16:
			return numberEncoder[int16](v, c)
		case dtype.Int32:
			return numberEncoder[int32](v, c)
		case dtype.Int64:
			return numberEncoder[int64](v, c)
		case dtype.Uint8:
			return numberEncoder[uint8](v, c)
		case dtype.Uint16:
			return numberEncoder[uint16](v, c)
		case dtype.Uint32:
			return numberEncoder[uint32](v, c)
		case dtype.Uint64:
			return numberEncoder[uint64](v, c)
		case dtype.Float16, dtype.Float32:
			return numberEncoder[float32](v, c)
		case dtype.Float64:
			return numberEncoder[float64](v, c)
		}
	}
	return nil, missing, false, unfit
}

func valid(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fault.Newf(fault.Type, "%q is not UTF-8", s)
	}
	return string([]byte(s)), nil // rather than keep the batch
}

// encodeEach returns an encoder that converts each value by itself. can reports whether missing
// marks missing elements.
func encodeEach[T any](v *dataset.Variable, convert func(x vector, i int) (T, error), missing T, can bool) encoder {
	return func(x vector) (held, error) {
		out := make([]T, x.Len())
		for i := range out {
			switch {
			case !x.IsNull(i):
				var err error
				if out[i], err = convert(x, i); err != nil {
					return nil, err
				}
			case !can:
				return nil, fault.Newf(fault.Type, "an element of variable %s cannot be missing", v.Name())
			default:
				out[i] = missing
			}
		}
		return &heldOf[T]{v.Name(), out}, nil
	}
}

// numberEncoder is encoderOf for a variable that stores numbers of type S.
func numberEncoder[S cf.Number](v *dataset.Variable, c class) (e encoder, missing []byte, can bool, err error) {
	coding, _ := v.Coding()
	u, timed := coding.Units()
	step, difference := coding.Difference()
	absent := make([]S, 1)
	can = cf.Encode(coding, absent, []float64{math.NaN()}) == nil
	missing = v.Array().Fill()
	switch {
	case can && v.Array().DType() == dtype.Float16:
		missing, _ = binary.Append(nil, binary.LittleEndian, dtype.F16From(float32(absent[0])))
	case can:
		missing, _ = binary.Append(nil, binary.LittleEndian, absent)
	case missing == nil:
		missing = make([]byte, v.Array().DType().Size())
	}
	var encode func(x vector, out []S) error
	unfit := fault.Newf(fault.Type, "variable %s of the data type %v and the units %v does not store such values", v.Name(), v.Array().DType(), v.Attrs()["units"])
	switch {
	case c == nulls:
		encode = func(x vector, out []S) error { return encodeFloats(coding, x, out, nil) }
	case timed && (c == instants || c == words):
		encode = func(x vector, out []S) error { return encodeTimes(coding, u, x, out) }
	case difference && c == durations:
		encode = func(x vector, out []S) error {
			return encodeIntegers(coding, x, out, absent[0], can, func(i int) (int64, error) { return count(x, i, step) })
		}
	case timed || difference:
		return nil, missing, can, unfit
	case coding.IsBool() || c == truths:
		if c != truths {
			return nil, missing, can, unfit
		}
		encode = func(x vector, out []S) error {
			return encodeFloats(coding, x, out, func(i int) float64 {
				if x.t(i) {
					return 1
				}
				return 0
			})
		}
	case c == ints:
		encode = func(x vector, out []S) error {
			return encodeIntegers(coding, x, out, absent[0], can, func(i int) (int64, error) { return x.i(i), nil })
		}
	case c == uints:
		encode = func(x vector, out []S) error {
			return encodeIntegers(coding, x, out, absent[0], can, func(i int) (uint64, error) { return x.u(i), nil })
		}
	case c == reals:
		encode = func(x vector, out []S) error { return encodeFloats(coding, x, out, x.f) }
	default:
		return nil, missing, can, unfit
	}
	return func(x vector) (held, error) {
		out := make([]S, x.Len())
		if err := encode(x, out); err != nil {
			return nil, err
		}
		if v.Array().DType() != dtype.Float16 {
			return &heldOf[S]{v.Name(), out}, nil
		}
		half := make([]dtype.F16, len(out))
		for i, f := range out {
			half[i] = dtype.F16From(float32(f))
			if (c == ints || c == uints) && !x.IsNull(i) && half[i].Float32() != float32(f) {
				return nil, fault.Newf(fault.Type, "the variable cannot represent %v exactly", f)
			}
		}
		return &heldOf[dtype.F16]{v.Name(), half}, nil
	}, missing, can, nil
}

// encodeFloats encodes numbers by cf.Encode. Integers that are not packed store no fractions.
func encodeFloats[S cf.Number](c *cf.Coding, x vector, out []S, value func(i int) float64) error {
	in := make([]float64, len(out))
	for i := range in {
		if in[i] = math.NaN(); !x.IsNull(i) {
			in[i] = value(i)
		}
		if half := 0.5; S(half) == 0 && !c.Packed() && in[i] != math.Trunc(in[i]) && in[i] == in[i] {
			return fault.Newf(fault.Type, "%v is not an integer, which the variable stores", in[i])
		}
	}
	return cf.Encode(c, out, in)
}

// encodeIntegers encodes integers exactly, or fails.
func encodeIntegers[S cf.Number, N int64 | uint64](c *cf.Coding, x vector, out []S, missing S, can bool, value func(i int) (N, error)) error {
	half := 0.5
	direct := S(half) == 0 && !c.Packed() && c.Signed() == (S(0)-1 < 0)
	var floats []float64
	if !direct {
		floats = make([]float64, len(out))
	}
	for i := range out {
		if x.IsNull(i) {
			if !can {
				return fault.Newf(fault.Type, "an element cannot be missing, because the variable has no _FillValue")
			}
			if out[i] = missing; floats != nil {
				floats[i] = math.NaN()
			}
			continue
		}
		n, err := value(i)
		if err != nil {
			return err
		}
		if direct {
			if out[i] = S(n); N(out[i]) != n || (out[i] < 0) != (n < 0) {
				return fault.Newf(fault.Type, "%d is out of the range of the stored data type", n)
			}
			continue
		}
		f := float64(n)
		if f >= 1<<63 && any(n) == any(int64(math.MaxInt64)) || f >= 1<<64 || N(f) != n || S(half) != 0 && !c.Packed() && float64(S(f)) != f {
			return fault.Newf(fault.Type, "the variable cannot represent %d exactly", n)
		}
		floats[i] = f
	}
	if !direct {
		return cf.Encode(c, out, floats)
	}
	absent := make([]bool, len(out))
	if n, err := cf.Missing(c, absent, out); err != nil || n == 0 {
		return err
	}
	for i, a := range absent {
		if a && !x.IsNull(i) {
			return fault.Newf(fault.Type, "%v would be stored as a missing value", out[i])
		}
	}
	return nil
}

// encodeTimes encodes times, or the texts of times, in the calendar of the variable.
func encodeTimes[S cf.Number](c *cf.Coding, u cf.TimeUnits, x vector, out []S) error {
	in := make([]cf.Time, len(out))
	for i := range in {
		var err error
		switch {
		case x.IsNull(i):
			in[i] = cf.NaT(u.Calendar())
		case x.class == words:
			var p cf.Period
			p, err = cf.ParsePeriod(x.s(i), u.Calendar())
			in[i] = p.First
		default:
			in[i], err = cf.NewTime(u.Calendar(), cf.TimeOf(x.at(i)).Date())
		}
		if err != nil {
			return err
		}
	}
	return cf.EncodeTimes(c, out, in)
}

// count returns a duration in units of step.
func count(x vector, i int, step time.Duration) (int64, error) {
	n, unit := x.i(i), int64(x.unit)
	if ns := n * unit; ns/unit == n && ns%int64(step) == 0 {
		return ns / int64(step), nil
	}
	return 0, fault.Newf(fault.Type, "%d × %v is not a whole number of %v", n, x.unit, step)
}
