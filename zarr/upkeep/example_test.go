package upkeep_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Consolidated metadata does not follow what is changed below it, unless it is updated too.
func ExampleUpdateAbove() {
	ctx := context.Background()
	g, err := weather(ctx).Consolidate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "era5/v10", zarr.Spec{Shape: []int{3}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := upkeep.CheckAbove(ctx, a) // reads the array's metadata and that of groups above; CheckConsolidated reads all nodes
	fmt.Printf("%q %v\n", groups, err)       // "" is the store's root
	groups, err = upkeep.UpdateAbove(ctx, a)
	fmt.Printf("%q %v\n", groups, err)
	fmt.Println(upkeep.CheckConsolidated(ctx, g))
	// Output:
	// [""] <nil>
	// [""] <nil>
	// [] <nil>
}

func ExampleCheckAbove() {
	ctx := context.Background()
	g, err := weather(ctx).Consolidate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	mask, err := g.OpenArray(ctx, "mask")
	if err != nil {
		log.Fatal(err)
	}
	if mask, err = mask.SetAttrs(ctx, map[string]any{"flag_values": []int{0, 1}}); err != nil {
		log.Fatal(err)
	}
	groups, err := upkeep.CheckAbove(ctx, mask)
	fmt.Printf("%q %v\n", groups, err) // "" is the store's root
	// Output: [""] <nil>
}

// oldDirectory is an array as writers left it that are older than dimension_separator: one chunk, nested, and a document
// that does not say so.
func oldDirectory(ctx context.Context) store.Store {
	st := mem.New()
	for key, value := range map[string]string{
		"old/.zarray": `{"zarr_format":2, "shape":[2,2], "chunks":[2,2], "dtype":"|u1", "compressor":null, "fill_value":0, "order":"C", "filters":null}`,
		"old/0/0":     "\x01\x02\x03\x04",
	} {
		if _, err := st.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	return st
}

// Chunks that seem to be missing may only lie where the metadata does not say.
func ExampleCheckKeys() {
	ctx := context.Background()
	var r zarr.Report
	a, err := zarr.OpenArray(ctx, oldDirectory(ctx), "old", zarr.ReportTo(&r))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	if r.Missing.Load() == r.Chunks.Load() {
		l, err := upkeep.CheckKeys(ctx, a)
		fmt.Println(l, err)
		fmt.Printf("%q\n", l.Other())
	}
	// Output:
	// [0 0 0 0] <nil>
	// chunks are nested (0/0), which the metadata does not say; flat (0.0) ones are looked for <nil>
	// "/"
}

// Once the document says it, the option is not needed any more.
func ExampleRecordSeparator() {
	ctx := context.Background()
	st := oldDirectory(ctx)
	a, err := zarr.OpenArray(ctx, st, "old", zarr.Separator("/"))
	if err != nil {
		log.Fatal(err)
	}
	if err := upkeep.RecordSeparator(ctx, a); err != nil {
		log.Fatal(err)
	}
	if a, err = zarr.OpenArray(ctx, st, "old"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	// Output: [1 2 3 4] <nil>
}

// weather is a hierarchy of three arrays.
func weather(ctx context.Context) *zarr.Group {
	root, err := zarr.CreateGroup(ctx, mem.New(), "", zarr.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"era5/t2m", "era5/u10", "mask"} {
		if _, err := root.CreateArray(ctx, path, zarr.Spec{Shape: []int{3}, DType: dtype.Int8}); err != nil {
			log.Fatal(err)
		}
	}
	return root
}
