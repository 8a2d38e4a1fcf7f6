package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// decoded reads and formats the elements of an array.
type decoded struct {
	t     dtype.Type // of the elements in a buffer
	read  render.Reader
	times bool
	cost  int64 // bytes of memory for each byte in a buffer
}

// asStored returns a reader of the stored elements.
func asStored(a *zarr.Array) decoded {
	v := decoded{cost: 1}
	v.t, v.read = render.ReaderOf(a)
	return v
}

// decode returns a reader that decodes elements by the CF conventions. name is the name of the
// array in errors.
//
// Times become text. As in xarray, values of float16 and float32 become float32 unless they are
// scaled. Other numbers become float64 if they are scaled, may be missing or have the attribute
// _Unsigned. All other elements are not decoded.
func decode(a *zarr.Array, name string) (decoded, error) {
	t, attrs := a.DType(), a.Attrs()
	c, err := codingOf(a, name)
	switch {
	case errors.Is(err, fault.Type): // not numeric
		return asStored(a), nil
	case err != nil:
		return decoded{}, err
	}
	_, time := c.Units()
	_, sign := attrs["_Unsigned"]
	single := t == dtype.Type(dtype.Float16) || t == dtype.Type(dtype.Float32)
	double := t == dtype.Type(dtype.Float64)
	if !time && !sign && !single && !double && !c.Packed() && !c.CanMiss() {
		return asStored(a), nil
	}
	return decoding{a, c, time, single && !c.Packed()}.decoded(), nil
}

// codingOf returns the coding of an array. It returns fault.Type if the elements are not numbers.
func codingOf(a *zarr.Array, name string) (*cf.Coding, error) {
	return cf.New(cf.Variable{Name: name, Type: a.DType(), Fill: a.Fill(), V2: a.Format() == 2, Attrs: a.Attrs()}, cf.Options{})
}

// decoding is an array with the coding of its elements.
type decoding struct {
	a      *zarr.Array
	c      *cf.Coding
	time   bool // decode to times
	single bool // decode to float32 instead of float64
}

// decoded returns a reader of the decoded elements.
func (d decoding) decoded() decoded {
	switch d.a.DType() {
	case dtype.Int8:
		return decodedFrom[int8](d)
	case dtype.Int16:
		return decodedFrom[int16](d)
	case dtype.Int32:
		return decodedFrom[int32](d)
	case dtype.Int64:
		return decodedFrom[int64](d)
	case dtype.Uint8:
		return decodedFrom[uint8](d)
	case dtype.Uint16:
		return decodedFrom[uint16](d)
	case dtype.Uint32:
		return decodedFrom[uint32](d)
	case dtype.Uint64:
		return decodedFrom[uint64](d)
	case dtype.Float64:
		return decodedFrom[float64](d)
	}
	return decodedFrom[float32](d)
}

// decodedFrom returns a reader of the decoded elements for stored elements of type S.
func decodedFrom[S cf.Number](d decoding) decoded {
	switch {
	case d.time:
		times := new([]cf.Time)
		text := func(b []byte) string {
			if t := (*times)[binary.LittleEndian.Uint64(b)]; !t.IsNaT() {
				return t.String()
			}
			return ""
		}
		return decoded{render.Decoded{Type: dtype.Uint64, Text: text}, readTimes[S](d, times), true, 5}
	case d.single:
		return decoded{render.Decoded{Type: dtype.Float32}, readFloats[S, float32](d, 4), false, 3}
	}
	return decoded{render.Decoded{Type: dtype.Float64}, readFloats[S, float64](d, 8), false, 3}
}

// readTimes returns a reader that stores decoded times in *times, and their indices in the buffer.
func readTimes[S cf.Number](d decoding, times *[]cf.Time) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		*times = nil // free the previous times first
		src, err := readStored[S](ctx, d.a, sel)
		if err != nil {
			return err
		}
		*times = make([]cf.Time, len(src))
		render.Number(buf, 0)
		return cf.DecodeTimes(d.c, *times, src)
	}
}

// readFloats returns a reader that stores decoded elements of size bytes in the buffer.
func readFloats[S cf.Number, D cf.Float](d decoding, size int) render.Reader {
	return func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		src, err := readStored[S](ctx, d.a, sel)
		if err != nil {
			return err
		}
		dst := make([]D, len(src))
		if err := cf.Decode(d.c, dst, src); err != nil {
			return err
		}
		for i, f := range dst {
			if size == 4 {
				binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(float32(f)))
			} else {
				binary.LittleEndian.PutUint64(buf[8*i:], math.Float64bits(float64(f)))
			}
		}
		return nil
	}
}

// readStored reads stored elements. It converts float16 to float32.
func readStored[S cf.Number](ctx context.Context, a *zarr.Array, sel []zarr.Selection) ([]S, error) {
	if a.DType() == dtype.Type(dtype.Float16) {
		return zarr.ReadAs[S](ctx, a, sel...)
	}
	return zarr.Read[S](ctx, a, sel...)
}
