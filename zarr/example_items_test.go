package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleArray_ReadPacked() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "stations", zarr.Spec{Shape: []int{1_000_000}, Chunks: []int{1000}, DType: dtype.String, Fill: "unknown"})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []string{"Davos", "Chur", "Chur"}, zarr.Range(0, 3)); err != nil {
		log.Fatal(err)
	}
	p, err := a.ReadPacked(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s %v\n", p.At(1), p.At(999_999), p.Same(2))
	fmt.Println(p.Len(), "texts in", p.Bytes()>>20, "MiB")
	// Output:
	// Chur unknown true
	// 1000000 texts in 7 MiB
}

func ExampleArray_Check() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Shape: []int{365, 180, 360}, Chunks: []int{10, 180, 360}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Check(ctx, zarr.Range(0, 100))) // every chunk can be read
	// Output: <nil>
}
