package zarr_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Lists of indexes, masks and ranges on different axes select their cross product.
func ExampleIndex() {
	ctx := context.Background()
	a := numbers(ctx, mem.New()) // 4 × 6: 0, 1, … 23
	got, err := zarr.Read[int64](ctx, a, zarr.Index(3, 0), zarr.Range(0, 6).By(-2))
	fmt.Println(got, err)
	// Output: [23 21 19 5 3 1] <nil>
}

func ExampleDim() {
	ctx := context.Background()
	a, err := numbers(ctx, mem.New()).WithDimNames("y", "x")
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := zarr.Read[int64](ctx, a, zarr.Dim("x", zarr.At(2)))
	fmt.Println(a.Dims(), got, err)
	// Output: [y x] [2 8 14 20] <nil>
}

func ExampleChunks() {
	ctx := context.Background()
	a := numbers(ctx, mem.New())
	shape, err := a.Selected(zarr.Chunks(1, zarr.End), zarr.Chunks(0, 1))
	fmt.Println(a.Shape(), a.Chunks(), shape, err)
	// Output: [4 6] [2 3] [2 3] <nil>
}

func ExamplePoints() {
	ctx := context.Background()
	a := numbers(ctx, mem.New()) // 4 × 6: 0, 1, … 23
	got, err := zarr.Read[int64](ctx, a, zarr.Points([]int{3, 0, 1}, []int{5, 1, 0}))
	fmt.Println(got, err)
	// Output: [23 1 6] <nil>
}
