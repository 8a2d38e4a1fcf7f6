package http_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/http"
)

func ExamplePublicOnly() {
	ctx := context.Background()
	// The URL is from a user of a service and leads to a port that only the service's machine can
	// reach.
	st, err := http.Open(ctx, "http://127.0.0.1:9000/bucket/private.zarr", http.PublicOnly())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = st.Close() }()
	_, err = st.Get(ctx, "zarr.json", store.GetOptions{}, nil)
	fmt.Println(errors.Is(err, fault.Refused))
	// Output: true
}

func ExampleStallTimeout() {
	st, err := http.Open(context.Background(), "https://slow.example/data.zarr", http.StallTimeout(2*time.Minute))
	fmt.Println(st, err)
	// Output: https://slow.example/data.zarr/ <nil>
}
