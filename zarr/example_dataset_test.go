package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// A job that runs each day starts like this, the first time and every later time, in any number of
// processes.
func ExampleOpenOrCreateGroup() {
	ctx, st := context.Background(), mem.New()
	open := func() *zarr.Group {
		g, err := zarr.OpenOrCreateGroup(ctx, st, "weather", zarr.Spec{Attrs: map[string]any{"title": "2 m"}}, map[string]zarr.Spec{
			"t2m":  {Shape: []int{0, 3}, Chunks: []int{24, 3}, DType: dtype.Float32, Dims: []string{"time", "lat"}},
			"time": {Shape: []int{0}, Chunks: []int{8760}, DType: dtype.Int64, Dims: []string{"time"}},
		})
		if err != nil {
			log.Fatal(err)
		}
		return g
	}
	g, err := open().Append(ctx, "time", zarr.AppendOptions{}, zarr.RowsOf("t2m", []float32{1, 2, 3}), zarr.RowsOf("time", []int64{0}))
	if err != nil {
		log.Fatal(err)
	}
	for n, err := range open().Members(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n.Path(), n.(*zarr.Array).Shape())
	}
	fmt.Println(g.Path())
	// Output:
	// weather/t2m [1 3]
	// weather/time [1]
	// weather
}
