package zarr

import (
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Layout says how the shape of chunks is chosen where [Spec.Chunks] does not give it: as TensorStore does, as large as the
// bound allows, with sides in proportion to AspectRatio, no longer than the array. The zero value is chunks of equal sides
// with up to 2^20 elements: 101 × 101 × 101 for an array of 1000 × 2000 × 3000.
type Layout struct {
	AspectRatio []float64 // one for each axis, 0 is 1; nil is all 1
	Elements    int       // most elements of a chunk; 0 is 2^20, or what Bytes says
	Bytes       int       // most bytes of a chunk in memory, in place of Elements
}

// chunks chooses the shape of chunks for elements of size bytes, 0 where they vary.
func (l Layout) chunks(shape []int, size int) ([]int, error) {
	bad := func(format string, args ...any) error { return fault.Newf(fault.Metadata, "Layout: "+format, args...) }
	if l.AspectRatio != nil && len(l.AspectRatio) != len(shape) {
		return nil, bad("%d ratios for %d axes", len(l.AspectRatio), len(shape))
	}
	for i, r := range l.AspectRatio {
		if !(r >= 0) || math.IsInf(r, 1) {
			return nil, bad("the ratio of axis %d is %v", i, r)
		}
	}
	elements := grid.DefaultElements
	switch {
	case l.Elements < 0 || l.Bytes < 0:
		return nil, bad("a bound is negative")
	case l.Elements > 0 && l.Bytes > 0:
		return nil, bad("both Elements and Bytes are set")
	case l.Elements > 0:
		elements = l.Elements
	case l.Bytes > 0 && size == 0:
		return nil, bad("elements that vary in length have no number of bytes")
	case l.Bytes > 0:
		elements = max(l.Bytes/size, 1)
	}
	return grid.Layout(shape, l.AspectRatio, elements), nil
}
