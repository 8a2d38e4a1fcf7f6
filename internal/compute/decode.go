package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/bits/hugepages"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Read returns the selected elements of an array in C order, decoded as by [Decode]. The error is
// fault.Limit if they exceed the memory of the process.
func Read[D cf.Float](ctx context.Context, a *zarr.Array, c *cf.Coding, sel ...zarr.Selection) ([]D, error) {
	shape, err := a.Selected(sel...)
	if err != nil {
		return nil, err
	}
	if n := walk.Bytes(shape, int64(reflect.TypeFor[D]().Size())); n > min(concurrency.Memory(), math.MaxInt) {
		return nil, fault.Newf(fault.Limit, "array %q: %d bytes of decoded elements exceed the memory limit of the process", a.Path(), n)
	}
	dst := make([]D, product(shape))
	view, _ := bytesview.Of(dst)
	defer hugepages.Advise(view).Undo()
	return dst, Decode(ctx, a, c, dst, sel...)
}

// Decode reads the selected elements of an array into dst, in C order, and decodes them by a
// coding. It decodes each chunk on the CPU slot that decoded its codecs, and needs no memory for
// stored elements, unless the selection has lists.
func Decode[D cf.Float](ctx context.Context, a *zarr.Array, c *cf.Coding, dst []D, sel ...zarr.Selection) error {
	from, ok := numeric.Pick(a.DType(), decode[D, int8], decode[D, int16], decode[D, int32], decode[D, int64],
		decode[D, uint8], decode[D, uint16], decode[D, uint32], decode[D, uint64], decode[D, float32], decode[D, float64])
	switch {
	case !ok:
		return notNumbers(a.DType())
	case a.DType() == dtype.Float16:
		from = decodeHalf[D]
	}
	return from(ctx, a, c, dst, sel)
}

// pick is numeric.Pick with arguments for bools and float16. The error is fault.Type for data types
// that are not numeric.
func pick[F any](t dtype.Type, boolean, half, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 F) (F, error) {
	of, ok := numeric.Pick(t, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64)
	switch {
	case t == dtype.Bool:
		return boolean, nil
	case t == dtype.Float16:
		return half, nil
	case !ok:
		return of, notNumbers(t)
	}
	return of, nil
}

func notNumbers(t dtype.Type) error {
	return fault.Newf(fault.Type, "data type %v has no numbers", t)
}

func decode[D cf.Float, S cf.Number](ctx context.Context, a *zarr.Array, c *cf.Coding, dst []D, sel []zarr.Selection) error {
	l, err := cf.LoopOf[S](c)
	if err != nil {
		return err
	}
	if same, ok := any(dst).([]S); ok && !l.Has && !l.Several && l.Scale == 1 && l.Offset == 0 {
		return zarr.ReadInto(ctx, a, same, sel...)
	}
	unpack := func(dst []D, src []S) error { cf.Unpack(l, dst, src); return nil }
	if l.Several || l.Flipped {
		unpack = func(dst []D, src []S) error { return cf.Decode(c, dst, src) }
	}
	if all := integers[S](); len(dst) >= manyDecoded && all != nil {
		decoded := new([1 << 16]D)
		if err := unpack(decoded[:], all); err != nil {
			return err
		}
		unpack = func(dst []D, src []S) error { lookUp(dst, src, decoded); return nil }
	}
	return convert(ctx, a, dst, sel, unpack)
}

// manyDecoded is the number of elements from which all integers of two bytes are decoded first.
const manyDecoded = 1 << 20

// integers returns the integers with the index of their uint16. It returns nil if S is not small.
func integers[S cf.Number]() (all []S) {
	switch any(*new(S)).(type) {
	case int8, int16, uint8, uint16:
		all = make([]S, 1<<16)
		for i := range all {
			all[i] = S(i) // wraps
		}
	}
	return all
}

// lookUp sets dst to the decoded values of src, without a branch for missing elements.
func lookUp[D cf.Float, S cf.Number](dst []D, src []S, decoded *[1 << 16]D) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = decoded[uint16(v)]
	}
}

func decodeHalf[D cf.Float](ctx context.Context, a *zarr.Array, c *cf.Coding, dst []D, sel []zarr.Selection) error {
	return convert(ctx, a, dst, sel, func(dst []D, src []dtype.F16) error {
		return cf.Decode(c, dst, widen(make([]float32, len(src)), src))
	})
}

// widen sets dst to the values of src and returns it.
func widen(dst []float32, src []dtype.F16) []float32 {
	for i, h := range src {
		dst[i] = h.Float32()
	}
	return dst
}

// memory returns the memory form of values, which may share their memory.
func memory[T any](values []T) []byte {
	if b, ok := bytesview.Of(values); ok {
		return b
	}
	b, _ := binary.Append(nil, binary.LittleEndian, values) // numbers have a fixed size
	return b
}

func fill[D any](dst []D, v D) {
	for i := range dst {
		dst[i] = v
	}
}

// convert reads the selected elements, and sets dst to the results of of for parts of them.
func convert[D, S any](ctx context.Context, a *zarr.Array, dst []D, sel []zarr.Selection, of func(dst []D, src []S) error) error {
	shape, err := a.Selected(sel...)
	if err != nil {
		return err
	}
	if n := product(shape); n != len(dst) {
		return fault.Newf(fault.Selection, "the destination has %d values, want %d", len(dst), n)
	}
	err = zarr.Visit(ctx, a, func(p zarr.Part[S]) error {
		n := run(p.Shape, shape)
		if p.Absent {
			var one [1]D
			err := of(one[:], p.Values)
			for at := range rows(p.At, p.Shape, shape) {
				fill(dst[at:at+n], one[0])
			}
			return err
		}
		for at, off := range rows(p.At, p.Shape, shape) {
			if err := of(dst[at:at+n], p.Values[off:off+n]); err != nil {
				return err
			}
		}
		return nil
	}, sel...)
	if !errors.Is(err, fault.Selection) {
		return err
	}
	src, err := zarr.Read[S](ctx, a, sel...) // a selection with lists
	if err != nil {
		return err
	}
	return of(dst, src)
}
