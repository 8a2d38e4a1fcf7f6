package optional_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/optional"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Elements are structures in Go. Elements that were never written have the fill value, which is
// missing here.
func Example() {
	ctx := context.Background()
	type depth struct {
		Valid bool    `zarr:"valid"`
		Value float32 `zarr:"value"`
	}
	of, err := optional.Of(dtype.Float32)
	if err != nil {
		log.Fatal(err)
	}
	stored := codec.Spec{Name: optional.Name, Config: json.RawMessage(`{
		"mask_codecs": [{"name": "packbits"}],
		"data_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]
	}`)}
	tables := zarr.Extensions(optional.Add(codec.Builtin()), optional.AddType(dtype.Standard()))
	a, err := zarr.Create(ctx, mem.New(), "depth", zarr.Spec{Shape: []int{3}, DType: of, Codecs: []codec.Spec{stored}}, tables)
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []depth{{true, 2.5}}, zarr.At(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[depth](ctx, a))
	// Output:
	// [{false 0} {true 2.5} {false 0}] <nil>
}
