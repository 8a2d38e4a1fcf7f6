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

// rechunk copies an array of three axes into uncompressed chunks of edge × edge that span the first
// axis. It processes one row of chunks along the last axis at a time. A row needs a part of each
// source chunk, and contains all data of the chunks that it writes. Every byte of an uncompressed
// source is therefore read once, and every chunk is written once. All rows use the same buffer.
func (t task) rechunk(ctx context.Context, st store.Store) (out outcome, err error) {
	src, err := zarr.OpenArray(ctx, st, "", t.options()...)
	if err != nil {
		return outcome{}, err
	}
	shape := src.Shape()
	if len(shape) != 3 || src.DType() != dtype.Float32 {
		return outcome{}, fmt.Errorf("shape %v of %v cannot be rechunked: %w", shape, src.DType(), errors.ErrUnsupported)
	}
	to, err := t.open(ctx, t.Out)
	if err != nil {
		return outcome{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	const edge = 64
	dst, err := zarr.Create(ctx, to, "", zarr.Spec{Shape: shape, Chunks: []int{shape[0], edge, edge}, DType: dtype.Float32, Codecs: []codec.Spec{}})
	if err == nil {
		src, err = src.With(zarr.Limit(zarr.Limits{InFlight: 1}))
	}
	if err == nil {
		dst, err = dst.With(zarr.Limit(zarr.Limits{InFlight: 1}))
	}
	if err != nil {
		return outcome{}, err
	}
	depth, width := shape[0], shape[2]
	row := make([]float32, depth*min(edge, shape[1])*width)
	read := make(chan []float32, workers)
	for range workers {
		read <- make([]float32, planes*edge*width)
	}
	for lo := 0; lo < shape[1]; lo += edge {
		rows := zarr.Range(lo, min(lo+edge, shape[1]))
		high := min(edge, shape[1]-lo)
		chunk := func(x int) []float32 { return row[depth*high*x:][:depth*high*min(edge, width-x)] }
		err := concurrency.EachN(ctx, workers, (depth+planes-1)/planes, func(ctx context.Context, i int) error {
			z := i * planes
			n := min(planes, depth-z)
			some := <-read
			defer func() { read <- some }()
			if err := zarr.ReadInto(ctx, src, some[:n*high*width], zarr.Range(z, z+n), rows); err != nil {
				return err
			}
			for at := range n * high {
				line := some[at*width:][:width]
				for x := 0; x < width; x += edge {
					n := min(edge, width-x)
					copy(chunk(x)[(z*high+at)*n:][:n], line[x:])
				}
			}
			return nil
		})
		if err != nil {
			return outcome{}, err
		}
		err = concurrency.EachN(ctx, workers, (width+edge-1)/edge, func(ctx context.Context, i int) error {
			x := i * edge
			return zarr.Write(ctx, dst, chunk(x), zarr.All, rows, zarr.Range(x, min(x+edge, width)))
		})
		if err != nil {
			return outcome{}, err
		}
	}
	return outcome{bytes: 4 * depth * shape[1] * width}, nil
}

// workers is the number of concurrent reads and of concurrent writes. planes is the number of
// planes along the first axis that one read covers. They fit in a processor's cache.
const workers, planes = 2, 4
