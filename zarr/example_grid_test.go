package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Each chunk is one month of a year of days. The second axis has chunks of one length.
func ExampleArray_Edges() {
	ctx := context.Background()
	months := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{Shape: []int{365, 180}, ChunkEdges: [][]int{months, {90}}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	for first, days := range a.Edges(0) {
		if days < 30 {
			fmt.Println(first, days)
		}
	}
	shape, err := a.Selected(zarr.Chunks(1, 2)) // February
	if err != nil {
		log.Fatal(err)
	}
	month, first, days := a.ChunkAt(0, 100)
	fmt.Println(shape, a.Regular(), a.Chunks() == nil)
	fmt.Println(a.ChunkKey(month, 0), first, days)
	// Output:
	// 31 28
	// [28 180] false true
	// t2m/c/3/0 90 30
}
