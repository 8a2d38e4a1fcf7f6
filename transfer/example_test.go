package transfer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// The example copies an array with one chunk per time step to an array whose chunks contain all
// time steps.
func Example() {
	ctx := context.Background()
	stores := map[string]store.Store{"maps": mem.New(), "series": mem.New()}
	a, err := zarr.Create(ctx, stores["maps"], "t2m", zarr.Spec{Shape: []int{100, 20, 30}, Chunks: []int{1, 20, 30}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, make([]float32, 20*30), zarr.At(7)); err != nil {
		log.Fatal(err)
	}

	plan, err := transfer.NewPlan(ctx, a, stores["series"], transfer.Options{
		Source: transfer.Place{Store: "maps"},
		Target: transfer.Place{Store: "series", Path: "t2m"},
		Grid: func(*zarr.Array) (chunks, shards []int, err error) {
			return []int{100, 10, 10}, nil, nil
		},
		Codecs: []codec.Spec{codec.Zstd(3)},
	})
	if err != nil {
		log.Fatal(err)
	}
	open := func(_ context.Context, name string) (store.Store, error) { return stores[name], nil }
	if err := transfer.Run(ctx, plan, open, transfer.RunOptions{}); err != nil {
		log.Fatal(err)
	}
	missing, err := transfer.Verify(ctx, plan, open)
	if err != nil {
		log.Fatal(err)
	}
	if err := transfer.Clean(ctx, plan, open); err != nil {
		log.Fatal(err)
	}
	b, err := zarr.OpenArray(ctx, stores["series"], "t2m")
	fmt.Println(len(missing), b, err)
	// Output:
	// 0 "t2m" float32 [100 20 30] chunks [100 10 10] v3 <nil>
}
