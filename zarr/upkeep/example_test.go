package upkeep_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// Consolidated metadata does not follow changes of the nodes below it and must be updated.
func ExampleUpdateParents() {
	ctx := context.Background()
	g, err := weather(ctx).Consolidate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "era5/v10", zarr.Spec{Shape: []int{3}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	groups, err := upkeep.CheckParents(ctx, a) // reads the array's metadata and that of groups above; CheckConsolidated reads all nodes
	fmt.Printf("%q %v\n", groups, err)         // "" is the store's root
	groups, err = upkeep.UpdateParents(ctx, a)
	fmt.Printf("%q %v\n", groups, err)
	fmt.Println(upkeep.CheckConsolidated(ctx, g))
	// Output:
	// [""] <nil>
	// [""] <nil>
	// [] <nil>
}

func ExampleCheckParents() {
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
	groups, err := upkeep.CheckParents(ctx, mask)
	fmt.Printf("%q %v\n", groups, err) // "" is the store's root
	// Output: [""] <nil>
}

// oldDirectory returns an array from a writer older than dimension_separator: one nested chunk, and
// a document that does not declare the separator.
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

// Chunks that seem to be missing may be stored under keys of another layout.
func ExampleCheckKeys() {
	ctx := context.Background()
	var r zarr.Report
	a, err := zarr.OpenArray(ctx, oldDirectory(ctx), "old", zarr.WithReport(&r))
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
	// chunks are nested (0/0), but the metadata declares no layout; flat (0.0) ones are used <nil>
	// "/"
}

// After the separator is recorded in the document, the option is no longer needed.
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

// CorrectKeys changes metadata that declares other keys than those of the stored chunks. It does
// not change chunks.
func ExampleCorrectKeys() {
	ctx, st := context.Background(), oldDirectory(context.Background())
	a, err := zarr.OpenArray(ctx, st, "old")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	keys, err := upkeep.CorrectKeys(ctx, a)
	fmt.Printf("%q %v\n", keys.Separator, err)
	if a, err = a.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	// Output:
	// [0 0 0 0] <nil>
	// "/" <nil>
	// [1 2 3 4] <nil>
}

// A shrink that changed only the metadata left chunks behind.
func ExampleFindOrphans() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "a", zarr.Spec{Shape: []int{6}, Chunks: []int{2}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []uint8{1, 2, 3, 4, 5, 6}); err != nil {
		log.Fatal(err)
	}
	if a, err = a.Resize(ctx, []int{2}, zarr.ResizeOptions{MetadataOnly: true}); err != nil {
		log.Fatal(err)
	}
	o, err := upkeep.FindOrphans(ctx, a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Beyond, "chunks,", o.Bytes, "bytes")
	fmt.Println(o.Delete(ctx))
	// Output:
	// 2 chunks, 4 bytes
	// <nil>
}

// The process of an append was killed a day ago. DropClaim abandons the append.
func ExampleDropClaim() {
	ctx, st := context.Background(), oldDirectory(context.Background())
	const claim = `"zargo_claim":{"id":"0123456789abcdef0123456789abcdef","what":"append","from":2,"to":4,"since":"2020-11-23T10:00:00Z"}`
	const doc = `{"zarr_format":2, "shape":[2,2], "chunks":[2,2], "dtype":"|u1", "compressor":null, "fill_value":0, "order":"C", "filters":null, ` + claim + `}`
	if _, err := st.Put(ctx, "old/.zarray", []byte(doc), store.PutOptions{}); err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "old")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(upkeep.CheckClaim(ctx, a, 24*time.Hour)) // reports why the claim cannot be dropped
	fmt.Println(upkeep.DropClaim(ctx, a, 24*time.Hour))
	// Output:
	// <nil>
	// true <nil>
}

// weather creates a hierarchy of three arrays.
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

// A process continues a removal that was interrupted after the metadata was deleted.
func ExamplePlanRest() {
	ctx, st := context.Background(), mem.New()
	for _, key := range []string{"t2m/__zargo_rm", "t2m/c/0", "t2m/c/1"} {
		if _, err := st.Put(ctx, key, nil, store.PutOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	r, err := upkeep.PlanRest(ctx, st, "t2m", upkeep.RemoveOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Objects, "objects,", r.Run(ctx))
	// Output: 2 objects, <nil>
}
