package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Points selects single elements by their coordinates. coords has one list for each axis, all of
// one length n: Points([]int{3, 0}, []int{5, 1}) selects the elements (3, 5) and (0, 1). The result
// has the shape [n], in the given order. If an element is repeated, a read returns it each time,
// and a write stores its last value.
//
// Points must be the only selection of its call. Each chunk that contains points is requested once.
// The lists must have the same length, their number must be the rank of the array and at least 1,
// and each coordinate must be within its axis (ErrSelection otherwise).
func Points(coords ...[]int) Selection {
	p := make(points, len(coords))
	for i, c := range coords {
		p[i] = slices.Clone(c)
	}
	return p
}

type points [][]int

// points resolves the selection for an array and sorts the points by chunk.
func (p points) points(shape []int, chunk []grid.Axis) (*grid.Points, error) {
	if len(p) != len(shape) || len(p) == 0 {
		return nil, fault.Newf(fault.Selection, "the array has rank %d, but the points have %d coordinates", len(shape), len(p))
	}
	n := len(p[0])
	for k, list := range p {
		if len(list) != n {
			return nil, fault.Newf(fault.Selection, "axis 0 has %d coordinates, but axis %d has %d", n, k, len(list))
		}
		ax := axis{shape[k], chunk[k]}
		for i, c := range list {
			if err := ax.check(c); err != nil {
				return nil, fmt.Errorf("point %d: axis %d: %w", i, k, err)
			}
		}
	}
	return grid.NewPoints(p, n, chunk), nil
}

func (points) resolve(axis) (grid.Slice, error) {
	return grid.Slice{}, fault.Newf(fault.Selection, "Points selects along all axes and cannot be the selection of one axis")
}

func (p points) String() string {
	s := "Points"
	for _, list := range p {
		s += briefly("", list)
	}
	return s
}

// whole reports whether m, as the only selection of a call, masks the whole array. It does if
// len(m) is the number of elements but not the length of axis 0. If both are equal, a mask of axis
// 0 selects the same elements.
func (m mask) whole(shape []int) bool {
	n, ok := elements(shape)
	return ok && n == len(m) && (len(shape) == 0 || n != shape[0])
}

// points returns the elements selected by a mask of the whole array.
func (m mask) points(shape []int, chunk []grid.Axis) *grid.Points {
	n, at := 0, make([][]int, len(shape))
	for i, keep := range m {
		if !keep {
			continue
		}
		n++
		for k := len(shape) - 1; k >= 0; k-- {
			at[k] = append(at[k], i%shape[k])
			i /= shape[k]
		}
	}
	return grid.NewPoints(at, n, chunk)
}

// elements returns the number of elements of a shape; ok is false if it overflows an int.
func elements(shape []int) (n int, ok bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n = 1
	for _, s := range shape {
		if n > End/s {
			return 0, false
		}
		n *= s
	}
	return n, true
}
