package all_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/s3"
)

// Open any URL.
func Example() {
	st, err := all.Mux().Open(context.Background(), "gs://bucket/weather.zarr?anonymous=true")
	fmt.Println(st, err)
	// Output:
	// gs://bucket/weather.zarr <nil>
}

// Open only buckets, without credentials for S3, with at most 16 requests in flight.
func ExampleWith() {
	stores := all.With(all.Options{MaxInFlight: 16, S3: []s3.Option{s3.Anonymous()}})
	for _, scheme := range []string{"file", "mem", "http", "https"} {
		delete(stores, scheme)
	}
	fmt.Println(stores.Schemes())
	_, err := stores.Open(context.Background(), "/etc")
	fmt.Println(err)
	// Output:
	// [azblob gs s3]
	// unsupported operation: the scheme must be one of azblob, gs, s3, is "file"
}
