package zarr

import (
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Index selects the given elements in the given order. Each must be at least 0 and less than the
// length of the axis (ErrSelection otherwise). If an element is repeated, a read returns it each
// time, and a write stores its last value. Without arguments Index selects nothing.
func Index(elements ...int) Selection { return index(slices.Clone(elements)) }

type index []int

func (x index) resolve(ax axis) (grid.Slice, error) {
	even := true // whether the elements are consecutive and thus a range
	for k, i := range x {
		if err := ax.check(i); err != nil {
			return grid.Slice{}, err
		}
		even = even && i == x[0]+k
	}
	if len(x) == 0 {
		return grid.Slice{Step: 1}, nil
	}
	if even {
		return grid.Slice{Start: x[0], Step: 1, Count: len(x)}, nil
	}
	return grid.Slice{Count: len(x), Index: x}, nil
}

func (x index) String() string { return briefly("Index", []int(x)) }

// Mask selects the elements whose index in keep is true. The length of keep must be that of the
// axis (ErrSelection otherwise).
//
// As the only selection of a call, Mask may select from the whole array: if len(keep) is the number
// of elements of the array and not the length of axis 0, keep refers to the elements in C order.
// The result then has one axis, in C order.
func Mask(keep []bool) Selection { return mask(slices.Clone(keep)) }

type mask []bool

func (m mask) resolve(ax axis) (grid.Slice, error) {
	if len(m) != ax.n {
		return grid.Slice{}, fault.Newf(fault.Selection, "the axis has %d elements, but the mask has %d", ax.n, len(m))
	}
	var x index
	for i, keep := range m {
		if keep {
			x = append(x, i)
		}
	}
	return x.resolve(ax)
}

func (m mask) String() string { return briefly("Mask", []bool(m)) }

// Chunks selects the elements of the chunks from lo up to, but not including, hi along an axis; hi
// may be [End]. In a sharded array these are the inner chunks. 0 ≤ lo ≤ hi ≤ count must hold
// (ErrSelection otherwise), where count is the number of chunks that contain elements of the array.
// The last chunk ends at the end of the axis.
func Chunks(lo, hi int) Selection { return chunks{lo, hi} }

type chunks struct{ lo, hi int }

func (c chunks) resolve(ax axis) (grid.Slice, error) {
	count := ax.chunk.Count(ax.n)
	hi := c.hi
	if hi == End {
		hi = count
	}
	if c.lo < 0 || c.lo > hi || hi > count {
		return grid.Slice{}, fault.Newf(fault.Selection, "%v is out of range for an axis of %d chunks", c, count)
	}
	start := func(i int) int {
		if i == count {
			return ax.n
		}
		at, _ := ax.chunk.Chunk(i)
		return at
	}
	return grid.Slice{Start: start(c.lo), Step: 1, Count: start(hi) - start(c.lo)}, nil
}

func (c chunks) String() string { return "Chunks(" + Range(c.lo, c.hi).String() + ")" }

// briefly formats a list as the arguments of a call of name, and shortens a long list.
func briefly[T any](name string, list []T) string {
	const most = 8
	if len(list) > most {
		return fmt.Sprintf("%s(%v and %d more)", name, list[:most], len(list)-most)
	}
	return fmt.Sprintf("%s(%v)", name, list)
}
