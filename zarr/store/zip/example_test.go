package zip_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

func ExampleOpen() {
	ctx, bucket := context.Background(), mem.New()
	_, err := zip.Save(ctx, bucket, "run.zip", store.PutOptions{IfAbsent: true}, func(w *zip.Writer) error {
		return w.Add("data.zarr/zarr.json", []byte("{}"))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := zip.Open(ctx, bucket, "run.zip", zip.Inner("data.zarr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := st.Get(ctx, "zarr.json", store.GetOptions{}, nil)
	fmt.Println(st, string(v.Bytes), err)
	// Output: mem://run.zip|zip:data.zarr {} <nil>
}
