package arrow

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// spec returns the metadata of a new dataset.
func (j *job) spec() (dataset.Spec, error) {
	s := dataset.Spec{Format: j.o.Format}
	shape, chunks, all := make([]int, len(j.labels)), []int(nil), int64(1)
	for i, x := range j.labels {
		shape[i] = len(x.keys)
		if all > math.MaxInt64/int64(max(shape[i], 1)) {
			return s, fault.Newf(fault.Limit, "the dimensions %q have more than 2⁶³ elements", j.o.Labels)
		}
		all *= int64(shape[i])
		v, err := varSpec(x.name, j.types[x.name], true, false)
		if err != nil {
			return s, err
		}
		v.Shape, v.Dims = shape[i:i+1], []string{x.name}
		s.Vars = append(s.Vars, v)
	}
	if all == 0 {
		return s, fault.Newf(fault.Selection, "the table has no rows, so a new dataset would have no labels")
	}
	for name := range j.o.Chunks {
		if !slices.Contains(j.o.Labels, name) {
			return s, fault.Newf(fault.Selection, "there is no dimension %q to divide into chunks", name)
		}
	}
	if len(j.o.Chunks) > 0 {
		chunks = slices.Clone(shape)
		for i, x := range j.labels {
			if n, ok := j.o.Chunks[x.name]; ok {
				chunks[i] = n
			}
		}
	}
	for _, name := range j.vars {
		holes := j.o.LastWins || j.rows < all || j.holes[name]
		if c := j.class(name); holes && j.used[name] && (c == ints || c == uints) {
			low, high := missingOf(j.types[name])
			return s, fault.Newf(fault.Type, "column %q has elements that are missing, and also %v or %v, which would mark them", name, low, high)
		}
		v, err := varSpec(name, j.types[name], false, holes)
		if err != nil {
			return s, err
		}
		v.Shape, v.Dims, v.Chunks = shape, j.o.Labels, chunks
		s.Vars = append(s.Vars, v)
	}
	return s, nil
}

// common returns the type of a new variable for columns of two types, and whether there is one.
func common(a, b arrow.DataType) (arrow.DataType, bool) {
	numbers := []class{ints, uints, reals}
	units := []string{"days", "seconds", "milliseconds", "microseconds", "nanoseconds"}
	c, _ := classOf(a)
	d, _ := classOf(b)
	switch {
	case c == nulls:
		return b, true
	case d == nulls:
		return a, true
	case c != d && slices.Contains(numbers, c) && slices.Contains(numbers, d):
		return arrow.PrimitiveTypes.Float64, true
	case c != d:
		return nil, false
	case slices.Contains(numbers, c) && a.(arrow.FixedWidthDataType).BitWidth() < b.(arrow.FixedWidthDataType).BitWidth(),
		(c == instants || c == durations) && slices.Index(units, unitOf(a)) < slices.Index(units, unitOf(b)):
		return b, true
	}
	return a, true
}

// missingOf returns the integers that mark missing elements of new variables: the smallest signed
// and the largest unsigned one.
func missingOf(t arrow.DataType) (low int64, high uint64) {
	bits := 64
	if f, ok := t.(arrow.FixedWidthDataType); ok {
		bits = f.BitWidth()
	}
	return math.MinInt64 >> (64 - bits), math.MaxUint64 >> (64 - bits)
}

// varSpec returns the metadata of a new variable or coordinate, without its dimensions.
func varSpec(name string, t arrow.DataType, label, holes bool) (dataset.VarSpec, error) {
	v := dataset.VarSpec{Name: name, Spec: zarr.Spec{Attrs: map[string]any{}}}
	low, high := missingOf(t)
	numbers := map[arrow.Type]dtype.Type{
		arrow.INT8: dtype.Int8, arrow.INT16: dtype.Int16, arrow.INT32: dtype.Int32, arrow.INT64: dtype.Int64,
		arrow.UINT8: dtype.Uint8, arrow.UINT16: dtype.Uint16, arrow.UINT32: dtype.Uint32, arrow.UINT64: dtype.Uint64,
		arrow.FLOAT16: dtype.Float16, arrow.FLOAT32: dtype.Float32, arrow.FLOAT64: dtype.Float64, arrow.NULL: dtype.Float64,
	}
	c, _ := classOf(t)
	v.DType = numbers[t.ID()]
	switch c {
	case nulls, reals:
		v.Missing = math.NaN()
	case ints:
		v.Missing = low
	case uints:
		v.Missing = high
	case truths:
		v.DType = dtype.Bool
		if holes {
			v.DType, v.Missing = dtype.Int8, int8(-1)
		}
	case words:
		v.DType = dtype.String
	case blobs:
		v.DType = dtype.Bytes
	case instants:
		unit, since := unitOf(t), " since 1970-01-01"
		v.DType, v.Attrs["units"], v.Attrs["calendar"], v.Missing = dtype.Int64, unit+since, "proleptic_gregorian", int64(math.MinInt64)
	case durations:
		unit := unitOf(t)
		v.DType, v.Attrs["units"], v.Attrs["dtype"], v.Missing = dtype.Int64, unit, "timedelta64[ns]", int64(math.MinInt64)
	}
	if label || !holes && (c == ints || c == uints || c == truths) {
		v.Missing = nil
	}
	if v.DType == nil {
		return v, fmt.Errorf("column %q: %w", name, fault.Newf(fault.Type, "values of the type %v cannot be stored", t))
	}
	return v, nil
}

// unitOf returns the unit of stored times.
func unitOf(t arrow.DataType) string {
	unit := arrow.Millisecond
	switch t := t.(type) {
	case *arrow.Date32Type:
		return "days"
	case *arrow.TimestampType:
		unit = t.Unit
	case *arrow.DurationType:
		unit = t.Unit
	}
	return map[arrow.TimeUnit]string{arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds"}[unit]
}
