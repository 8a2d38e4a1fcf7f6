package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/examples/region"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// means returns the specification of the array of means. The chunks have the shape of a chunk of a,
// shortened along the first axis.
func means(a *zarr.Array, every int) (zarr.Spec, error) {
	if t := a.DType(); t != dtype.Float32 && t != dtype.Float64 {
		return zarr.Spec{}, fmt.Errorf("%w: data type must be float32 or float64, is %v", errors.ErrUnsupported, t)
	}
	shape, chunks := a.Shape(), a.Chunks()
	if len(shape) == 0 {
		return zarr.Spec{}, fmt.Errorf("%w: the array has no axis", zarr.ErrSelection)
	}
	shape[0] = up(shape[0], every)
	if chunks != nil { // if nil, they differ in shape and Create chooses the chunks
		chunks[0] = up(chunks[0], every)
	}
	return zarr.Spec{Format: a.Format(), Shape: shape, Chunks: chunks, DType: a.DType(), Dims: a.Dims(), Attrs: a.Attrs()}, nil
}

// job holds the parameters shared by all tasks.
type job struct {
	from, to     *zarr.Array
	every, tasks int
}

// above returns the region of the source array that determines a region of the target array.
func (j job) above(r region.Region) region.Region {
	old := append(region.Region(nil), r...)
	old[0] = region.Span{Lo: r[0].Lo * j.every, Hi: min(r[0].Hi*j.every, j.from.Shape()[0])}
	return old
}

// each runs the job, one task for each chunk of the target array.
func each[T float32 | float64](ctx context.Context, j job) error {
	whole, err := region.Parse("", j.to.Shape())
	if err != nil {
		return err
	}
	// Tasks reuse the buffers. There is one buffer for each concurrent task.
	buffers := make(chan []T, j.tasks)
	for range j.tasks {
		buffers <- nil
	}
	return concurrency.Each(ctx, j.tasks, whole.Blocks(j.to.Chunks()), func(ctx context.Context, r region.Region) error {
		old := j.above(r)
		src := <-buffers
		defer func() { buffers <- src }()
		if cap(src) < old.Len() {
			src = make([]T, old.Len())
		}
		src = src[:old.Len()]
		if err := zarr.ReadInto(ctx, j.from, src, old.Selection()...); err != nil {
			return err
		}
		dst := make([]T, r.Len())
		mean(dst, src, old[0].Len(), j.every)
		return zarr.Write(ctx, j.to, dst, r.Selection()...)
	})
}

// mean computes each row of dst as the mean of several consecutive rows of src. The parameter every
// is their number. The last mean is that of the remaining rows. Sums are computed in float64.
func mean[T float32 | float64](dst, src []T, rows, every int) {
	width := len(src) / rows
	sums := make([]float64, width)
	for row := 0; row < rows; row += every {
		clear(sums)
		n := min(every, rows-row)
		for k := range n {
			for i, v := range src[(row+k)*width:][:width] {
				sums[i] += float64(v)
			}
		}
		to := dst[row/every*width:][:width]
		for i, s := range sums {
			to[i] = T(s / float64(n))
		}
	}
}

// up returns n/by, rounded up.
func up(n, by int) int { return (n + by - 1) / by }
