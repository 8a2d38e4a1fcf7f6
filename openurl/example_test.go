package openurl_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open paths, web servers and buckets in S3, without linking other providers.
func Example() {
	ctx := context.Background()
	stores := openurl.Builtin()
	stores["s3"] = openurl.With(s3.Open)

	st, err := stores.Open(ctx, "mem://test/weather.zarr") // or a path, or s3://bucket/weather.zarr?region=eu-central-1
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{3}, DType: dtype.Float32, Fill: 1.5})
	if err != nil {
		log.Fatal(err)
	}
	values, err := zarr.Read[float32](ctx, a)
	fmt.Println(values, err)
	// Output:
	// [1.5 1.5 1.5] <nil>
}

// A service that accepts URLs from others opens only public buckets of S3.
func ExampleMux() {
	stores := openurl.Mux{"s3": openurl.With(s3.Open, s3.Anonymous(), s3.MaxInFlight(16))}
	fmt.Println(stores.Schemes())
	for _, url := range []string{"s3://bucket/path?region=eu-central-1", "/etc", "https://169.254.169.254/"} {
		_, err := stores.Open(context.Background(), url)
		fmt.Println(err)
	}
	// Output:
	// [s3]
	// <nil>
	// unsupported operation: the scheme must be one of s3, is "file"
	// unsupported operation: the scheme must be one of s3, is "https"
}

// A custom Opener receives the parts of the URL.
func ExampleOpener() {
	stores := openurl.Mux{"test": func(ctx context.Context, l openurl.Location) (store.Store, error) {
		fmt.Println(l.Host, l.Path, l.Query)
		return openurl.Mem()(ctx, l)
	}}
	_, err := stores.Open(context.Background(), "test://name/a/b?x=y")
	fmt.Println(err)
	// Output:
	// name a/b x=y
	// <nil>
}

func ExampleParse() {
	l, err := openurl.Parse("abfss://container@account.dfs.core.windows.net/era5/t2m")
	fmt.Println(l.Scheme, l.Host, l.Path, l.Query, err)
	fmt.Println(l) // String omits the parameters
	// Output:
	// azblob container era5/t2m storage_account=account <nil>
	// azblob://container/era5/t2m
}

func ExampleLocation_Native() {
	l, err := openurl.Parse("https://account.blob.core.windows.net/container/era5.zarr")
	if err != nil {
		log.Fatal(err)
	}
	native, ok := l.Native()
	fmt.Println(native.URL(), ok)
	// Output:
	// azblob://container/era5.zarr?storage_account=account true
}
