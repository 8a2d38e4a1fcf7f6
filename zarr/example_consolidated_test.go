package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// With consolidated metadata only the group's document is requested.
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

// Names lists directories and opens no nodes. A listing of 1,000 entries is one request.
func ExampleGroup_Names() {
	ctx := context.Background()
	st := store.Observe(weather(ctx).Store(), func(_ context.Context, e store.Event) { fmt.Println(e.Op, e.Key) })
	g, err := zarr.OpenGroup(ctx, st, "era5", zarr.Format(3))
	if err != nil {
		log.Fatal(err)
	}
	for name, err := range g.Names(ctx) {
		fmt.Println(name, err)
	}
	// Output:
	// get era5/zarr.json
	// list era5
	// t2m <nil>
	// u10 <nil>
}

// Documents from a catalogue or another process open a node without a request.
func ExampleDocuments() {
	ctx := context.Background()
	st := weather(ctx).Store()
	a, err := zarr.OpenArray(ctx, st, "era5/t2m")
	if err != nil {
		log.Fatal(err)
	}
	docs, err := a.Documents() // "era5/t2m/zarr.json"
	if err != nil {
		log.Fatal(err)
	}

	st = store.Observe(st, func(_ context.Context, e store.Event) { fmt.Println(e.Op, e.Key) })
	a, err = zarr.OpenArray(ctx, st, "era5/t2m", zarr.Documents(docs))
	fmt.Println(a.Path(), a.Shape(), err)
	// Output:
	// era5/t2m [3] <nil>
}

// An array is opened as it is stored, though the group's consolidated metadata is out of date.
func ExampleArray_Stored() {
	ctx, st := context.Background(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "t2m", zarr.Spec{Shape: []int{2}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if g, err = g.Consolidate(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := zarr.Append(ctx, a, 0, []float32{1, 2, 3}, zarr.AppendOptions{}); err != nil {
		log.Fatal(err)
	}

	copied, err := g.OpenArray(ctx, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	stored, err := copied.Stored(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(copied.Shape(), stored.(*zarr.Array).Shape())
	// Output: [2] [5]
}
