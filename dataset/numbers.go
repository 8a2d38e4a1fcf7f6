package dataset

import (
	"context"
	"math"
	"reflect"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// numbers contains stored values of a variable and decodes them.
type numbers interface {
	floats64() ([]float64, error)
	// signed and unsigned return the bits of integers as those of signed or unsigned integers.
	signed() []int64
	unsigned() []uint64
	times() ([]cf.Time, error)
	// spans returns the values as time differences in a unit. The name is that of the variable.
	spans(name string, unit time.Duration) ([]span, error)
	// bools reports which values are not 0.
	bools() []bool
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
	n, _ := numeric.Pick[numberType](t, of[int8]{}, of[int16]{}, of[int32]{}, of[int64]{},
		of[uint8]{}, of[uint16]{}, of[uint32]{}, of[uint64]{}, of[float32]{}, of[float64]{})
	return n
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
	return storedAs(v, values, cf.Encode[S, float64])
}

func (of[S]) encodeTimes(v *Variable, values []cf.Time) (column, error) {
	return storedAs(v, values, cf.EncodeTimes[S])
}

// storedAs returns the column of values that encode converts to the Go type of goType.
func storedAs[S cf.Number, V any](v *Variable, values []V, encode func(c *cf.Coding, dst []S, src []V) error) (column, error) {
	dst := make([]S, len(values))
	if err := encode(v.stored.coding, dst, values); err != nil {
		return column{}, err
	}
	if v.stored.array.DType() != dtype.Float16 {
		return Stored(v.name, dst).store(v)
	}
	half := make([]dtype.F16, len(dst))
	for i, f := range dst {
		half[i] = dtype.F16From(float32(f))
	}
	return Stored(v.name, half).store(v)
}

// typed contains values of one Go type. It implements numbers.
type typed[S cf.Number] struct {
	coding *cf.Coding
	values []S
}

func (t typed[S]) floats64() ([]float64, error) { return decode[float64](t) }

func (t typed[S]) signed() []int64    { return bitsOf[int64](t.values) }
func (t typed[S]) unsigned() []uint64 { return bitsOf[uint64](t.values) }

// bitsOf returns the bits of integers as integers of another type.
func bitsOf[T int64 | uint64, S cf.Number](values []S) []T {
	if same, ok := any(values).([]T); ok {
		return same
	}
	dst, unused := make([]T, len(values)), 64-reflect.TypeFor[S]().Bits()
	for i, v := range values {
		dst[i] = T(v) << unused >> unused
	}
	return dst
}

func (t typed[S]) times() ([]cf.Time, error) {
	dst := make([]cf.Time, len(t.values))
	return dst, cf.DecodeTimes(t.coding, dst, t.values)
}

func (t typed[S]) spans(name string, unit time.Duration) ([]span, error) {
	dst, missing := make([]span, len(t.values)), make([]bool, len(t.values))
	if _, err := cf.Missing(t.coding, missing, t.values); err != nil {
		return nil, err
	}
	integers := reflect.TypeFor[S]().Kind() < reflect.Float32 && !t.coding.Packed()
	for i, v := range t.values {
		if missing[i] || integers && reflect.TypeFor[S]().Kind() == reflect.Int64 && int64(v) == math.MinInt64 {
			dst[i] = noSpan
			continue
		}
		f := float64(v)
		if !integers {
			one := make([]float64, 1)
			if err := cf.Decode(t.coding, one, t.values[i:i+1]); err != nil {
				return nil, err
			}
			f = one[0]
		}
		f = math.Round(f * float64(unit))
		if !(math.Abs(f) < 1<<63) {
			return nil, fault.Newf(fault.Limit, "variable %s, value %d: %v in units of %v is out of the range of time differences", name, i, v, unit)
		}
		if dst[i] = span(f); integers {
			dst[i] = span(int64(v) * int64(unit))
		}
	}
	return dst, nil
}

func (t typed[S]) bools() []bool {
	dst := make([]bool, len(t.values))
	for i, v := range t.values {
		dst[i] = v != 0
	}
	return dst
}

func decode[D cf.Float, S cf.Number](t typed[S]) ([]D, error) {
	dst := make([]D, len(t.values))
	return dst, cf.Decode(t.coding, dst, t.values)
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
