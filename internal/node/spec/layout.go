package spec

import (
	"errors"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Layout configures the shape of chunks or shards. Package zarr documents the fields.
type Layout struct {
	AspectRatio []float64
	Elements    int
	Bytes       int
}

// maxGrowing is the maximum length of default chunks along an axis of length 0, as in h5py. An
// append of a row rewrites such a chunk, and a chunk of one row would make an object of each row.
const maxGrowing = 1024

// chunks returns the shape of chunks. size is the size of an element in bytes, or 0 for
// variable-length elements. Along axes of length 0, which will grow, chunks have up to maxGrowing
// rows, as far as the other axes leave elements.
func (l Layout) chunks(shape []int, size int) ([]int, error) {
	elements, err := l.elements(len(shape), size)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "Layout: %w", err)
	}
	chunk := grid.Layout(shape, l.AspectRatio, elements)
	for _, c := range chunk {
		elements /= c
	}
	for i, n := range shape {
		if n == 0 {
			chunk[i] = min(max(elements, 1), maxGrowing)
			elements /= chunk[i]
		}
	}
	return chunk, nil
}

// shards returns the shape of shards, a multiple of the shape of chunks.
func (l Layout) shards(shape, chunk []int, size int) ([]int, error) {
	elements, err := l.elements(len(shape), size)
	if err != nil {
		return nil, fault.Newf(fault.Metadata, "ShardLayout: %w", err)
	}
	return grid.Multiple(shape, chunk, l.AspectRatio, elements), nil
}

// elements checks the fields of l and returns the maximum number of elements.
func (l Layout) elements(rank, size int) (int, error) {
	if l.AspectRatio != nil && len(l.AspectRatio) != rank {
		return 0, fmt.Errorf("AspectRatio has %d numbers, want %d", len(l.AspectRatio), rank)
	}
	for i, r := range l.AspectRatio {
		if !(r >= 0) || math.IsInf(r, 1) {
			return 0, fmt.Errorf("AspectRatio[%d] must be a finite number of at least 0, is %v", i, r)
		}
	}
	switch {
	case l.Elements < 0 || l.Bytes < 0:
		return 0, errors.New("neither Elements nor Bytes may be negative")
	case l.Elements > 0 && l.Bytes > 0:
		return 0, errors.New("only one of Elements and Bytes can be set")
	case l.Elements > 0:
		return l.Elements, nil
	case l.Bytes > 0 && size == 0:
		return 0, errors.New("elements must have a fixed size if Bytes is set")
	case l.Bytes > 0:
		return max(l.Bytes/size, 1), nil
	}
	return grid.DefaultElements, nil
}
