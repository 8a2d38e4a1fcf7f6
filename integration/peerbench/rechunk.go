package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// workers is how many tasks of a rechunk run at once.
const workers = 2

// rechunk copies an array of three axes into uncompressed chunks of 64 × 64 that have all of the first axis. A task is a row of them along the last
// axis: it reads its part of each source chunk, and writes its own chunks. So every byte of an uncompressed source is read once, no two
// tasks write one chunk, and memory is a row for each worker, used again by its next task, and the chunk that it
// writes: each makes one request at a time.
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
		src, err = src.With(zarr.InFlight(1))
	}
	if err == nil {
		dst, err = dst.With(zarr.InFlight(1))
	}
	if err != nil {
		return outcome{}, err
	}
	rows := make(chan []float32, workers) // those that no task has
	for range workers {
		rows <- nil
	}
	return outcome{bytes: 4 * shape[0] * shape[1] * shape[2]}, concurrency.EachN(ctx, workers, (shape[1]-1)/edge+1, func(ctx context.Context, i int) (err error) {
		row := <-rows
		defer func() { rows <- row }()
		lo, hi := i*edge, min((i+1)*edge, shape[1])
		sel := []zarr.Selection{zarr.All, zarr.Range(lo, hi)}
		if n := shape[0] * (hi - lo) * shape[2]; n > cap(row) {
			row, err = zarr.Read[float32](ctx, src, sel...) // in large pages, where the system has them
		} else {
			row = row[:n]
			err = zarr.ReadInto(ctx, src, row, sel...)
		}
		if err != nil {
			return err
		}
		return zarr.Write(ctx, dst, row, sel...)
	})
}
