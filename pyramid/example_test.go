package pyramid_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleBuild() {
	ctx, st := context.Background(), mem.New()
	g, err := zarr.CreateGroup(ctx, st, "dem", zarr.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.CreateArray(ctx, "height", zarr.Spec{
		Shape: []int{3, 4}, Chunks: []int{2, 2}, DType: dtype.Int16, Dims: []string{"y", "x"}, Attrs: map[string]any{"_FillValue": -1},
	})
	if err == nil {
		err = zarr.Write(ctx, a, []int16{
			1, 2, -1, -1,
			3, 4, -1, 8,
			5, 6, -1, -1,
		})
	}
	if err != nil {
		log.Fatal(err)
	}
	levels, err := pyramid.Build(ctx, st, "dem/height", pyramid.Options{})
	if err != nil {
		log.Fatal(err)
	}
	level, err := zarr.OpenArray(ctx, st, levels[1].Path)
	if err != nil {
		log.Fatal(err)
	}
	means, err := zarr.Read[int16](ctx, level)
	fmt.Println(levels, means, err)
	// Output: [{dem/height [3 4]} {dem/1/height [2 2]}] [2 8 6 -1] <nil>
}

func ExampleParseMethod() {
	m, err := pyramid.ParseMethod("mode")
	fmt.Println(m, err)
	// Output: mode <nil>
}
