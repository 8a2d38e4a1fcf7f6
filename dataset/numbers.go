package dataset

import (
	"context"
	"reflect"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// numbers contains stored values of a variable and decodes them.
type numbers interface {
	floats64() ([]float64, error)
	floats32() ([]float32, error)
	// signed and unsigned return the bits of integers as those of signed or unsigned integers.
	signed() []int64
	unsigned() []uint64
	times() ([]cf.Time, error)
}

// numberType reads and encodes the values of variables with one Go type of stored numbers.
type numberType interface {
	read(ctx context.Context, v *Variable) (numbers, error)
	// hold returns values, a slice of the Go type, and false for other types.
	hold(v *Variable, values any) (numbers, bool)
	encode(v *Variable, values []float64) (column, error)
	encodeTimes(v *Variable, values []cf.Time) (column, error)
}

// goType returns the Go type of the stored numbers of a data type, which is float32 for float16.
func goType(t dtype.Type) numberType {
	switch t {
	case dtype.Int8:
		return of[int8]{}
	case dtype.Int16:
		return of[int16]{}
	case dtype.Int32:
		return of[int32]{}
	case dtype.Int64:
		return of[int64]{}
	case dtype.Uint8:
		return of[uint8]{}
	case dtype.Uint16:
		return of[uint16]{}
	case dtype.Uint32:
		return of[uint32]{}
	case dtype.Uint64:
		return of[uint64]{}
	case dtype.Float64:
		return of[float64]{}
	}
	return of[float32]{}
}

// of implements numberType.
type of[S cf.Number] struct{}

func (of[S]) read(ctx context.Context, v *Variable) (numbers, error) {
	values, err := read[S](ctx, v)
	return typed[S]{v.stored.coding, values}, err
}

func (of[S]) hold(v *Variable, values any) (numbers, bool) {
	s, ok := values.([]S)
	return typed[S]{v.stored.coding, s}, ok
}

func (of[S]) encode(v *Variable, values []float64) (column, error) {
	dst := make([]S, len(values))
	if err := cf.Encode(v.stored.coding, dst, values); err != nil {
		return column{}, err
	}
	return Stored(v.name, dst).store(v)
}

func (of[S]) encodeTimes(v *Variable, values []cf.Time) (column, error) {
	dst := make([]S, len(values))
	if err := cf.EncodeTimes(v.stored.coding, dst, values); err != nil {
		return column{}, err
	}
	return Stored(v.name, dst).store(v)
}

// typed contains values of one Go type. It implements numbers.
type typed[S cf.Number] struct {
	coding *cf.Coding
	values []S
}

func (t typed[S]) floats64() ([]float64, error) { return decode[float64](t) }
func (t typed[S]) floats32() ([]float32, error) { return decode[float32](t) }

func (t typed[S]) signed() []int64 {
	dst, unused := make([]int64, len(t.values)), 64-reflect.TypeFor[S]().Bits()
	for i, v := range t.values {
		dst[i] = int64(v) << unused >> unused
	}
	return dst
}

func (t typed[S]) unsigned() []uint64 {
	dst, unused := make([]uint64, len(t.values)), 64-reflect.TypeFor[S]().Bits()
	for i, v := range t.values {
		dst[i] = uint64(v) << unused >> unused
	}
	return dst
}

func (t typed[S]) times() ([]cf.Time, error) {
	dst := make([]cf.Time, len(t.values))
	return dst, cf.DecodeTimes(t.coding, dst, t.values)
}

func decode[D cf.Float, S cf.Number](t typed[S]) ([]D, error) {
	dst := make([]D, len(t.values))
	return dst, cf.Decode(t.coding, dst, t.values)
}

// decodeAs decodes to float32 if T is float32, and to float64 otherwise.
func decodeAs[T cf.Float](n numbers) ([]T, error) {
	var zero T
	if _, single := any(zero).(float32); single {
		f, err := n.floats32()
		return as[T](f), err
	}
	f, err := n.floats64()
	return as[T](f), err
}

// as converts a slice of numbers to a slice of T.
func as[T, F cf.Number](src []F) []T {
	if same, ok := any(src).([]T); ok {
		return same
	}
	dst := make([]T, len(src))
	for i, f := range src {
		dst[i] = T(f)
	}
	return dst
}
