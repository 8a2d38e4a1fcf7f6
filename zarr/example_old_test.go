package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

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

func ExampleSeparator() {
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, oldDirectory(ctx), "old", zarr.Separator("/"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[uint8](ctx, a))
	// Output: [1 2 3 4] <nil>
}
