package region

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Span is the range of elements [Lo, Hi).
type Span struct{ Lo, Hi int }

// Len returns the number of elements.
func (s Span) Len() int { return s.Hi - s.Lo }

// Region is one Span for each axis of an array.
type Region []Span

// Parse parses a region such as "0:24,90,:". The text has one part for each axis: one index, or
// lo:hi, where either number may be omitted. Missing parts at the end select whole axes, so ""
// selects the whole array. Parse returns fault.Selection if the region does not fit an array of
// this shape.
func Parse(text string, shape []int) (Region, error) {
	var parts []string
	if text != "" {
		parts = strings.Split(text, ",")
	}
	if len(parts) > len(shape) {
		return nil, fault.Newf(fault.Selection, "region %q has %d parts, the array has %d axes", text, len(parts), len(shape))
	}
	r := make(Region, len(shape))
	for i, n := range shape {
		r[i] = Span{0, n}
		if i >= len(parts) {
			continue
		}
		lo, hi, isRange := strings.Cut(strings.TrimSpace(parts[i]), ":")
		var err error
		if lo != "" || !isRange {
			if r[i].Lo, err = strconv.Atoi(lo); err != nil {
				return nil, fault.Newf(fault.Selection, "region %q: %q is not an index", text, lo)
			}
		}
		switch {
		case !isRange && r[i].Lo < n: // Lo < n, so that Lo+1 does not overflow
			r[i].Hi = r[i].Lo + 1
		case isRange && hi != "":
			if r[i].Hi, err = strconv.Atoi(hi); err != nil {
				return nil, fault.Newf(fault.Selection, "region %q: %q is not an index", text, hi)
			}
		}
		if s := r[i]; s.Lo < 0 || s.Lo > s.Hi || s.Hi > n || !isRange && s.Lo == n {
			return nil, fault.Newf(fault.Selection, "region %q is out of bounds: axis %d has %d elements", text, i, n)
		}
	}
	return r, nil
}

// Selection returns the region as selections of package zarr.
func (r Region) Selection() []zarr.Selection {
	sel := make([]zarr.Selection, len(r))
	for i, s := range r {
		sel[i] = zarr.Range(s.Lo, s.Hi)
	}
	return sel
}

// Shape returns the number of elements along each axis.
func (r Region) Shape() []int {
	shape := make([]int, len(r))
	for i, s := range r {
		shape[i] = s.Len()
	}
	return shape
}

// Len returns the number of elements. It does not overflow if the region is within an array's
// shape.
func (r Region) Len() int {
	n := 1
	for _, s := range r {
		n *= s.Len()
	}
	return n
}

// Blocks divides the region along a grid of blocks of the given size, which starts at the origin of
// the array. It yields the part of the region in each block, in C order. The caller owns each part.
func (r Region) Blocks(size []int) iter.Seq[Region] {
	return func(yield func(Region) bool) {
		if r.Len() == 0 {
			return
		}
		at := make(Region, len(r))
		for i, s := range r {
			at[i] = s.first(size[i])
		}
		for {
			if !yield(slices.Clone(at)) {
				return
			}
			i := len(r) - 1
			for ; i >= 0 && at[i].Hi == r[i].Hi; i-- {
				at[i] = r[i].first(size[i])
			}
			if i < 0 {
				return
			}
			at[i] = Span{at[i].Hi, min(at[i].Hi+size[i], r[i].Hi)}
		}
	}
}

// first returns the part of s in the first block that s touches. Blocks have size elements.
func (s Span) first(size int) Span { return Span{s.Lo, min((s.Lo/size+1)*size, s.Hi)} }
