package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// The axes of a field that is itself an array follow those of the array.
func ExampleArray_Field() {
	ctx := context.Background()
	t, err := dtype.NewStruct(dtype.Field{Name: "id", Type: dtype.Int16}, dtype.Field{Name: "at", Type: dtype.Float32, Shape: []int{2}})
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.Create(ctx, mem.New(), "stations", zarr.Spec{Format: 2, Shape: []int{3}, DType: t})
	if err != nil {
		log.Fatal(err)
	}
	at, err := a.Field("at")
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, at, []float32{1.5, 2.5}, zarr.At(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(at.Shape())
	fmt.Println(zarr.Read[float32](ctx, at, zarr.All, zarr.At(1)))
	// Output:
	// [3 2]
	// [0 2.5 0] <nil>
}
