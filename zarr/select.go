package zarr

import (
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Selection selects elements along one axis. [Range], [At], [All], [Index], [Mask] and [Chunks]
// return Selections, and [Dim] applies one to the axis with a given name. Functions take one
// Selection for each axis, in order. Axes without a Selection are selected completely.
//
// Selections of several axes select the cross product (orthogonal, or outer, indexing). The result
// is a region of the same rank as the array, in C order.
//
// [Points], and a [Mask] of the whole array, select along all axes. Such a Selection must be the
// only one of a call, and the result has one axis.
type Selection interface {
	// resolve applies the selection to an axis.
	resolve(ax axis) (grid.Slice, error)
	fmt.Stringer
}

// axis describes the axis that a selection is applied to.
type axis struct {
	n     int       // number of elements
	chunk grid.Axis // chunk boundaries
}

// End is the end of an axis, for Range(lo, End) and Chunks(lo, End).
const End = math.MaxInt

// All selects a whole axis.
const All = all(0)

type all uint8

func (all) resolve(ax axis) (grid.Slice, error) { return grid.Slice{Step: 1, Count: ax.n}, nil }
func (all) String() string                      { return ":" }

// Slice selects every step-th element of an axis from lo up to, but not including, hi; see [Range].
type Slice struct{ lo, hi, step int }

// Range selects the elements from lo up to, but not including, hi; hi may be [End]. 0 ≤ lo ≤ hi ≤
// length must hold (ErrSelection otherwise). Range does not clip, and negative numbers do not count
// from the end.
func Range(lo, hi int) Slice { return Slice{lo, hi, 1} }

// By selects every step-th element. A negative step counts backwards from the last element:
// Range(2, 7).By(-2) selects 6, 4, 2. step must not be 0 (ErrSelection otherwise).
func (s Slice) By(step int) Slice { s.step = step; return s }

func (s Slice) resolve(ax axis) (grid.Slice, error) {
	n, hi := ax.n, s.hi
	if hi == End {
		hi = n
	}
	if s.lo < 0 || s.lo > hi || hi > n {
		return grid.Slice{}, fault.Newf(fault.Selection, "%v is out of range for an axis of %d elements", s, n)
	}
	if s.step == 0 {
		return grid.Slice{}, fault.Newf(fault.Selection, "the step must not be 0")
	}
	// A step beyond the axis selects one element. Limiting it to the axis avoids overflow.
	most := max(n, 1)
	g := grid.Slice{Start: s.lo, Step: min(max(s.step, -most), most)}
	if g.Step < 0 {
		g.Start = max(hi-1, 0)
	}
	if hi > s.lo {
		g.Count = (hi-s.lo-1)/max(g.Step, -g.Step) + 1
	}
	return g, nil
}

// String returns "2:8" or "2:8:3", or "2:" if the end is [End].
func (s Slice) String() string {
	t := fmt.Sprintf("%d:", s.lo)
	if s.hi != End {
		t += fmt.Sprint(s.hi)
	}
	if s.step != 1 {
		t += fmt.Sprintf(":%d", s.step)
	}
	return t
}

// At selects the single element i. 0 ≤ i < length must hold (ErrSelection otherwise). The result
// keeps the axis, with length 1.
func At(i int) Selection { return at(i) }

type at int

func (a at) resolve(ax axis) (grid.Slice, error) {
	if err := ax.check(int(a)); err != nil {
		return grid.Slice{}, err
	}
	return grid.Slice{Start: int(a), Step: 1, Count: 1}, nil
}
func (a at) String() string { return fmt.Sprint(int(a)) }

func (ax axis) check(i int) error {
	if i < 0 || i >= ax.n {
		return fault.Newf(fault.Selection, "index %d is out of range for an axis of %d elements", i, ax.n)
	}
	return nil
}
