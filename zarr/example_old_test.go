package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

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
func ExampleArray_KeyLayout() {
	ctx := context.Background()
	var r zarr.Report
	a, err := zarr.OpenArray(ctx, oldDirectory(ctx), "old", zarr.ReportTo(&r))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	if r.Missing.Load() == r.Chunks.Load() {
		l, err := a.KeyLayout(ctx)
		fmt.Println(l, err)
		fmt.Printf("%q\n", l.Other())
	}
	// Output:
	// [0 0 0 0] <nil>
	// chunks are nested (0/0), which the metadata does not say; flat (0.0) ones are looked for <nil>
	// "/"
}

func ExampleSeparator() {
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, oldDirectory(ctx), "old", zarr.Separator("/"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	// Output: [1 2 3 4] <nil>
}

// Once the document says it, nobody needs the option any more.
func ExampleStateSeparator() {
	ctx := context.Background()
	st := oldDirectory(ctx)
	a, err := zarr.OpenArray(ctx, st, "old", zarr.Separator("/"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := zarr.StateSeparator(ctx, a); err != nil {
		log.Fatal(err)
	}
	if a, err = zarr.OpenArray(ctx, st, "old"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	// Output: [1 2 3 4] <nil>
}
