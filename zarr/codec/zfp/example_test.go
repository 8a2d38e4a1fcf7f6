package zfp_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

func ExampleAdd() {
	ctx := context.Background()
	st, err := zip.Open(ctx, dir.New("testdata"), "arrays.zip")
	if err != nil {
		panic(err)
	}
	table := zarr.Extensions(zfp.Add(codec.Builtin()), nil)
	a, err := zarr.OpenArray(ctx, st, "v3_accuracy", table)
	if err != nil {
		panic(err)
	}
	got, err := zarr.Read[float64](ctx, a)
	fmt.Printf("%.2f %v\n", got[1], err)
	// Output: 14.24 <nil>
}
