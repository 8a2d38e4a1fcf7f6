package main

import (
	"math"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// region is a selection of an array.
type region []axis

// shape returns the shape of the result.
func (r region) shape() []int {
	shape := []int{}
	for _, a := range r {
		if !a.drop {
			shape = append(shape, a.count)
		}
	}
	return shape
}

// axis is the selection along one axis of an array. It selects count elements from start with the
// distance step, in reverse order if step is negative. If list is not nil, it selects the elements
// in list instead.
type axis struct {
	start, step, count int
	drop               bool  // selected by an index, so the result lacks the axis
	list               []int // if not nil, the selected elements; start and step are unused
}

// at returns the index in the array of the i-th selected element.
func (a axis) at(i int) int {
	if a.list != nil {
		return a.list[i]
	}
	return a.start + i*a.step
}

// part returns the region limited to the selected elements [lo, hi) along axis k.
func (r region) part(k, lo, hi int) region {
	s := append(region(nil), r...)
	s[k].count = hi - lo
	if s[k].list != nil {
		s[k].list = s[k].list[lo:hi]
	} else {
		s[k].start += lo * s[k].step
	}
	return s
}

// selections converts the region to selections of package zarr.
func (r region) selections() []zarr.Selection {
	sel := make([]zarr.Selection, len(r))
	for i, a := range r {
		switch {
		case a.count == 0:
			sel[i] = zarr.Range(0, 0)
		case a.list != nil:
			sel[i] = zarr.Index(a.list...)
		default:
			first, last := a.at(0), a.at(a.count-1)
			sel[i] = zarr.Range(min(first, last), max(first, last)+1).By(a.step)
		}
	}
	return sel
}

// bytes returns the size of the selected elements. elem is the size of an element. bytes returns
// fault.Limit if the result overflows an int64.
func (r region) bytes(elem int) (int64, error) {
	n := int64(elem)
	for _, a := range r {
		if a.count == 0 {
			return 0, nil
		}
	}
	for _, a := range r {
		if n > math.MaxInt64/int64(a.count) {
			return 0, fault.Newf(fault.Limit, "a selection of shape %v has too many elements", r.shape())
		}
		n *= int64(a.count)
	}
	return n, nil
}
