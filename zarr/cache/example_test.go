package cache_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	st := mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []int32{1, 2, 3, 4}, zarr.Range(0, 2), zarr.Range(0, 2)); err != nil {
		log.Fatal(err)
	}

	c := cache.New(1<<30, cache.Revalidate(time.Minute))
	if a, err = zarr.OpenArray(ctx, st, "t2m", zarr.Cache(c)); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		got, err := zarr.Read[int32](ctx, a, zarr.Range(0, 2))
		fmt.Println(got, err)
	}
	s := c.Stats()
	fmt.Println(s.Misses, "requests,", s.Hits, "hits")
	// Output:
	// [1 2 0 0 3 4 0 0] <nil>
	// [1 2 0 0 3 4 0 0] <nil>
	// [1 2 0 0 3 4 0 0] <nil>
	// 2 requests, 4 hits
}

// Two stores that were opened on the same bucket share entries if the cache is named.
func ExampleCache_Named() {
	ctx := context.Background()
	bucket := mem.New()
	if _, err := zarr.Create(ctx, bucket, "t2m", zarr.Spec{Shape: []int{4}, DType: dtype.Int32}); err != nil {
		fmt.Println(err)
		return
	}
	c := cache.New(1<<30, cache.Immutable())
	for range 2 {
		st := store.ReadOnly(bucket) // s3.Open(ctx, "s3://weather/era5.zarr")
		a, err := zarr.OpenArray(ctx, st, "t2m", zarr.Cache(c.Named("s3://weather/era5.zarr")))
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := zarr.Read[int32](ctx, a); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(c.Stats().Hits, "hit")
	// Output: 1 hit
}
