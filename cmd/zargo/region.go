package main

import (
	"math"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// axis is what is selected along one axis: count elements from start on, every step-th, backwards
// where step is negative; or those of list.
type axis struct {
	start, step, count int
	drop               bool  // an index: the axis is not in the result
	list               []int // when not nil, the elements in place of start and step
}

// at is the position in the array of the i-th selected element.
func (a axis) at(i int) int {
	if a.list != nil {
		return a.list[i]
	}
	return a.start + i*a.step
}

// region is what is selected of an array.
type region []axis

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
	s[k].count = hi - lo
	if s[k].list != nil {
		s[k].list = s[k].list[lo:hi]
	} else {
		s[k].start += lo * s[k].step
	}
	return s
}

// selections is the region for package zarr.
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
