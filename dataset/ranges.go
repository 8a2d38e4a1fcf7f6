package dataset

import (
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// end parses the label at an end of a range.
func (v *values[K]) end(label any, period float64) (target[K], error) {
	t, err := v.parse(label)
	switch {
	case err != nil:
		return t, v.fail(label, err)
	case v.order != 0 && v.missing != nil && v.missing(t.first):
		return t, fault.Newf(fault.Selection, "dimension %q: a range cannot begin or end at %v", v.dim, label)
	}
	return t, v.cyclic(period)
}

func (v *values[K]) between(lo, hi any, period float64) (positions, error) {
	first, err := v.end(lo, period)
	if err != nil {
		return positions{}, err
	}
	last, err := v.end(hi, period)
	switch {
	case err != nil:
		return positions{}, err
	case v.order == 0:
		return v.unsorted(lo, hi)
	case period == 0 || len(v.keys) == 0:
		if v.order < 0 { // the periods of the ends may overlap, and are in the order of the array
			first, last = last, first
		}
		if first.side > last.side || first.side == last.side && v.compare(first.from, last.to) > 0 {
			first, last = last, first
		}
		return v.from(first, last), nil
	}
	return v.around(first, last, period, lo)
}

// from returns the positions from first to last, both included. The index is sorted.
func (v *values[K]) from(first, last target[K]) positions {
	if v.order < 0 {
		first, last = last, first
	}
	lo := v.begin(first)
	return positions{lo: lo, n: max(v.finish(last)-lo, 0), step: 1}
}

// around returns the positions of a cyclic coordinate from first upwards to last, in this order. In
// a decreasing coordinate the order is the reverse. A range of a period or more contains all
// positions once.
func (v *values[K]) around(first, last target[K], period float64, label any) (positions, error) {
	n := len(v.keys)
	whole := v.signed(last, v.keys[0])-v.signed(first, v.keys[0]) >= period
	start, err := v.turns(first, period)
	if err != nil {
		return positions{}, v.fail(label, err)
	}
	stop, err := v.turns(last, period)
	if err != nil {
		return positions{}, v.fail(label, err)
	}
	first, last = start[0], stop[0]
	if !whole {
		if first.side > last.side || first.side == last.side && v.compare(first.from, last.to) > 0 {
			last = v.shift(last, period)
		}
		// A coordinate of a whole turn may have labels of both ends of the turn, such as -180 and
		// 180. The range selects both.
		var parts []positions
		for _, by := range []float64{period, 0, -period} {
			parts = append(parts, v.from(v.shift(first, by), v.shift(last, by)))
		}
		if v.order < 0 {
			slices.Reverse(parts)
		}
		return joined(parts), nil
	}
	// The range is a whole turn: the labels from first on, then those before first.
	var a, b positions
	if v.order > 0 {
		at := v.begin(first)
		a, b = positions{lo: at, n: n - at, step: 1}, positions{n: at, step: 1}
	} else {
		at := v.finish(first)
		a, b = positions{lo: at, n: n - at, step: 1}, positions{n: at, step: 1}
	}
	return joined([]positions{a, b}), nil
}

// joined returns ranges of positions one after the other.
func joined(parts []positions) positions {
	parts = slices.DeleteFunc(parts, func(p positions) bool { return p.n == 0 })
	switch len(parts) {
	case 0:
		return positions{step: 1}
	case 1:
		return parts[0]
	}
	var list []int
	for _, p := range parts {
		for i := range p.n {
			list = append(list, p.at(i))
		}
	}
	return positions{list: list}
}

func (v *values[K]) open(label any, toEnd bool, period float64) (positions, error) {
	t, err := v.end(label, period)
	if err != nil {
		return positions{}, err
	}
	from, to := 0, len(v.keys)
	if v.order == 0 {
		first, last, err := v.only(label)
		if toEnd {
			from = first
		} else {
			to = last + 1
		}
		return positions{lo: from, n: to - from, step: 1}, err
	}
	turns, err := v.turns(t, period)
	if err != nil {
		return positions{}, v.fail(label, err)
	}
	if t = turns[0]; toEnd {
		from = v.begin(t)
	} else {
		to = v.finish(t)
	}
	return positions{lo: from, n: to - from, step: 1}, nil
}

// unsorted returns the positions between those of two labels. Each label must occur once in the
// index, or at consecutive positions.
func (v *values[K]) unsorted(lo, hi any) (positions, error) {
	from, _, err := v.only(lo)
	if err != nil {
		return positions{}, err
	}
	_, to, err := v.only(hi)
	return positions{lo: from, n: max(to-from+1, 0), step: 1}, err
}

// only returns the first and the last position of a label at an end of a range. The label must
// occur at consecutive positions. Like other ends of ranges, it is not rounded to float16.
func (v *values[K]) only(label any) (first, last int, err error) {
	t, err := v.parse(label)
	if err != nil {
		return 0, 0, v.fail(label, err)
	}
	if t.one {
		t.first, t.last = t.from, t.to
	}
	p := v.within(t.first, t.last)
	if t.side != 0 || p.len() == 0 {
		return 0, 0, v.absent(label, "")
	}
	if first, last = p.at(0), p.at(p.len()-1); last-first+1 != p.len() {
		return 0, 0, fault.Newf(fault.Selection, "dimension %q is not sorted and has the label %v %d times", v.dim, label, p.len())
	}
	return first, last, nil
}
