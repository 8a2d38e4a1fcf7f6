package gcs_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	gcsapi "cloud.google.com/go/storage"
	"gocloud.dev/blob/gcsblob"
	"golang.org/x/oauth2"
	"google.golang.org/api/option"

	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func Example() {
	url, opts, stop := bucket() // for example "gs://weather/era5"
	defer stop()
	ctx := context.Background()

	st, err := gcs.Open(ctx, url, opts...)
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a, zarr.Range(0, 3)))
	if err := st.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: [280 281 282] <nil>
}

// bucket starts a server with one array.
func bucket() (url string, opts []gcs.Option, stop func()) {
	server, stop := gcs.StartFake()
	url = "gs://zarr-test/demo"
	opts = []gcs.Option{gcs.Anonymous(), gcs.Endpoint(server.URL)}
	fake.Field(gcs.Open(context.Background(), url, opts...))
	return url, opts, stop
}

func ExampleOpen() {
	server, stop := gcs.StartFake() // stands in for Google
	defer stop()
	ctx := context.Background()

	st, err := gcs.Open(ctx, "gs://zarr-test/demo", gcs.Anonymous(), gcs.Endpoint(server.URL))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()

	version, err := st.Put(ctx, "t2m/c/0", []byte("twelve bytes"), store.PutOptions{IfAbsent: true})
	fmt.Println("put", version != "", err)

	tail, err := st.Get(ctx, "t2m/c/0", store.GetOptions{Range: store.Suffix(5), IfVersion: version}, nil)
	fmt.Printf("%s, of %d bytes, %v\n", tail.Bytes, tail.Size, err)

	_, err = st.Get(ctx, "t2m/c/1", store.GetOptions{}, nil)
	fmt.Println("absent:", errors.Is(err, fault.NotFound))

	for e, err := range store.Pages(ctx, st, "t2m", store.ListOptions{Depth: store.OneLevel}) {
		fmt.Println("listed", e.Key, e.Dir, err)
	}
	// Output:
	// put true <nil>
	// bytes, of 12 bytes, <nil>
	// absent: true
	// listed t2m/c true <nil>
}

// Use an existing client, with its own credentials and transport.
func ExampleClient() {
	server, stop := gcs.StartFake()
	defer stop()
	ctx := context.Background()
	client, err := gcsapi.NewClient(ctx, option.WithEndpoint(server.URL+"/storage/v1/"), option.WithoutAuthentication())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	st, err := gcs.Open(ctx, "gs://zarr-test/demo", gcs.Client(client))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close() // the client stays open

	version, err := st.Put(ctx, "k", []byte("value"), store.PutOptions{IfAbsent: true})
	fmt.Println(version != "", err)
	_, err = st.Put(ctx, "k", []byte("other"), store.PutOptions{IfAbsent: true})
	fmt.Println(errors.Is(err, fault.Exists))
	// Output:
	// true <nil>
	// true
}

// Use a bucket that gocloud.dev has opened. With blob.New, the store would lack versions.
func ExampleFromBucket() {
	server, stop := gcs.StartFake()
	defer stop()
	ctx := context.Background()
	client, err := gcsapi.NewClient(ctx, option.WithEndpoint(server.URL+"/storage/v1/"), option.WithoutAuthentication())
	if err != nil {
		fmt.Println(err)
		return
	}
	bucket, err := gcsblob.OpenBucket(ctx, nil, "zarr-test", &gcsblob.Options{Client: client})
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := gcs.FromBucket(ctx, bucket, "gs://zarr-test/demo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close() // closes the bucket

	fmt.Println(st, store.ConditionsOf(st))
	// Output: gs://zarr-test/demo {true true}
}

// A URL is untrusted data, so an endpoint that only the URL names receives no credentials.
func ExampleTrustHost() {
	ctx := context.Background()
	token := gcs.TokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"}))

	_, err := gcs.Open(ctx, "gs://bucket?endpoint=https://storage.example", token)
	var mistake *gcs.UsageError
	fmt.Println(errors.As(err, &mistake))

	st, err := gcs.Open(ctx, "gs://bucket?endpoint=https://storage.example", token, gcs.TrustHost("storage.example"))
	fmt.Println(st, err)
	// Output:
	// true
	// gs://bucket?endpoint=https://storage.example <nil>
}
