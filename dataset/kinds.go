package dataset

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Each of the constructors in this file returns an index of one kind of labels.

// rounding is the precision of the labels of a float coordinate.
type rounding uint8

const (
	double rounding = iota
	// float32 coordinates: a label is converted to float32, so that 0.1 matches the float32 0.1.
	float
	// float16 coordinates: the same, but the ends of a range are not rounded, as in xarray.
	half
)

// round rounds f. A number out of the range of the type is not rounded.
func (r rounding) round(f float64) float64 {
	rounded := f
	switch r {
	case float:
		rounded = float64(float32(f))
	case half:
		rounded = float64(dtype.F16From(float32(f)).Float32())
	}
	if math.IsInf(rounded, 0) {
		return f
	}
	return rounded
}

// floats returns the index of a float coordinate.
func floats(dim string, keys []float64, r rounding) index {
	of := func(f float64) target[float64] {
		t := single(r.round(f))
		if r == half {
			t.from, t.to = f, f
		}
		t.value = f
		return t
	}
	gap := func(k float64, t target[float64]) float64 {
		if k == t.first { // the difference of infinities is NaN
			return 0
		}
		return math.Abs(k - t.first)
	}
	return (&values[float64]{
		dim: dim, keys: keys, compare: cmp.Compare[float64], missing: math.IsNaN,
		again: func(keys []float64) index { return floats(dim, keys, r) },
		parse: func(label any) (target[float64], error) {
			f, err := number(label)
			return of(f), err
		},
		print: func(k float64) string {
			if r != double {
				return fmt.Sprint(float32(k))
			}
			return fmt.Sprint(k)
		},
		distance: gap,
		nearer:   func(a, b float64, t target[float64]) bool { return gap(a, t) < gap(b, t) },
		limit:    tolerance,
		shift:    func(t target[float64], by float64) target[float64] { return of(t.value + by) },
	}).ordered()
}

func signed(dim string, keys []int64) index {
	return integers(dim, keys, -1<<63, 1<<63, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
}

func unsigned(dim string, keys []uint64) index {
	return integers(dim, keys, 0, 1<<64, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// integers returns the index of an integer coordinate with labels from low to below end. parse
// parses the decimal digits of a label, because float64 cannot represent all integers.
func integers[K int64 | uint64](dim string, keys []K, low, end float64, parse func(text string) (K, error)) index {
	whole := func(k K) target[K] {
		t := single(k)
		t.value = float64(k)
		return t
	}
	of := func(f float64) target[K] {
		switch up, down := math.Ceil(f), math.Floor(f); {
		case f < low && up < low:
			return target[K]{side: -1, value: f}
		case f >= end:
			return target[K]{side: 1, value: f}
		case up == down:
			return whole(K(f))
		case down < low: // between -1 and 0 among unsigned integers
			return target[K]{side: -1, value: f}
		default:
			return target[K]{first: K(up), last: K(down), from: K(up), to: K(down), one: true, value: f}
		}
	}
	// gap is exact if the label is an integer of the type.
	gap := func(k K, t target[K]) uint64 {
		if k < t.first {
			k, t.first = t.first, k
		}
		return uint64(k) - uint64(t.first)
	}
	exact := func(t target[K]) bool { return t.side == 0 && t.first == t.last }
	distance := func(k K, t target[K]) float64 {
		if exact(t) {
			return float64(gap(k, t))
		}
		return math.Abs(float64(k) - t.value)
	}
	return (&values[K]{
		dim: dim, keys: keys, compare: cmp.Compare[K],
		again: func(keys []K) index { return integers(dim, keys, low, end, parse) },
		parse: func(label any) (target[K], error) {
			f, err := number(label)
			if err != nil {
				return target[K]{}, err
			}
			if k, err := parse(strings.TrimSpace(fmt.Sprint(label))); err == nil {
				return whole(k), nil
			}
			if f != f {
				return target[K]{}, fault.Newf(fault.Selection, "the labels are integers of the type %T", K(0))
			}
			return of(f), nil
		},
		print:    func(k K) string { return fmt.Sprint(k) },
		distance: distance,
		nearer: func(a, b K, t target[K]) bool {
			if exact(t) {
				return gap(a, t) < gap(b, t)
			}
			return distance(a, t) < distance(b, t)
		},
		limit: tolerance,
		shift: func(t target[K], by float64) target[K] {
			if by == 0 {
				return t
			}
			return of(t.value + by)
		},
	}).ordered()
}

// tolerance converts the maximum distance of a label to a float64.
func tolerance(limit any) (float64, error) {
	f, err := number(limit)
	if err == nil && f != f {
		err = fault.Newf(fault.Selection, "the tolerance is %v", limit)
	}
	return f, err
}

func texts(dim string, keys []string) index {
	return (&values[string]{
		dim: dim, keys: keys, compare: cmp.Compare[string],
		again: func(keys []string) index { return texts(dim, keys) },
		parse: func(label any) (target[string], error) {
			s, ok := label.(string)
			if !ok {
				return target[string]{}, fault.Newf(fault.Selection, "the labels are text, the label is a %T", label)
			}
			return single(s), nil
		},
		print: func(k string) string { return k },
	}).ordered()
}

// truths returns the index of a coordinate of bools. false is before true.
func truths(dim string, keys []bool) index {
	return (&values[bool]{
		dim: dim, keys: keys,
		again: func(keys []bool) index { return truths(dim, keys) },
		compare: func(a, b bool) int {
			switch {
			case a == b:
				return 0
			case b:
				return -1
			}
			return 1
		},
		parse: func(label any) (target[bool], error) {
			switch l := label.(type) {
			case bool:
				return single(l), nil
			case string:
				switch strings.TrimSpace(l) {
				case "true", "True":
					return single(true), nil
				case "false", "False":
					return single(false), nil
				}
				return target[bool]{}, fault.Newf(fault.Selection, "the labels are true and false, not %q", l)
			}
			return target[bool]{}, fault.Newf(fault.Selection, "the labels are true and false, the label is a %T", label)
		},
		print: strconv.FormatBool,
	}).ordered()
}

// times returns the index of a coordinate of times. round returns the time that is decoded after a
// time was stored, or is nil if the coordinate stores all times exactly.
func times(dim string, keys []cf.Time, round func(cf.Time) cf.Time) index {
	single := func(t cf.Time) target[cf.Time] {
		if round != nil {
			t = round(t)
		}
		return single(t)
	}
	calendar := cf.Standard
	if len(keys) > 0 {
		calendar = keys[0].Calendar()
	}
	resolution, digits := cf.ResolutionOf(keys), 0
	for _, k := range keys {
		for n := k.Date().Nanosecond; digits < 9 && n%[]int{1e9, 1e6, 1e3, 1}[digits/3] != 0; {
			digits += 3
		}
	}
	distance := func(k cf.Time, t target[cf.Time]) float64 { return math.Abs(k.Sub(t.first)) }
	return (&values[cf.Time]{
		dim: dim, keys: keys, compare: cf.Time.Compare, missing: cf.Time.IsNaT,
		again:    func(keys []cf.Time) index { return times(dim, keys, round) },
		distance: distance,
		nearer:   func(a, b cf.Time, t target[cf.Time]) bool { return distance(a, t) < distance(b, t) },
		parse: func(label any) (none target[cf.Time], err error) {
			switch l := label.(type) {
			case cf.Time:
				if l.Calendar() != calendar {
					return none, fault.Newf(fault.Selection, "the calendar is %s, that of the label is %s", calendar, l.Calendar())
				}
				return single(l), nil
			case time.Time:
				t, err := cf.NewTime(calendar, cf.TimeOf(l).Date())
				return single(t), err
			case string:
				if strings.TrimSpace(l) == "NaT" {
					return single(cf.NaT(calendar)), nil
				}
				p, err := cf.ParsePeriod(l, calendar)
				if err != nil {
					return none, err
				}
				if p.Resolution >= resolution {
					return single(p.First), nil
				}
				return target[cf.Time]{first: p.First, last: p.Last(), from: p.First, to: p.Last()}, nil
			}
			return none, fault.Newf(fault.Selection, "the labels are times, the label is a %T", label)
		},
		print: func(k cf.Time) string { return timeText(k, digits) },
		limit: func(v any) (float64, error) {
			d, err := duration(v)
			return d.Seconds(), err
		},
	}).ordered()
}

// timeText formats a time with a number of digits of the fraction of a second.
func timeText(t cf.Time, digits int) string {
	if t.IsNaT() || digits == 0 {
		return t.String()
	}
	whole, _, _ := strings.Cut(t.String(), ".")
	return whole + "." + fmt.Sprintf("%09d", t.Date().Nanosecond)[:digits]
}

// duration converts the tolerance of times and time differences.
func duration(v any) (time.Duration, error) {
	d, ok := v.(time.Duration)
	if text, isText := v.(string); isText {
		var err error
		d, err = time.ParseDuration(text)
		ok = err == nil
	}
	if !ok {
		return 0, fault.Newf(fault.Selection, "the tolerance of times must be a time.Duration, is %v", v)
	}
	return d, nil
}

// number converts a label to a float64.
func number(label any) (float64, error) {
	switch v := reflect.ValueOf(label); {
	case label == nil || v.Type().PkgPath() != "": // a type such as time.Duration is not a number
	case v.CanInt():
		return float64(v.Int()), nil
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return float64(v.Uint()), nil
	case v.CanFloat():
		return v.Float(), nil
	case v.Kind() == reflect.String:
		f, err := strconv.ParseFloat(strings.TrimSpace(v.String()), 64)
		if err != nil && !math.IsInf(f, 0) { // a number beyond float64 is infinite
			return 0, fault.Newf(fault.Selection, "%q is not a number", label)
		}
		return f, nil
	}
	return 0, fault.Newf(fault.Selection, "the labels are numbers, the label is a %T", label)
}
