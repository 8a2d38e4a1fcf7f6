package view_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// stored creates a dataset of packed temperatures.
func stored(ctx context.Context) *mem.Store {
	st := mem.New()
	for _, s := range []struct {
		name   string
		spec   zarr.Spec
		values []int16
	}{
		{"time", zarr.Spec{Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2026-01-01"}}, []int16{0, 1, 2, 3}},
		{"t2m", zarr.Spec{Dims: []string{"time"}, Attrs: map[string]any{"scale_factor": 0.5, "_FillValue": -1}}, []int16{540, 541, -1, 543}},
	} {
		s.spec.Shape, s.spec.Chunks, s.spec.DType = []int{4}, []int{4}, dtype.Int16
		a, err := zarr.Create(ctx, st, s.name, s.spec)
		if err != nil {
			log.Fatal(err)
		}
		if err := zarr.Write(ctx, a, s.values); err != nil {
			log.Fatal(err)
		}
	}
	return st
}

// A view with format 2, one chunk for each day, decoded values, and three of the days.
func ExampleNew() {
	ctx := context.Background()
	ds, err := dataset.Open(ctx, stored(ctx), "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	v, err := view.New(ctx, ds, view.Options{
		Format: 2, Chunks: map[string]int{"time": 1}, Decode: true,
		Sel: []dataset.Query{dataset.Between("time", "2026-01-02", nil)},
	})
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, v, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	values, err := zarr.Read[float64](ctx, a)
	fmt.Println(a, values, err)
	cost, err := v.Plan("t2m/0")
	fmt.Println(cost.Gets, "requests", err)
	// Output:
	// "t2m" float64 [3] chunks [1] v2 [270.5 NaN 271.5] <nil>
	// 2 requests <nil>
}

// The options of a view as text, such as in a file of settings.
func ExampleParse() {
	ctx := context.Background()
	ds, err := dataset.Open(ctx, stored(ctx), "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	o, err := view.Parse([]byte(`{"format": 2, "codecs": ["zlib:1"], "sel": "time=2026-01-02"}`))
	if err != nil {
		log.Fatal(err)
	}
	v, err := view.New(ctx, ds, o)
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range v.List(ctx, "t2m", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// t2m/.zarray <nil>
	// t2m/.zattrs <nil>
	// t2m/0 <nil>
}
