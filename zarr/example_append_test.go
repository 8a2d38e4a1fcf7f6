package zarr_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleAppend() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Shape: []int{0, 3}, Chunks: []int{2, 3}, DType: dtype.Float32})
	if err != nil {
		panic(err)
	}
	old := a
	for day := range 3 {
		v := float32(day)
		if a, err = zarr.Append(ctx, a, 0, []float32{v, v, v}, zarr.AppendOptions{}); err != nil {
			panic(err)
		}
	}
	fmt.Println(a.Shape())
	_, err = zarr.Append(ctx, old, 0, []float32{9, 9, 9}, zarr.AppendOptions{}) // old is stale: the array has grown since
	fmt.Println(errors.Is(err, zarr.ErrConflict))
	// Output:
	// [3 3]
	// true
}

func ExampleAppendOptions() {
	ctx, st := context.Background(), mem.New()
	if _, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{0, 3}, Chunks: []int{2, 3}, DType: dtype.Float32}); err != nil {
		panic(err)
	}
	for range 2 { // the job for day 0 runs twice
		a, err := zarr.OpenArray(ctx, st, "t2m")
		if err != nil {
			panic(err)
		}
		_, err = zarr.Append(ctx, a, 0, []float32{1, 2, 3}, zarr.AppendOptions{At: new(0)})
		fmt.Println(err == nil, errors.Is(err, zarr.ErrExists))
	}
	// Output:
	// true false
	// false true
}

func ExampleWriter() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "ticks", zarr.Spec{Shape: []int{0}, Chunks: []int{4}, Shards: []int{16}, DType: dtype.Int64})
	if err != nil {
		panic(err)
	}
	w, err := zarr.NewWriter[int64](ctx, a, 0, zarr.AppendOptions{})
	if err != nil {
		panic(err)
	}
	for i := range int64(20) {
		if err := w.Write(ctx, []int64{i}); err != nil {
			panic(err)
		}
	}
	fmt.Println("readable:", w.Array().Shape())
	if err := w.Flush(ctx); err != nil {
		panic(err)
	}
	fmt.Println("flushed: ", w.Array().Shape())
	if a, err = w.Close(ctx); err != nil {
		panic(err)
	}
	last, err := zarr.Read[int64](ctx, a, zarr.Range(17, zarr.End))
	if err != nil {
		panic(err)
	}
	fmt.Println(last)
	// Output:
	// readable: [16]
	// flushed:  [20]
	// [17 18 19]
}

func ExampleGroup_Append() {
	ctx := context.Background()
	g, err := zarr.CreateGroup(ctx, mem.New(), "", zarr.Spec{})
	if err != nil {
		panic(err)
	}
	for path, spec := range map[string]zarr.Spec{
		"t2m":  {Shape: []int{0, 2}, Chunks: []int{8, 2}, DType: dtype.Float32, Dims: []string{"time", "station"}},
		"time": {Shape: []int{0}, Chunks: []int{64}, DType: dtype.Int64, Dims: []string{"time"}},
	} {
		if _, err := g.CreateArray(ctx, path, spec); err != nil {
			panic(err)
		}
	}
	if g, err = g.Consolidate(ctx); err != nil {
		panic(err)
	}
	g, err = g.Append(ctx, "time", zarr.AppendOptions{},
		zarr.RowsOf("t2m", []float32{280, 281, 279, 282}),
		zarr.RowsOf("time", []int64{0, 6}))
	if err != nil {
		panic(err)
	}
	for n, err := range g.Members(ctx) {
		if err != nil {
			panic(err)
		}
		fmt.Println(n.Path(), n.(*zarr.Array).Shape())
	}
	// Output:
	// t2m [2 2]
	// time [2]
}

func ExampleArray_Resize() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "a", zarr.Spec{Shape: []int{6}, Chunks: []int{2}, DType: dtype.Int32})
	if err != nil {
		panic(err)
	}
	if err := zarr.Write(ctx, a, []int32{1, 2, 3, 4, 5, 6}); err != nil {
		panic(err)
	}
	if a, err = a.Resize(ctx, []int{3}, zarr.ResizeOptions{Clear: true}); err != nil {
		panic(err)
	}
	if a, err = a.Resize(ctx, []int{6}, zarr.ResizeOptions{}); err != nil {
		panic(err)
	}
	values, err := zarr.Read[int32](ctx, a)
	if err != nil {
		panic(err)
	}
	fmt.Println(values)
	// Output: [1 2 3 0 0 0]
}
