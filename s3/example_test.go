package s3_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func Example() {
	url, opts, stop := bucket() // for example "s3://weather?region=eu-central-1"
	defer stop()
	ctx := context.Background()

	st, err := s3.Open(ctx, url, opts...)
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
func bucket() (url string, opts []s3.Option, stop func()) {
	server, stop := s3.StartFake()
	url = "s3://zarr-test/demo?region=us-east-1"
	opts = []s3.Option{s3.Anonymous(), s3.Endpoint(server.URL), s3.PathStyle()}
	fake.Field(s3.Open(context.Background(), url, opts...))
	return url, opts, stop
}

func ExampleOpen() {
	server, stop := s3.StartFake() // stands in for AWS
	defer stop()
	ctx := context.Background()

	st, err := s3.Open(ctx, "s3://zarr-test/demo?region=us-east-1", s3.Anonymous(), s3.Endpoint(server.URL), s3.PathStyle())
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

// Use a server without TLS outside the private network, in a network that is trusted for another
// reason.
func ExampleAllowHTTP() {
	ctx := context.Background()
	st, err := s3.Open(ctx, "s3://weather?endpoint=http://store.example&use_path_style=true", s3.AllowHTTP())
	fmt.Println(store.Name(st), err)
	// Output: s3://weather?endpoint=http://store.example <nil>
}

// Use a key that S3 does not store, and a bucket that must belong to our account.
func ExampleSSECustomerKey() {
	ctx := context.Background()
	key := make([]byte, 32) // from a secret store
	st, err := s3.Open(ctx, "s3://weather?region=eu-central-1", s3.SSECustomerKey(key), s3.ExpectedBucketOwner("123456789012"))
	fmt.Println(store.Name(st), err)
	// Output: s3://weather <nil>
}

// Both ways to read return the same results. Only the SDK numbers its attempts.
func ExampleSDKReads() {
	server, stop := s3.StartFake()
	defer stop()
	ctx := context.Background()
	for _, opts := range [][]s3.Option{{}, {s3.SDKReads()}} {
		opts = append(opts, s3.Anonymous(), s3.Endpoint(server.URL), s3.PathStyle())
		st, err := s3.Open(ctx, "s3://zarr-test?region=us-east-1", opts...)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = st.Get(ctx, "t2m/c/0", store.GetOptions{}, nil)
		fmt.Printf("absent: %v, by the SDK: %v\n", errors.Is(err, fault.NotFound), server.Header().Get("Amz-Sdk-Request") != "")
		_ = st.Close()
	}
	// Output:
	// absent: true, by the SDK: false
	// absent: true, by the SDK: true
}

// Open an access point instead of a bucket. The ARN contains its region.
func ExampleOpen_accessPoint() {
	st, err := s3.Open(context.Background(), "s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/field/era5")
	fmt.Println(store.Name(st), err)
	// Output: s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/field/era5 <nil>
}

// Features that the store lacks are available from the SDK's client.
func Example_client() {
	server, stop := s3.StartFake()
	defer stop()
	ctx := context.Background()
	client := awss3.New(awss3.Options{
		BaseEndpoint: aws.String(server.URL), Region: "us-east-1", UsePathStyle: true, Credentials: aws.AnonymousCredentials{},
	})
	st, err := s3.Open(ctx, "s3://zarr-test", s3.Client(client))
	if err != nil {
		fmt.Println(err)
		return
	}
	var c *awss3.Client
	fmt.Println(store.Name(st), store.As(st, &c), store.TuningOf(st).Requests)
	// Output: s3://zarr-test true 128
}
