package coding

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode returns a reader that decodes elements by the CF conventions. name is the name of the
// array in errors, and attrs are the attributes of selection.AttrsOf. If numpy is true, all
// elements have data types of NumPy; otherwise some are text.
//
// Times become text, or datetime64. As in xarray, packed values become float64. Other integers that
// may be missing stay exact in text, and become float64 for NumPy. Floats that may be missing
// become float32 or float64. All other elements are not decoded.
func Decode(a *zarr.Array, name string, attrs map[string]any, numpy bool) (Decoded, error) {
	c, err := Of(a, name, attrs)
	switch {
	case errors.Is(err, fault.Type): // not numeric
		return AsStored(a), nil
	case err != nil:
		return Decoded{}, err
	}
	d := decoding{a: a, c: c, name: name, form: formOf(a, c), numpy: numpy}
	switch d.form {
	case formPlain:
		return AsStored(a), nil
	case formFlipped:
		v := AsStored(a)
		v.T = opposite(v.T)
		return v, nil
	case formTimes:
		if d.numpy {
			if d.instant, err = d.datetime(); err != nil {
				return Decoded{}, err
			}
		}
	}
	return d.decoded(), nil
}

// AsStored returns a reader of the stored elements.
func AsStored(a *zarr.Array) Decoded {
	v := Decoded{Cost: 1}
	v.T, v.Read = render.ReaderOf(a)
	return v
}

// Decoded reads and formats the elements of an array.
type Decoded struct {
	T    dtype.Type // of the elements in a buffer
	Read render.Reader
	Cost int64 // bytes of memory for each byte in a buffer
}

// readTruths returns a reader that converts booleans to the float64 numbers 0 and 1.
func readTruths(a *zarr.Array) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		truths, err := zarr.Read[bool](ctx, a, sel...)
		for i, b := range truths {
			f := 0.0
			if b {
				f = 1
			}
			binary.LittleEndian.PutUint64(buf[8*i:], math.Float64bits(f))
		}
		return err
	}
}

// DecodeFloats returns a reader that decodes elements to float64. If raw is true, it only converts
// them. It returns fault.Type if the elements are not numbers.
func DecodeFloats(a *zarr.Array, name string, attrs map[string]any, raw bool) (Decoded, error) {
	if a.DType() == dtype.Bool {
		return Decoded{render.Decoded{Type: dtype.Float64}, readTruths(a), 3}, nil
	}
	c, err := Of(a, name, attrs)
	if raw {
		c, err = cf.New(cf.Variable{Name: name, Type: a.DType()}, cf.Options{}) // only NaN is missing
	}
	if err != nil {
		return Decoded{}, err
	}
	return decoding{a: a, c: c, name: name, form: formPacked}.decoded(), nil
}

// decoding is an array with the coding of its elements.
type decoding struct {
	a       *zarr.Array
	c       *cf.Coding
	name    string
	form    form
	numpy   bool
	instant dtype.DateTime // of times for NumPy
}

// datetime returns the data type of the times: seconds if all of them are whole seconds, and
// nanoseconds otherwise.
func (d decoding) datetime() (dtype.DateTime, error) {
	u, _ := d.c.Units()
	if c := u.Calendar(); c != cf.Standard && c != cf.ProlepticGregorian {
		return dtype.DateTime{}, exit.Usagef("times of the calendar %v are not those of datetime64: use the format text, json or csv, or --raw", c)
	}
	next, err := u.Time(1)
	if err == nil && !isFloat(d.a.DType()) && !d.c.Packed() && u.Reference().Date().Nanosecond == 0 && next.Date().Nanosecond == 0 {
		return dtype.DateTime{Unit: dtype.Second}, nil
	}
	return dtype.DateTime{Unit: dtype.Nanosecond}, nil
}

// decoded returns a reader of the decoded elements.
func (d decoding) decoded() Decoded {
	from, _ := numeric.Pick(d.a.DType(), decodedFrom[int8], decodedFrom[int16], decodedFrom[int32], decodedFrom[int64],
		decodedFrom[uint8], decodedFrom[uint16], decodedFrom[uint32], decodedFrom[uint64], decodedFrom[float32], decodedFrom[float64])
	return from(d)
}

// decodedFrom returns a reader of the decoded elements for stored elements of type S.
func decodedFrom[S cf.Number](d decoding) Decoded {
	float := isFloat(d.a.DType())
	switch {
	case d.form == formTimes && d.numpy:
		return Decoded{d.instant, readInstants[S](d), 5}
	case d.form == formTimes:
		texts := new([]cf.Time)
		text := func(i int) string {
			if t := (*texts)[i]; !t.IsNaT() {
				return t.String()
			}
			return ""
		}
		return Decoded{textOf(text, false), readTimes[S](d, texts), 5}
	case d.form == formBools && d.numpy && !d.c.CanMiss():
		return Decoded{dtype.Bool, readBools[S](d), 2}
	case (d.form == formMasked || d.form == formBools) && !float && !d.numpy:
		values := new(maybe[S])
		return Decoded{textOf(values.texter(d), true), readMaybe(d, values), 3}
	case d.form == formMasked && float && d.a.DType() != dtype.Type(dtype.Float64):
		return Decoded{render.Decoded{Type: dtype.Float32}, readFloats[float32](d), 1}
	case d.form == formMasked && !float && d.a.DType().Size() == 8:
		return Decoded{render.Decoded{Type: dtype.Float64}, readExact[S](d), 3}
	}
	return Decoded{render.Decoded{Type: dtype.Float64}, readFloats[float64](d), 1}
}

// textOf returns a data type for elements with text. A buffer contains their indices. The text of a
// missing element is empty.
func textOf(text func(i int) string, bare bool) render.Decoded {
	return render.Decoded{Type: dtype.Uint64, Bare: bare, Text: func(b []byte) string { return text(int(binary.LittleEndian.Uint64(b))) }}
}

// maybe contains stored integers, some of which are missing.
type maybe[S cf.Number] struct {
	values  []S
	missing []bool
}

// texter returns a function that formats the i-th value. The text of a missing value is empty.
func (m *maybe[S]) texter(d decoding) func(i int) string {
	unused := 64 - 8*d.a.DType().Size()
	return func(i int) string {
		bits := uint64(m.values[i]) << unused
		switch {
		case m.missing[i]:
			return ""
		case d.form == formBools:
			return strconv.FormatBool(bits != 0)
		case d.c.Signed():
			return strconv.FormatInt(int64(bits)>>unused, 10)
		}
		return strconv.FormatUint(bits>>unused, 10)
	}
}

// readMaybe returns a reader that stores integers in *m, and their indices in the buffer.
func readMaybe[S cf.Number](d decoding, m *maybe[S]) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		*m = maybe[S]{} // free the previous values first
		src, err := readStored[S](ctx, d.a, sel)
		if err != nil {
			return err
		}
		m.values, m.missing = src, make([]bool, len(src))
		render.Number(buf, 0)
		_, err = cf.Missing(d.c, m.missing, src)
		return err
	}
}

// readBools returns a reader that stores booleans in the buffer.
func readBools[S cf.Number](d decoding) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		src, err := readStored[S](ctx, d.a, sel)
		for i, v := range src {
			if buf[i] = 0; v != 0 {
				buf[i] = 1
			}
		}
		return err
	}
}

// decodeTimes reads and decodes times.
func decodeTimes[S cf.Number](ctx context.Context, d decoding, sel []zarr.Selection) ([]cf.Time, error) {
	src, err := readStored[S](ctx, d.a, sel)
	if err != nil {
		return nil, err
	}
	dst := make([]cf.Time, len(src))
	if err := cf.DecodeTimes(d.c, dst, src); err != nil {
		return nil, fmt.Errorf("%w; --raw uses the stored elements", err)
	}
	return dst, nil
}

// readTimes returns a reader that stores decoded times in *times, and their indices in the buffer.
func readTimes[S cf.Number](d decoding, times *[]cf.Time) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) (err error) {
		*times = nil // free the previous times first
		*times, err = decodeTimes[S](ctx, d, sel)
		render.Number(buf, 0)
		return err
	}
}

// readInstants returns a reader that stores decoded times as datetime64 in the buffer.
func readInstants[S cf.Number](d decoding) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		src, err := decodeTimes[S](ctx, d, sel)
		for i, t := range src {
			at := dtype.Instant(dtype.NaT)
			if !t.IsNaT() {
				std, ok := t.Std()
				if ok {
					at, err = d.instant.Instant(std)
				}
				if err != nil || !ok {
					return fault.Newf(fault.Type, "variable %s: %v is out of the range of %v: use the format text, json or csv, or --raw", d.name, t, d.instant)
				}
			}
			binary.LittleEndian.PutUint64(buf[8*i:], uint64(at)) //nolint:gosec // two's complement
		}
		return err
	}
}

// readFloats returns a reader that stores decoded elements in the buffer.
func readFloats[D cf.Float](d decoding) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		if dst, ok := bytesview.As[D](buf); ok {
			return compute.Decode(ctx, d.a, d.c, dst, sel...)
		}
		values, err := compute.Read[D](ctx, d.a, d.c, sel...)
		if err == nil {
			bytesview.Put(buf, values)
		}
		return err
	}
}

// readExact returns a reader that stores integers of 8 bytes as float64 in the buffer. NaN is a
// missing value.
func readExact[S cf.Number](d decoding) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		src, err := readStored[S](ctx, d.a, sel)
		if err != nil {
			return err
		}
		dst := make([]float64, len(src))
		if err := cf.Decode(d.c, dst, src); err != nil {
			return err
		}
		for i, f := range dst {
			if math.Abs(f) >= 1<<53 && !exactly(d.c.Signed(), src[i], f) {
				return fault.Newf(fault.Type, "variable %s: float64 cannot represent %v: use the format text, json or csv, or --raw", d.name, src[i])
			}
		}
		bytesview.Put(buf, dst)
		return nil
	}
}

// exactly reports whether f equals an integer of 64 bits.
func exactly[S cf.Number](signed bool, v S, f float64) bool {
	if signed {
		return f < 1<<63 && int64(f) == int64(v)
	}
	return f < 1<<64 && uint64(f) == uint64(v)
}

// readStored reads stored elements. It converts float16 to float32.
func readStored[S cf.Number](ctx context.Context, a *zarr.Array, sel []zarr.Selection) ([]S, error) {
	if a.DType() == dtype.Type(dtype.Float16) {
		return zarr.ReadAs[S](ctx, a, sel...)
	}
	return zarr.Read[S](ctx, a, sel...)
}
