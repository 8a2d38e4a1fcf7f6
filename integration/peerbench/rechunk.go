package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// inFlight is how many requests a rechunk makes at once, each with a chunk that is assembled for it.
const inFlight = 2

// rechunk copies an array of three axes into uncompressed chunks of 64 × 64 that have all of the first axis: a row of them along the last axis
// after the other. A row needs a part of each source chunk, and all of the chunks that it writes. So every byte of an uncompressed source is read
// once, every chunk is written once, and memory is one row, used again for the next, and the chunks in flight.
func (t task) rechunk(ctx context.Context, st store.Store) (out outcome, err error) {
	src, err := zarr.OpenArray(ctx, st, "", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	shape := src.Shape()
	if len(shape) != 3 || src.DType() != dtype.Float32 {
		return outcome{}, fmt.Errorf("rechunk %v of %v: %w", shape, src.DType(), errors.ErrUnsupported)
	}
	to, err := t.open(ctx, t.Out)
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	const edge = 64
	dst, err := zarr.Create(ctx, to, "", zarr.Spec{Shape: shape, Chunks: []int{shape[0], edge, edge}, DType: dtype.Float32, Codecs: []codec.Spec{}})
	if err == nil {
		src, err = src.With(zarr.InFlight(inFlight))
	}
	if err == nil {
		dst, err = dst.With(zarr.InFlight(inFlight))
	}
	if err != nil {
		return outcome{}, err
	}
	var row []float32
	for lo := 0; lo < shape[1]; lo += edge {
		hi := min(lo+edge, shape[1])
		sel := []zarr.Selection{zarr.All, zarr.Range(lo, hi)}
		if n := shape[0] * (hi - lo) * shape[2]; n > len(row) {
			row, err = zarr.Read[float32](ctx, src, sel...) // in large pages, where the system has them
		} else {
			row = row[:n]
			err = zarr.ReadInto(ctx, src, row, sel...)
		}
		if err == nil {
			err = zarr.Write(ctx, dst, row, sel...)
		}
		if err != nil {
			return outcome{}, err
		}
	}
	return outcome{bytes: 4 * shape[0] * shape[1] * shape[2]}, nil
}
