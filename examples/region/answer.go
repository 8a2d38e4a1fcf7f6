package region

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Answer holds the values of a region in a form that encoding/json can encode.
type Answer struct {
	Shape  []int  `json:"shape"`
	DType  string `json:"dtype"`
	Values any    `json:"values"` // in C order; NaN and infinities, which JSON lacks, are null
}

// Read reads the values of a region. It returns fault.Limit if the region has more than most
// elements.
func Read(ctx context.Context, a *zarr.Array, r Region, most int) (Answer, error) {
	if n := r.Len(); n > most {
		return Answer{}, fault.Newf(fault.Limit, "the region has %d elements, more than the maximum of %d", n, most)
	}
	answer := Answer{Shape: r.Shape(), DType: a.DType().String()}
	var err error
	switch a.DType() {
	case dtype.Bool:
		answer.Values, err = read[bool](ctx, a, r)
	case dtype.Int8:
		answer.Values, err = read[int8](ctx, a, r)
	case dtype.Int16:
		answer.Values, err = read[int16](ctx, a, r)
	case dtype.Int32:
		answer.Values, err = read[int32](ctx, a, r)
	case dtype.Int64:
		answer.Values, err = read[int64](ctx, a, r)
	case dtype.Uint8:
		answer.Values, err = readBytes(ctx, a, r)
	case dtype.Uint16:
		answer.Values, err = read[uint16](ctx, a, r)
	case dtype.Uint32:
		answer.Values, err = read[uint32](ctx, a, r)
	case dtype.Uint64:
		answer.Values, err = read[uint64](ctx, a, r)
	case dtype.Float32:
		var v []float32
		v, err = read[float32](ctx, a, r)
		answer.Values = numbers[float32]{v, 32}
	case dtype.Float64:
		var v []float64
		v, err = read[float64](ctx, a, r)
		answer.Values = numbers[float64]{v, 64}
	default:
		err = fmt.Errorf("%w: elements of %v as JSON", errors.ErrUnsupported, a.DType())
	}
	if err != nil {
		return Answer{}, err
	}
	return answer, nil
}

func read[T any](ctx context.Context, a *zarr.Array, r Region) ([]T, error) {
	return zarr.Read[T](ctx, a, r.Selection()...)
}

// readBytes converts bytes to uint16, because encoding/json encodes bytes as a string.
func readBytes(ctx context.Context, a *zarr.Array, r Region) ([]uint16, error) {
	b, err := read[uint8](ctx, a, r)
	wide := make([]uint16, len(b))
	for i, v := range b {
		wide[i] = uint16(v)
	}
	return wide, err
}

// numbers is a list of floating-point numbers and their size in bits.
type numbers[T float32 | float64] struct {
	values []T
	bits   int
}

var _ json.Marshaler = numbers[float32]{}

// MarshalJSON writes each number with the fewest digits that parse to the same number.
func (n numbers[T]) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 8*len(n.values)), '[')
	for i, v := range n.values {
		if i > 0 {
			b = append(b, ',')
		}
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, f, 'g', -1, n.bits)
	}
	return append(b, ']'), nil
}
