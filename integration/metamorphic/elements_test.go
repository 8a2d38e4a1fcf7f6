package metamorphic

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// elements reads and writes the elements of one data type as small numbers. 0 is the fill value.
type elements struct {
	name   string
	dtype  dtype.Type
	fill   any
	values int // the elements are 0 to values-1

	read   func(ctx context.Context, a *zarr.Array, blocks bool, sel ...zarr.Selection) ([]int8, error)
	write  func(ctx context.Context, a *zarr.Array, v []int8, sel ...zarr.Selection) error
	append func(ctx context.Context, a *zarr.Array, axis int, v []int8) (*zarr.Array, error)
	// stream appends v by a zarr.Writer, a limited number of rows per call.
	stream func(ctx context.Context, a *zarr.Array, axis, rows int, v []int8) (*zarr.Array, error)
}

func elementsOf[T comparable](name string, typ dtype.Type, fill any, values int, to func(int8) T, number func(T) int8) *elements {
	// from returns -1 for an element that to does not return.
	from := func(x T) int8 {
		n := number(x)
		if same := to(n); same == x || same != same && x != x {
			return n
		}
		return -1
	}
	convert := func(v []int8) []T {
		out := make([]T, len(v))
		for i, n := range v {
			out[i] = to(n)
		}
		return out
	}
	e := &elements{name: name, dtype: typ, fill: fill, values: values}
	e.read = func(ctx context.Context, a *zarr.Array, blocks bool, sel ...zarr.Selection) ([]int8, error) {
		if !blocks {
			got, err := zarr.Read[T](ctx, a, sel...)
			out := make([]int8, len(got))
			for i, x := range got {
				out[i] = from(x)
			}
			return out, err
		}
		out := make([]int8, a.Len())
		for b, err := range zarr.Blocks[T](ctx, a, zarr.BlockOptions{AnyOrder: true}) {
			if err != nil {
				return out, err
			}
			for i, at := range indexes(a.Shape(), b.At, b.Shape) {
				out[at] = from(b.Values[i])
			}
		}
		return out, nil
	}
	e.write = func(ctx context.Context, a *zarr.Array, v []int8, sel ...zarr.Selection) error {
		return zarr.Write(ctx, a, convert(v), sel...)
	}
	e.append = func(ctx context.Context, a *zarr.Array, axis int, v []int8) (*zarr.Array, error) {
		return zarr.Append(ctx, a, axis, convert(v), zarr.AppendOptions{})
	}
	e.stream = func(ctx context.Context, a *zarr.Array, axis, rows int, v []int8) (*zarr.Array, error) {
		w, err := zarr.NewWriter[T](ctx, a, axis, zarr.AppendOptions{})
		if err != nil {
			return nil, err
		}
		row := 1
		for d, n := range a.Shape() {
			if d != axis {
				row *= n
			}
		}
		src := convert(v)
		for len(src) > 0 {
			n := min(len(src), rows*row)
			// A Writer requires whole rows, in C order, in each call.
			if err := w.Write(ctx, src[:n]); err != nil {
				return nil, err
			}
			src = src[n:]
		}
		return w.Close(ctx)
	}
	return e
}

// indexes returns the index of each element of a block, in C order within an array of a shape.
func indexes(shape, start, block []int) []int {
	out := []int{0}
	for d, n := range shape {
		next := make([]int, 0, len(out)*block[d])
		for _, at := range out {
			for i := range block[d] {
				next = append(next, at*n+start[d]+i)
			}
		}
		out = next
	}
	return out
}

func number[T int8 | uint8 | int16 | uint16 | int32 | int64 | uint64 | float32 | float64](name string, typ dtype.Type, fill int8) *elements {
	return elementsOf(name, typ, int(fill), 5, func(n int8) T { return T(n + fill) }, func(v T) int8 { return int8(v) - fill })
}

// types are the data types of arrays.
var types = []*elements{
	elementsOf("bool", dtype.Bool, nil, 2, func(n int8) bool { return n == 1 }, func(v bool) int8 {
		if v {
			return 1
		}
		return 0
	}),
	number[uint8]("uint8", dtype.Uint8, 0),
	number[int16]("int16", dtype.Int16, -1),
	number[int32]("int32", dtype.Int32, 7),
	number[uint64]("uint64", dtype.Uint64, 0),
	number[float32]("float32", dtype.Float32, 0),
	elementsOf("float64", dtype.Float64, math.NaN(), 5,
		func(n int8) float64 {
			if n == 0 {
				return math.NaN()
			}
			return float64(n) / 2
		},
		func(v float64) int8 {
			if math.IsNaN(v) {
				return 0
			}
			return int8(v * 2)
		}),
	elementsOf("complex64", dtype.Complex64, nil, 5, func(n int8) complex64 { return complex(float32(n), -float32(n)) }, func(v complex64) int8 { return int8(real(v)) }),
	elementsOf("string", dtype.String, "-", 5, func(n int8) string { return "-" + strings.Repeat("é", int(n)) }, func(v string) int8 { return int8(len(v) / 2) }),
}

// numbers returns n random elements. In one of five calls all are the fill value.
func (e *elements) numbers(r *rand.Rand, n int) []int8 {
	v := make([]int8, n)
	if r.IntN(5) > 0 {
		for i := range v {
			v[i] = int8(r.IntN(e.values))
		}
	}
	return v
}
