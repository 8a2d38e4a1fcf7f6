package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// With consolidated metadata the group's document is all that is asked for.
func ExampleGroup_OpenArray() {
	ctx := context.Background()
	g, err := zarr.Consolidate(ctx, weather(ctx))
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

// Consolidated metadata does not follow what is changed below it, unless it is updated too.
func ExampleUpdateAbove() {
	ctx := context.Background()
	g, err := zarr.Consolidate(ctx, weather(ctx))
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "era5/v10", zarr.Spec{Shape: []int{3}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := zarr.StaleAbove(ctx, a) // reads the array's metadata and that of groups above; Stale reads all nodes
	fmt.Printf("%q %v\n", groups, err)     // "" is the store's root
	groups, err = zarr.UpdateAbove(ctx, a)
	fmt.Printf("%q %v\n", groups, err)
	fmt.Println(zarr.Stale(ctx, g))
	// Output:
	// [""] <nil>
	// [""] <nil>
	// [] <nil>
}

func ExampleStaleAbove() {
	ctx := context.Background()
	g, err := zarr.Consolidate(ctx, weather(ctx))
	if err != nil {
		log.Fatal(err)
	}
	mask, err := g.OpenArray(ctx, "mask")
	if err != nil {
		log.Fatal(err)
	}
	if mask, err = zarr.SetAttrs(ctx, mask, zarr.Attrs{"flag_values": []int{0, 1}}); err != nil {
		log.Fatal(err)
	}
	groups, err := zarr.StaleAbove(ctx, mask)
	fmt.Printf("%q %v\n", groups, err) // "" is the store's root
	// Output: [""] <nil>
}
