package zarr_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Plan returns the requests of a read before any is sent.
func ExampleArray_Plan() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Float32, Codecs: []codec.Spec{}})
	if err != nil {
		panic(err)
	}
	p, err := a.Plan(zarr.At(0), zarr.All)
	if err != nil {
		panic(err)
	}
	fmt.Print(p)
	least, most := p.Bounds()
	fmt.Println(least.Gets, "to", most.Gets, "gets of at most", most.BytesRead, "bytes")
	// Output:
	// get t2m/c/0/0: 16 bytes
	// get t2m/c/0/1: 16 bytes
	// 2 to 2 gets of at most 32 bytes
}

// A chunk that is written in part is read first.
func ExampleArray_PlanWrite() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32, Codecs: []codec.Spec{}})
	if err != nil {
		panic(err)
	}
	p, err := a.PlanWrite(zarr.Range(0, 3))
	if err != nil {
		panic(err)
	}
	fmt.Print(p)
	// Output:
	// put t2m/c/0: 8 bytes
	// get t2m/c/1: 8 bytes
	// put t2m/c/1: 8 bytes
}

// The reads of a shard's chunks are known once its index was read.
func ExamplePlan_Resolve() {
	ctx := context.Background()
	spec := zarr.Spec{Shape: []int{1 << 16}, Chunks: []int{1 << 10}, Shards: []int{1 << 16}, DType: dtype.Uint8, Codecs: []codec.Spec{}}
	a, err := zarr.Create(ctx, mem.New(), "", spec)
	if err == nil {
		ones := make([]uint8, 1<<12)
		for i := range ones {
			ones[i] = 1
		}
		err = zarr.Write(ctx, a, ones, zarr.Range(0, 1<<12)) // the first four chunks
	}
	if err != nil {
		panic(err)
	}
	p, err := a.Plan(zarr.Range(0, 1<<14).By(1 << 11))
	if err != nil {
		panic(err)
	}
	fmt.Print(p)
	for r, err := range p.Resolve(ctx) {
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Role, r)
	}
	// Output:
	// get c/0 last 1028: 1028 bytes
	// index get c/0 last 1028: 1028 bytes
	// inner get c/0 0+3072: 3072 bytes
}
