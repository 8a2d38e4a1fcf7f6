package arrow

import (
	"context"
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// times reads times as timestamps without a time zone.
type times struct{ unit arrow.TimeUnit }

func (k times) typ() arrow.DataType { return &arrow.TimestampType{Unit: k.unit} }

func (k times) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := v.Times(ctx)
	if err != nil {
		return nil, err
	}
	stamps, missing := make([]arrow.Timestamp, len(values)), make([]bool, len(values))
	for i, t := range values {
		if missing[i] = t.IsNaT(); missing[i] {
			continue
		}
		at, ok := t.Std()
		if !ok {
			return nil, fault.Newf(fault.Type, "variable %s, value %d: the date %v of the calendar %v is not the same in the calendar of timestamps", v.Name(), i, t, t.Calendar())
		}
		if stamps[i], ok = k.stamp(at); !ok {
			return nil, fault.Newf(fault.Limit, "variable %s, value %d: %v is out of the range of %v", v.Name(), i, t, k.typ())
		}
	}
	return fixed(k.typ(), arrange(l, stamps), arrange(l, missing)), nil
}

// stamp returns a time in the unit, rounded to it. It reports false if it is out of range.
func (k times) stamp(t time.Time) (arrow.Timestamp, bool) {
	each := int64(k.unit.Multiplier())
	t = t.Round(k.unit.Multiplier())
	per := int64(time.Second) / each
	if s := t.Unix(); s <= math.MinInt64/per || s >= math.MaxInt64/per {
		return 0, false
	}
	return arrow.Timestamp(t.Unix()*per + int64(t.Nanosecond())/each), true
}

// timesOf returns the kind of a datetime64: timestamps in the coarsest of s, ms, µs and ns that
// represents all values, or in ns.
func timesOf(t dtype.DateTime) kind {
	switch t.Unit {
	case dtype.Millisecond:
		return times{arrow.Millisecond}
	case dtype.Microsecond:
		return times{arrow.Microsecond}
	case dtype.Nanosecond, dtype.Picosecond, dtype.Femtosecond, dtype.Attosecond, dtype.Generic:
		return times{arrow.Nanosecond}
	}
	return times{arrow.Second}
}

// calendarTimes returns the kind of numbers with time units. In a calendar whose dates are not
// those of timestamps they are texts. Other times are timestamps in the coarsest of s, ms, µs and
// ns that represents all integers in the units, and in µs if floats are stored.
func calendarTimes(u cf.TimeUnits, integers bool) kind {
	if c := u.Calendar(); c != cf.Standard && c != cf.ProlepticGregorian {
		return dates{}
	}
	if !integers {
		return times{arrow.Microsecond}
	}
	unit := arrow.Second
	for v := range int64(2) {
		t, err := u.Time(v)
		if err != nil {
			return dates{}
		}
		for unit < arrow.Nanosecond && t.Date().Nanosecond%int(unit.Multiplier()) != 0 {
			unit++
		}
	}
	return times{unit}
}

// dates reads times as texts in ISO 8601.
type dates struct{}

func (dates) typ() arrow.DataType { return arrow.BinaryTypes.String }

func (dates) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := v.Times(ctx)
	if err != nil {
		return nil, err
	}
	out, missing := make([]string, len(values)), make([]bool, len(values))
	for i, t := range values {
		if missing[i] = t.IsNaT(); !missing[i] {
			out[i] = t.String()
		}
	}
	return ofBytes(v, arrow.BinaryTypes.String, arrange(l, out), arrange(l, missing))
}

// spans reads timedelta64 as durations in ns.
type spans struct{ of dtype.TimeDelta }

func (spans) typ() arrow.DataType { return arrow.FixedWidthTypes.Duration_ns }

func (k spans) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, err := zarr.Read[dtype.Span](ctx, v.Array(), v.Selection()...)
	if err != nil {
		return nil, err
	}
	out, missing := make([]arrow.Duration, len(values)), make([]bool, len(values))
	for i, s := range values {
		if missing[i] = s == dtype.NaT; missing[i] {
			continue
		}
		d, err := k.of.Duration(s)
		if err != nil {
			return nil, fault.Newf(fault.Limit, "variable %s, value %d: %w", v.Name(), i, err)
		}
		out[i] = arrow.Duration(d)
	}
	return fixed(k.typ(), arrange(l, out), arrange(l, missing)), nil
}

// differences reads the time differences that xarray stores as numbers, as durations in ns.
type differences[S cf.Number] struct {
	coding *cf.Coding
	unit   time.Duration
}

func (differences[S]) typ() arrow.DataType { return arrow.FixedWidthTypes.Duration_ns }

func (k differences[S]) read(ctx context.Context, v *dataset.Variable, l layout) (arrow.Array, error) {
	values, missing, err := dataset.ReadMasked[S](ctx, v)
	if err != nil {
		return nil, err
	}
	decoded := make([]float64, len(values))
	if err := cf.Decode(k.coding, decoded, values); err != nil {
		return nil, err
	}
	half := 0.5
	exact := S(half) == 0 && !k.coding.Packed()
	out := make([]arrow.Duration, len(values))
	for i, f := range decoded {
		if missing[i] {
			continue
		}
		f = math.Round(f * float64(k.unit))
		if !(math.Abs(f) < math.MaxInt64) {
			return nil, fault.Newf(fault.Limit, "variable %s, value %d: %v in units of %v is out of the range of durations", v.Name(), i, values[i], k.unit)
		}
		if out[i] = arrow.Duration(f); exact {
			out[i] = arrow.Duration(int64(values[i]) * int64(k.unit))
		}
	}
	return fixed(k.typ(), arrange(l, out), arrange(l, missing)), nil
}
