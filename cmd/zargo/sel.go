package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// item is one part of --sel as it was written: "…", an index, or a slice.
type item struct {
	dots           bool
	index          bool // lo alone
	lo, hi, step   int
	hasLo, hasHigh bool
}

// parseSel reads a selection in NumPy's spelling: "0:10,5,::2", "...,-1". "" is everything.
func parseSel(text string) ([]item, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var items []item
	dots := false
	for part := range strings.SplitSeq(text, ",") {
		it, err := parseItem(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if it.dots && dots {
			return nil, usagef("--sel: ... is there twice")
		}
		dots = dots || it.dots
		items = append(items, it)
	}
	return items, nil
}

func parseItem(part string) (item, error) {
	if part == "..." {
		return item{dots: true}, nil
	}
	fields := strings.Split(part, ":")
	bad := func() (item, error) {
		return item{}, usagef("--sel: %q is no index, no slice such as 2:8:3, and not ...", part)
	}
	if len(fields) > 3 || part == "" {
		return bad()
	}
	var n [3]int
	var has [3]bool
	for i, f := range fields {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		v, err := strconv.Atoi(f)
		if err != nil || v == math.MinInt {
			return bad()
		}
		n[i], has[i] = v, true
	}
	it := item{index: len(fields) == 1, lo: n[0], hi: n[1], step: 1, hasLo: has[0], hasHigh: has[1]}
	if has[2] {
		if it.step = n[2]; it.step < 1 {
			return item{}, usagef("--sel: %q has the step %d; steps are 1 or more", part, it.step)
		}
	}
	return it, nil
}

// axis is what is selected along one axis: count elements from start on, every step-th.
type axis struct {
	start, step, count int
	drop               bool // an index: the axis is not in the result
}

// region is what is selected of an array.
type region []axis

// resolve fits a selection to a shape. Negative numbers count from the end, as in Python; what is out of bounds is an
// error, unlike in Python.
func resolve(items []item, shape []int) (region, error) {
	n := 0
	for _, it := range items {
		if !it.dots {
			n++
		}
	}
	if n > len(shape) {
		return nil, fault.Newf(fault.Selection, "--sel has %d axes, the array %d of shape %v", n, len(shape), shape)
	}
	r := make(region, 0, len(shape))
	rest := func(n int) {
		for range n {
			r = append(r, axis{step: 1, count: shape[len(r)]})
		}
	}
	for _, it := range items {
		if it.dots {
			rest(len(shape) - n)
			continue
		}
		a, err := it.resolve(shape[len(r)])
		if err != nil {
			return nil, fault.Newf(fault.Selection, "axis %d of shape %v: %w", len(r), shape, err)
		}
		r = append(r, a)
	}
	rest(len(shape) - len(r))
	return r, nil
}

func (it item) resolve(n int) (axis, error) {
	lo, hi := it.lo, it.hi
	if lo < 0 {
		lo += n
	}
	if it.index {
		if lo < 0 || lo >= n {
			return axis{}, usagef("index %d is out of bounds", it.lo)
		}
		return axis{start: lo, step: 1, count: 1, drop: true}, nil
	}
	if hi < 0 {
		hi += n
	}
	if !it.hasHigh {
		hi = n
	}
	if lo < 0 || hi > n || hi < 0 {
		return axis{}, usagef("%v is out of bounds", it)
	}
	if lo > hi {
		return axis{}, usagef("%v ends before it begins", it)
	}
	a := axis{start: lo, step: min(it.step, max(n, 1))} // a longer step selects one element too, and cannot overflow
	if hi > lo {
		a.count = (hi-lo-1)/a.step + 1
	}
	return a, nil
}

func (it item) String() string {
	s := ""
	if it.hasLo {
		s = strconv.Itoa(it.lo)
	}
	s += ":"
	if it.hasHigh {
		s += strconv.Itoa(it.hi)
	}
	if it.step != 1 {
		s += ":" + strconv.Itoa(it.step)
	}
	return s
}

// shape is the shape of the result.
func (r region) shape() []int {
	shape := []int{}
	for _, a := range r {
		if !a.drop {
			shape = append(shape, a.count)
		}
	}
	return shape
}

// part takes the elements lo to hi of what is selected along axis k.
func (r region) part(k, lo, hi int) region {
	s := append(region(nil), r...)
	s[k].start += lo * s[k].step
	s[k].count = hi - lo
	return s
}

// selections is the region for package zarr.
func (r region) selections() []zarr.Selection {
	sel := make([]zarr.Selection, len(r))
	for i, a := range r {
		if a.count == 0 {
			sel[i] = zarr.Range(0, 0)
		} else {
			sel[i] = zarr.Range(a.start, a.start+(a.count-1)*a.step+1).By(a.step)
		}
	}
	return sel
}

// bytes is the size of the region's elements; fault.Limit when that is more than an int64 holds.
func (r region) bytes(elem int) (int64, error) {
	n := int64(elem)
	for _, a := range r {
		if a.count == 0 {
			return 0, nil
		}
	}
	for _, a := range r {
		if n > math.MaxInt64/int64(a.count) {
			return 0, fault.Newf(fault.Limit, "a selection of shape %v is more than can be counted", r.shape())
		}
		n *= int64(a.count)
	}
	return n, nil
}
