package dataset_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// example is a dataset of daily temperatures t(time, lat), stored as integers of 0.1 degrees.
var example = dataset.Spec{Vars: []dataset.VarSpec{
	{Name: "time", Spec: zarr.Spec{Shape: []int{0}, Chunks: []int{365}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01"}}},
	{Name: "lat", Spec: zarr.Spec{Shape: []int{3}, DType: dtype.Float32, Dims: []string{"lat"}}},
	{Name: "t", Missing: -32768, Spec: zarr.Spec{Shape: []int{0, 3}, Chunks: []int{365, 3}, DType: dtype.Int16, Dims: []string{"time", "lat"}, Attrs: map[string]any{"scale_factor": 0.1}}},
}}

func Example() {
	ctx, st := context.Background(), mem.New()
	d, err := dataset.Create(ctx, st, "", example, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if d, err = d.Write(ctx, dataset.Floats("lat", []float32{60, 50, 40})); err != nil {
		log.Fatal(err)
	}
	for i := range 40 {
		day := time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC)
		d, err = d.Append(ctx, "time", dataset.AppendOptions{IfAbsent: true},
			dataset.StdTimes("time", []time.Time{day}), dataset.Floats("t", []float64{float64(i), 0, -0.5}))
		if err != nil {
			log.Fatal(err)
		}
	}

	february, err := d.Sel(dataset.Label("time", "2020-02"), dataset.Label("lat", 58).Nearest())
	if err != nil {
		log.Fatal(err)
	}
	t, err := february.Var("t")
	if err != nil {
		log.Fatal(err)
	}
	celsius, err := dataset.Read[float32](ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Dims(), celsius)
	// Output: [{time 9}] [31 32 33 34 35 36 37 38 39]
}

func ExampleParse() {
	q, err := dataset.Parse("time=nearest::2020-01-01T04:00,lat=50:40")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(q), "queries")
	// Output: 2 queries
}

func ExampleFindIndex() {
	ctx := context.Background()
	g, err := zarr.CreateGroup(ctx, mem.New(), "", zarr.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	lat, err := g.CreateArray(ctx, "lat", zarr.Spec{Shape: []int{3}, DType: dtype.Float64, Dims: []string{"lat"}})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, lat, []float64{60, 50, 40}); err != nil {
		log.Fatal(err)
	}
	for _, dim := range []string{"lat", "lon"} {
		x, err := dataset.FindIndex(ctx, g, dim, 3, dataset.Options{})
		if err != nil {
			log.Fatal(err)
		}
		if x == nil {
			fmt.Println(dim, "has no coordinate")
			continue
		}
		at, _, err := x.Positions(dataset.Label(dim, 48.1).Nearest())
		fmt.Println(dim, at, err)
	}
	// Output:
	// lat [1] <nil>
	// lon has no coordinate
}

func ExampleBlocks() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "", zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 4}, DType: dtype.Int16, Dims: []string{"lat", "lon"}, Attrs: map[string]any{"scale_factor": 0.5}})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []int16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}); err != nil {
		log.Fatal(err)
	}
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for b, err := range dataset.Blocks(ctx, v, 16, dataset.Read[float32]) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(b.At, b.Dims(), b.Values)
	}
	// Output:
	// [0 0] [{lat 2} {lon 4}] [0 0.5 1 1.5 2 2.5 3 3.5]
	// [2 0] [{lat 2} {lon 4}] [4 4.5 5 5.5 6 6.5 7 7.5]
}
