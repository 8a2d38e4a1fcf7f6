package arrow

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/zargo-io/zargo/zarr/fault"
)

// class is the kind of the values of an imported column.
type class uint8

const (
	nulls    class = iota // only null
	ints                  // int8 to int64
	uints                 // uint8 to uint64
	reals                 // float16 to float64
	truths                // bool
	words                 // utf8
	blobs                 // binary
	instants              // timestamp and date
	durations
)

// vector contains the values of an imported column. The function of the class returns a value that
// is not null; the others are nil.
type vector struct {
	arrow.Array
	class class
	i     func(int) int64 // also of durations, in unit
	u     func(int) uint64
	f     func(int) float64
	t     func(int) bool
	s     func(int) string
	b     func(int) []byte
	at    func(int) time.Time
	unit  time.Duration

	dictionary *array.Dictionary // with values, or nil
	values     arrow.Array
}

// IsNull reports whether an element is null. Arrow's arrays of the type null report false.
func (c vector) IsNull(i int) bool {
	return c.class == nulls || c.Array.IsNull(i) || c.values != nil && c.values.IsNull(c.dictionary.GetValueIndex(i))
}

// inUnits returns a function that returns the instants that c.i counts.
func (c vector) inUnits() func(int) time.Time {
	if c.unit > time.Second { // days
		return func(i int) time.Time { return time.Unix(c.i(i)*int64(c.unit/time.Second), 0).UTC() }
	}
	per := int64(time.Second / c.unit)
	return func(i int) time.Time {
		n := c.i(i)
		return time.Unix(n/per, n%per*int64(c.unit)).UTC()
	}
}

// classOf returns the class of a type, and of a dictionary that of its values. It reports false for
// other types, such as decimals and nested types.
func classOf(t arrow.DataType) (class, bool) {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	switch t.ID() {
	case arrow.NULL:
		return nulls, true
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64:
		return ints, true
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return uints, true
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return reals, true
	case arrow.BOOL:
		return truths, true
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return words, true
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return blobs, true
	case arrow.TIMESTAMP, arrow.DATE32, arrow.DATE64:
		return instants, true
	case arrow.DURATION:
		return durations, true
	}
	return 0, false
}

// vectorOf returns the values of a column. The caller releases them.
func vectorOf(a arrow.Array) (c vector, err error) {
	if d := dictionaryOf(a); d != nil {
		values, err := vectorOf(d.Dictionary())
		if err != nil {
			return vector{}, err
		}
		defer values.Release() // a keeps them
		a.Retain()
		k := d.GetValueIndex
		return vector{
			Array: a, class: values.class, unit: values.unit, dictionary: d, values: values.Array,
			i: through(k, values.i), u: through(k, values.u), f: through(k, values.f), t: through(k, values.t),
			s: through(k, values.s), b: through(k, values.b), at: through(k, values.at),
		}, nil
	}
	a.Retain()
	c = vector{Array: a}
	c.class, _ = classOf(a.DataType())
	switch a := a.(type) {
	case *array.Null:
	case *array.Int8:
		c.i = as[int64](a.Value)
	case *array.Int16:
		c.i = as[int64](a.Value)
	case *array.Int32:
		c.i = as[int64](a.Value)
	case *array.Int64:
		c.i = a.Value
	case *array.Uint8:
		c.u = as[uint64](a.Value)
	case *array.Uint16:
		c.u = as[uint64](a.Value)
	case *array.Uint32:
		c.u = as[uint64](a.Value)
	case *array.Uint64:
		c.u = a.Value
	case *array.Float16:
		c.f = func(i int) float64 { return float64(a.Value(i).Float32()) }
	case *array.Float32:
		c.f = as[float64](a.Value)
	case *array.Float64:
		c.f = a.Value
	case *array.Boolean:
		c.t = a.Value
	case *array.Timestamp:
		c.i, c.unit = as[int64](a.Value), a.DataType().(*arrow.TimestampType).Unit.Multiplier()
	case *array.Date32:
		c.i, c.unit = as[int64](a.Value), 24*time.Hour
	case *array.Date64:
		c.i, c.unit = as[int64](a.Value), time.Millisecond
	case *array.Duration:
		c.i, c.unit = as[int64](a.Value), a.DataType().(*arrow.DurationType).Unit.Multiplier()
	case interface{ Value(i int) string }:
		c.s = a.Value
	case interface{ Value(i int) []byte }:
		c.b = a.Value
	default:
		return vector{}, fault.Newf(fault.Type, "values of the type %v cannot be imported", a.DataType())
	}
	if c.class == instants {
		c.at = c.inUnits()
	}
	return c, nil
}

// through returns a function of the codes of a dictionary.
func through[T any](code func(int) int, value func(int) T) func(int) T {
	return func(i int) T { return value(code(i)) }
}

// as returns a function that converts the results of value.
func as[T, F int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | arrow.Timestamp | arrow.Date32 | arrow.Date64 | arrow.Duration](value func(int) F) func(int) T {
	return func(i int) T { return T(value(i)) }
}
