package fake

import (
	"context"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// Field creates the array "t2m" of the examples, with the values 280 to 283, and closes the store.
// Its arguments are the results of a provider's Open. It ends the program on an error.
func Field(st store.Store, err error) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	check(err)
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4}, DType: dtype.Float32})
	check(err)
	check(zarr.Write(ctx, a, []float32{280, 281, 282, 283}))
	check(st.Close())
}
