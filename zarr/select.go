package zarr

import (
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Selection selects along one axis: [Range], [At] or [All]. Functions take one for each axis, in order; fewer than the
// rank mean all of the rest, none the whole array. The rank is kept: what is selected is always a region of the array's
// rank, in C order.
type Selection interface {
	// resolve fits the selection to an axis of n elements.
	resolve(n int) (grid.Slice, error)
	fmt.Stringer
}

// End is the end of an axis, for Range(lo, End).
const End = math.MaxInt

// All selects the whole axis.
const All = all(0)

type all uint8

func (all) resolve(n int) (grid.Slice, error) { return grid.Slice{Step: 1, Count: n}, nil }
func (all) String() string                    { return ":" }

// Slice selects every Step-th element from Lo up to, not including, Hi. It is made by [Range].
type Slice struct{ lo, hi, step int }

// Range selects the elements from lo up to, not including, hi; hi may be [End]. 0 ≤ lo ≤ hi ≤ length, else ErrSelection:
// nothing is clipped, and negative numbers do not count from the end.
func Range(lo, hi int) Slice { return Slice{lo, hi, 1} }

// By selects every step-th of the elements, from the first on; step ≥ 1.
func (s Slice) By(step int) Slice { s.step = step; return s }

func (s Slice) resolve(n int) (grid.Slice, error) {
	hi := s.hi
	if hi == End {
		hi = n
	}
	if s.lo < 0 || s.lo > hi || hi > n {
		return grid.Slice{}, fault.Newf(fault.Selection, "%v is not within an axis of %d elements", s, n)
	}
	if s.step < 1 {
		return grid.Slice{}, fault.Newf(fault.Selection, "step %d is less than 1", s.step)
	}
	count := (hi - s.lo) / s.step
	if (hi-s.lo)%s.step != 0 {
		count++
	}
	// A step beyond the axis selects one element; keep it small, so that arithmetic on it cannot overflow.
	return grid.Slice{Start: s.lo, Step: min(s.step, max(n, 1)), Count: count}, nil
}

// String gives "2:8" or "2:8:3", and no end where it is End.
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

// At selects the one element i; 0 ≤ i < length. The axis stays, with length 1.
func At(i int) Selection { return at(i) }

type at int

func (a at) resolve(n int) (grid.Slice, error) {
	if a < 0 || int(a) >= n {
		return grid.Slice{}, fault.Newf(fault.Selection, "index %d is not within an axis of %d elements", int(a), n)
	}
	return grid.Slice{Start: int(a), Step: 1, Count: 1}, nil
}
func (a at) String() string { return fmt.Sprint(int(a)) }

// Selected is the shape of what sel selects of the array. ErrSelection when it does not fit.
func (a *Array) Selected(sel ...Selection) ([]int, error) {
	r, err := a.region(sel)
	if err != nil {
		return nil, err
	}
	return r.Shape(), nil
}

func (a *Array) region(sel []Selection) (grid.Region, error) {
	shape := a.meta.Shape
	if len(sel) > len(shape) {
		return nil, a.errf(fault.Newf(fault.Selection, "%d selections for %d axes", len(sel), len(shape)))
	}
	r := grid.Whole(shape)
	for i, s := range sel {
		g, err := s.resolve(shape[i])
		if err != nil {
			return nil, a.errf(fmt.Errorf("axis %d: %w", i, err))
		}
		r[i] = g
	}
	return r, nil
}
