package dataset

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Each of the constructors in this file returns an index of one kind of labels.

func numeric[K int64 | uint64 | float64](dim string, keys []K, parse func(any) (K, error)) index {
	return (&values[K]{
		dim: dim, keys: keys, compare: cmp.Compare[K],
		distance: func(a, b K) float64 {
			if a < b {
				a, b = b, a
			}
			if d := a - b; d >= 0 {
				return float64(d)
			}
			return float64(a) - float64(b) // a - b overflows, or is NaN
		},
		parse: func(label any) (K, K, bool, error) {
			k, err := parse(label)
			return k, k, true, err
		},
		limit: number,
		shift: func(k K, by float64) K {
			f := float64(k) + by
			if s := K(f); float64(s) == f {
				return s
			}
			return k // K cannot represent the result
		},
	}).ordered()
}

// floats returns the index of a float coordinate. single is true for float32 coordinates. Labels
// are then converted to float32 first, so that the label 0.1 matches the float32 0.1.
func floats(dim string, keys []float64, single bool) index {
	return numeric(dim, keys, func(label any) (float64, error) {
		f, err := number(label)
		if single {
			f = float64(float32(f))
		}
		return f, err
	})
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
	return numeric(dim, keys, func(label any) (K, error) {
		f, err := number(label)
		if err != nil {
			return 0, err
		}
		if k, err := parse(strings.TrimSpace(fmt.Sprint(label))); err == nil {
			return k, nil
		}
		if f != math.Trunc(f) || f < low || f >= end {
			return 0, fault.Newf(fault.Selection, "the labels are integers of the type %T", K(0))
		}
		return K(f), nil
	})
}

func texts(dim string, keys []string) index {
	return (&values[string]{
		dim: dim, keys: keys, compare: cmp.Compare[string],
		parse: func(label any) (string, string, bool, error) {
			s, ok := label.(string)
			if !ok {
				return "", "", false, fault.Newf(fault.Selection, "the labels are text, the label is a %T", label)
			}
			return s, s, true, nil
		},
	}).ordered()
}

func times(dim string, keys []cf.Time) index {
	calendar := cf.Standard
	if len(keys) > 0 {
		calendar = keys[0].Calendar()
	}
	resolution := cf.ResolutionOf(keys)
	return (&values[cf.Time]{
		dim: dim, keys: keys, compare: cf.Time.Compare,
		distance: func(a, b cf.Time) float64 { return math.Abs(a.Sub(b)) },
		parse: func(label any) (first, last cf.Time, one bool, err error) {
			switch l := label.(type) {
			case cf.Time:
				if l.Calendar() != calendar {
					return l, l, false, fault.Newf(fault.Selection, "the calendar is %s, that of the label is %s", calendar, l.Calendar())
				}
				return l, l, true, nil
			case time.Time:
				t, err := cf.NewTime(calendar, cf.TimeOf(l).Date())
				return t, t, true, err
			case string:
				p, err := cf.ParsePeriod(l, calendar)
				if err != nil {
					return first, last, false, err
				}
				if p.Resolution >= resolution {
					return p.First, p.First, true, nil
				}
				return p.First, p.Last(), false, nil
			}
			return first, last, false, fault.Newf(fault.Selection, "the labels are times, the label is a %T", label)
		},
		limit: func(v any) (float64, error) {
			d, ok := v.(time.Duration)
			if text, isText := v.(string); isText {
				var err error
				d, err = time.ParseDuration(text)
				ok = err == nil
			}
			if !ok {
				return 0, fault.Newf(fault.Selection, "the tolerance of times must be a time.Duration, is %v", v)
			}
			return d.Seconds(), nil
		},
	}).ordered()
}

// number converts a label to a float64.
func number(label any) (float64, error) {
	switch l := label.(type) {
	case int:
		return float64(l), nil
	case int8:
		return float64(l), nil
	case int16:
		return float64(l), nil
	case int32:
		return float64(l), nil
	case int64:
		return float64(l), nil
	case uint:
		return float64(l), nil
	case uint8:
		return float64(l), nil
	case uint16:
		return float64(l), nil
	case uint32:
		return float64(l), nil
	case uint64:
		return float64(l), nil
	case float32:
		return float64(l), nil
	case float64:
		return l, nil
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(l), 64)
		if err != nil || math.IsNaN(f) {
			return 0, fault.Newf(fault.Selection, "%q is not a number", l)
		}
		return f, nil
	}
	return 0, fault.Newf(fault.Selection, "the labels are numbers, the label is a %T", label)
}
