package dataset

import (
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// cyclic returns an error if the index has a period and cannot be cyclic.
func (v *values[K]) cyclic(period float64) error {
	switch {
	case period == 0:
		return nil
	case v.shift == nil:
		return fault.Newf(fault.Selection, "dimension %q has a period, but its labels are not numbers", v.dim)
	case v.order == 0:
		return fault.Newf(fault.Selection, "dimension %q has a period, but its labels are not sorted", v.dim)
	}
	return nil
}

func (v *values[K]) near(m method, label, limit any, period float64) (int, error) {
	if v.distance == nil && (m == nearest || limit != nil) {
		return 0, fault.Newf(fault.Selection, "dimension %q: nearest and a tolerance need numbers or times", v.dim)
	}
	if v.order == 0 || !v.distinct {
		return 0, fault.Newf(fault.Selection, "dimension %q: nearest, pad and backfill need sorted, distinct labels", v.dim)
	}
	if err := v.cyclic(period); err != nil {
		return 0, err
	}
	t, err := v.parse(label)
	if err != nil {
		return 0, v.fail(label, err)
	}
	if len(v.keys) == 0 || v.missing != nil && v.missing(t.first) {
		return 0, v.absent(label, "")
	}
	if v.compare(t.first, t.last) < 0 { // a period of time
		t.last = t.first
	}
	turns, err := v.turns(t, period)
	if err != nil {
		return 0, v.fail(label, err)
	}
	best, apart := -1, math.Inf(1)
	for _, t := range turns {
		i, ok := v.closest(m, t)
		if !ok {
			continue
		}
		d := 0.0
		if v.distance != nil {
			d = v.distance(v.keys[i], t)
		}
		if best < 0 || d < apart || d == apart && v.compare(v.keys[i], v.keys[best]) > 0 {
			best, apart = i, d
		}
	}
	if best < 0 {
		return 0, v.absent(label, "")
	}
	if limit != nil {
		most, err := v.limit(limit)
		if err != nil {
			return 0, v.fail(label, err)
		}
		if !(apart <= most) {
			return 0, fault.Newf(fault.Selection, "dimension %q: label %v is %v from the nearest label %v, and the tolerance is %v", v.dim, label, apart, v.keys[best], limit)
		}
	}
	return best, nil
}

// turns returns t. For a cyclic coordinate it returns the targets that are equivalent to t and near
// the keys of the index.
func (v *values[K]) turns(t target[K], period float64) ([]target[K], error) {
	if period == 0 || len(v.keys) == 0 {
		return []target[K]{t}, nil
	}
	start := v.keys[0]
	if v.order < 0 {
		start = v.keys[len(v.keys)-1]
	}
	// Subtracting n periods moves t into the period that begins at the smallest coordinate.
	n := math.Floor(v.signed(t, start) / period)
	if math.IsInf(n, 0) || n != n {
		return nil, fault.Newf(fault.Selection, "the label must be a finite number in a coordinate with the period %v", period)
	}
	return []target[K]{v.shift(t, -n*period), v.shift(t, -(n+1)*period), v.shift(t, -(n-1)*period)}, nil
}

// signed returns t - k as a float64.
func (v *values[K]) signed(t target[K], k K) float64 {
	if v.before(t, k) {
		return -v.distance(k, t)
	}
	return v.distance(k, t)
}

// before reports whether t is before k.
func (v *values[K]) before(t target[K], k K) bool {
	return t.side < 0 || t.side == 0 && v.compare(t.last, k) < 0
}

// closest returns the position that a method selects for a target.
func (v *values[K]) closest(m method, t target[K]) (int, bool) {
	after, outside := v.beside(t.side) // in the order of the index, at or after t
	if !outside {
		if after = v.lower(t.first); v.order < 0 {
			after = v.lower(t.last)
		}
		if after < len(v.keys) && v.compare(t.first, t.last) == 0 && v.compare(v.keys[after], t.first) == 0 {
			return after, true
		}
	}
	before := after - 1
	small, large := before, after
	if v.order < 0 {
		small, large = after, before
	}
	exists := func(i int) bool { return i >= 0 && i < len(v.keys) }
	switch {
	case m == pad:
		return before, exists(before)
	case m == backfill:
		return after, exists(after)
	case !exists(small):
		return large, exists(large)
	case !exists(large):
		return small, true
	case v.nearer(v.keys[small], v.keys[large], t):
		return small, true
	}
	return large, true
}
