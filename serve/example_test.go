package serve_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	zarrhttp "github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// A server of an array in memory, and a client that reads a part of it.
func Example() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "t", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2, 3, 4})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := serve.New(serve.Options{}, serve.Dataset{ID: "demo", Store: st})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	web := httptest.NewServer(s) // or s.Serve(ctx, listener, grace)
	defer web.Close()

	remote, err := zarrhttp.Open(ctx, web.URL+"/datasets/demo/zarr")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := zarr.OpenArray(ctx, remote, "t")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(zarr.Read[int32](ctx, b, zarr.Range(1, 3)))
	// Output: [2 3] <nil>
}
