package zarr

import (
	"errors"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Layout says how the shape of chunks is chosen where [Spec.Chunks] does not give it: as
// TensorStore does, as large as the bound allows, with sides in proportion to AspectRatio, no
// longer than the array. The zero value is chunks of equal sides with up to 2^20 elements: 101 ×
// 101 × 101 for an array of 1000 × 2000 × 3000. In [Spec.ShardLayout] it says the same of shards,
// whose sides are whole numbers of chunks: they are as many as the bound allows, at least one, in
// shards of sides in proportion, and reach no further beyond the array than the last chunk does.
type Layout struct {
	AspectRatio []float64 // one for each axis, 0 is 1; nil is all 1
	Elements    int       // most elements of a chunk or shard; 0 is 2^20, or what Bytes says
	Bytes       int       // most bytes of it in memory, in place of Elements
}

// chunks chooses the shape of chunks for elements of size bytes, 0 where they vary.
func (l Layout) chunks(shape []int, size int) ([]int, error) {
	elements, err := l.elements(len(shape), size)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "Layout: %w", err)
	}
	return grid.Layout(shape, l.AspectRatio, elements), nil
}

// shards chooses the shape of shards of chunks.
func (l Layout) shards(shape, chunk []int, size int) ([]int, error) {
	elements, err := l.elements(len(shape), size)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "ShardLayout: %w", err)
	}
	return grid.Multiple(shape, chunk, l.AspectRatio, elements), nil
}

// elements is the bound, after a check of all that is asked for.
func (l Layout) elements(rank, size int) (int, error) {
	if l.AspectRatio != nil && len(l.AspectRatio) != rank {
		return 0, fmt.Errorf("%d ratios for %d axes", len(l.AspectRatio), rank)
	}
	for i, r := range l.AspectRatio {
		if !(r >= 0) || math.IsInf(r, 1) {
			return 0, fmt.Errorf("the ratio of axis %d is %v", i, r)
		}
	}
	switch {
	case l.Elements < 0 || l.Bytes < 0:
		return 0, errors.New("a bound is negative")
	case l.Elements > 0 && l.Bytes > 0:
		return 0, errors.New("both Elements and Bytes are set")
	case l.Elements > 0:
		return l.Elements, nil
	case l.Bytes > 0 && size == 0:
		return 0, errors.New("elements that vary in length have no number of bytes")
	case l.Bytes > 0:
		return max(l.Bytes/size, 1), nil
	}
	return grid.DefaultElements, nil
}
