package tasks_test

import (
	"context"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// weather returns a dataset as xarray writes it: t2m has 8 hours, 4 latitudes and 6 longitudes, and
// its value at [t, y, x] is 100t + 10y + x.
func weather(ctx context.Context) store.Store {
	st := mem.New()
	dims := []string{"time", "lat", "lon"}
	g, err := zarr.OpenOrCreateGroup(ctx, st, "", zarr.Spec{Attrs: map[string]any{"title": "ERA5"}}, map[string]zarr.Spec{
		"t2m":  {Shape: []int{8, 4, 6}, Chunks: []int{4, 2, 3}, DType: dtype.Float32, Dims: dims, Attrs: map[string]any{"units": "K"}},
		"time": {Shape: []int{8}, DType: dtype.Int64, Dims: dims[:1], Attrs: map[string]any{"units": "hours since 2026-01-01"}},
		"lat":  {Shape: []int{4}, DType: dtype.Float64, Dims: dims[1:2], Attrs: map[string]any{"units": "degrees_north"}},
		"lon":  {Shape: []int{6}, DType: dtype.Float64, Dims: dims[2:], Attrs: map[string]any{"units": "degrees_east"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fill(ctx, g, "t2m", func(at []int) float32 { return float32(100*at[0] + 10*at[1] + at[2]) })
	fill(ctx, g, "time", func(at []int) int64 { return int64(at[0]) })
	fill(ctx, g, "lat", func(at []int) float64 { return 60 - 0.5*float64(at[0]) })
	fill(ctx, g, "lon", func(at []int) float64 { return 0.5 * float64(at[0]) })
	return st
}

// fill writes a value to each element of an array.
func fill[T any](ctx context.Context, g *zarr.Group, path string, value func(at []int) T) {
	a, err := g.OpenArray(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	values, at := make([]T, a.Len()), make([]int, len(a.Shape()))
	for i := range values {
		rest := i
		for axis := len(at) - 1; axis >= 0; axis-- {
			at[axis], rest = rest%a.Shape()[axis], rest/a.Shape()[axis]
		}
		values[i] = value(at)
	}
	if err := zarr.Write(ctx, a, values); err != nil {
		log.Fatal(err)
	}
}
