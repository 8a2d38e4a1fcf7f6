package zarr

import (
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Selection selects along one axis: [Range], [At], [All], [Index], [Mask] or [Chunks]; [Dim] says
// which axis by its name. Functions take one for each axis, in order; fewer than the rank mean all
// of the rest, none the whole array. Several that pick elements one by one select their cross
// product (orthogonal, or outer, indexing). The rank is kept: what is selected is always a region
// of the array's rank, in C order. But [Points], and a [Mask] of the whole array, select of all axes
// at once, as the only selection of their call, and what is selected has one axis.
type Selection interface {
	// resolve fits the selection to an axis.
	resolve(ax axis) (grid.Slice, error)
	fmt.Stringer
}

// axis is what a selection may depend on.
type axis struct {
	n     int       // elements
	chunk grid.Axis // how it is cut into chunks
}

// End is the end of an axis, for Range(lo, End).
const End = math.MaxInt

// All selects the whole axis.
const All = all(0)

type all uint8

func (all) resolve(ax axis) (grid.Slice, error) { return grid.Slice{Step: 1, Count: ax.n}, nil }
func (all) String() string                      { return ":" }

// Slice selects every step-th of the elements of an axis from lo up to, not including, hi. [Range]
// makes one.
type Slice struct{ lo, hi, step int }

// Range selects the elements from lo up to, not including, hi; hi may be [End]. 0 ≤ lo ≤ hi ≤
// length, else ErrSelection: nothing is clipped, and negative numbers do not count from the end.
func Range(lo, hi int) Slice { return Slice{lo, hi, 1} }

// By selects every step-th of the elements: from the first on, or, where step is negative, from the
// last on backwards, so that Range(2, 7).By(-2) selects 6, 4, 2. A step of 0 is ErrSelection.
func (s Slice) By(step int) Slice { s.step = step; return s }

func (s Slice) resolve(ax axis) (grid.Slice, error) {
	n, hi := ax.n, s.hi
	if hi == End {
		hi = n
	}
	if s.lo < 0 || s.lo > hi || hi > n {
		return grid.Slice{}, fault.Newf(fault.Selection, "%v is not within an axis of %d elements", s, n)
	}
	if s.step == 0 {
		return grid.Slice{}, fault.Newf(fault.Selection, "the step is 0")
	}
	// A step beyond the axis selects one element; keep it small, so that arithmetic on it cannot
	// overflow.
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

func (a at) resolve(ax axis) (grid.Slice, error) {
	if err := ax.holds(int(a)); err != nil {
		return grid.Slice{}, err
	}
	return grid.Slice{Start: int(a), Step: 1, Count: 1}, nil
}
func (a at) String() string { return fmt.Sprint(int(a)) }

func (ax axis) holds(i int) error {
	if i < 0 || i >= ax.n {
		return fault.Newf(fault.Selection, "index %d is not within an axis of %d elements", i, ax.n)
	}
	return nil
}
