package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// With consolidated metadata the group's document is all that is asked for.
func ExampleGroup_OpenArray() {
	ctx := context.Background()
	g, err := weather(ctx).Consolidate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	st := store.Observe(g.Store(), func(_ context.Context, e store.Event) { fmt.Println(e.Op, e.Key) })
	if g, err = zarr.OpenGroup(ctx, st, "", zarr.Format(3)); err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"era5/t2m", "era5/u10", "mask"} {
		a, err := g.OpenArray(ctx, path)
		fmt.Println(a.Path(), err)
	}
	// Output:
	// get zarr.json
	// era5/t2m <nil>
	// era5/u10 <nil>
	// mask <nil>
}
