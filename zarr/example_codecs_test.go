package zarr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Temperatures to a hundredth of a degree take two bytes each, and their differences compress
// further. Reads return float32.
func ExampleCreate_filters() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{
		Shape: []int{6},
		DType: dtype.Float32,
		Codecs: []codec.Spec{
			codec.FixedScaleOffset(273.15, 100, dtype.Float32, dtype.Int16),
			codec.Delta(dtype.Int16, dtype.Int16),
			codec.Zstd(3),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{280.151, 280.162, 280.17, 280.2, 279.95, 279.9}); err != nil {
		log.Fatal(err)
	}
	t, err := zarr.Read[float32](ctx, a)
	fmt.Printf("%.2f %v\n", t, err)
	// Output:
	// [280.15 280.16 280.17 280.20 279.95 279.90] <nil>
}

// The last bits of measured values are noise, which does not compress. BitRound sets them to zero.
func ExampleCreate_bitRound() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "wind", zarr.Spec{
		Shape: []int{3}, DType: dtype.Float32, Codecs: []codec.Spec{codec.BitRound(9), codec.Zstd(3)},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{3.14159, 2.71828, 1.41421}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a))
	// Output:
	// [3.140625 2.71875 1.4140625] <nil>
}

// Elements that are arrays of any length are slices in Go. They are a data type of v2, as
// zarr-python 2 wrote them.
func ExampleWrite_ragged() {
	ctx := context.Background()
	tracks, err := dtype.RaggedOf(dtype.Int32, dtype.Little)
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.Create(ctx, mem.New(), "tracks", zarr.Spec{Format: 2, Shape: []int{3}, DType: tracks})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, [][]int32{{1, 2, 3}, {}, {4}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[[]int32](ctx, a, zarr.At(0)))
	// Output:
	// [[1 2 3]] <nil>
}
