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

// A shard is one object that contains many chunks. A read of a few chunks requests the shard's
// index, and one range for adjacent chunks.
func ExampleArray_Shards() {
	ctx := context.Background()
	st := mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{512, 512}, Chunks: []int{16, 64}, Shards: []int{256, 256}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, make([]float32, 512*512)); err != nil { // fill values: nothing is stored
		log.Fatal(err)
	}
	day := make([]float32, 16*256)
	for i := range day {
		day[i] = float32(i)
	}
	if err := zarr.Write(ctx, a, day, zarr.Range(32, 48), zarr.Range(0, 256)); err != nil {
		log.Fatal(err)
	}
	for e, err := range st.List(ctx, "t2m/c", store.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Key)
	}

	var r zarr.Report
	a, err = zarr.OpenArray(ctx, st, "t2m", zarr.WithReport(&r), zarr.Format(3))
	if err != nil {
		log.Fatal(err)
	}
	opening := r.Gets.Load()
	v, err := zarr.Read[float32](ctx, a, zarr.At(33), zarr.At(7))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Chunks(), a.Shards(), v, r.Gets.Load()-opening)
	// Output:
	// t2m/c/0/0
	// [16 64] [256 256] [263] 2
}
