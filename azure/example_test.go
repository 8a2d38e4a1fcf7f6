package azure_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob/azureblob"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/internal/test/fake"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func Example() {
	url, opts, stop := bucket() // for example "azblob://weather?storage_account=myaccount"
	defer stop()
	ctx := context.Background()

	st, err := azure.Open(ctx, url, opts...)
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
func bucket() (url string, opts []azure.Option, stop func()) {
	server, stop := azure.StartFake()
	url = "azblob://zarr-test/demo?storage_account=acct"
	opts = []azure.Option{azure.SharedKey("c2VjcmV0"), azure.Emulator(), azure.Protocol("http"), azure.Domain(server.Host())}
	fake.Field(azure.Open(context.Background(), url, opts...))
	return url, opts, stop
}

func ExampleOpen() {
	server, stop := azure.StartFake() // stands in for Azure
	defer stop()
	ctx := context.Background()

	st, err := azure.Open(ctx, "azblob://zarr-test/demo?storage_account=acct",
		azure.SharedKey("c2VjcmV0"), azure.Emulator(), azure.Protocol("http"), azure.Domain(server.Host()))
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
	server, stop := azure.StartFake()
	defer stop()
	ctx := context.Background()
	client, err := container.NewClientWithNoCredential(server.URL+"/acct/zarr-test", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := azure.Open(ctx, "azblob://zarr-test/demo", azure.Client(client))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()

	version, err := st.Put(ctx, "k", []byte("value"), store.PutOptions{IfAbsent: true})
	fmt.Println(version != "", err)
	_, err = st.Put(ctx, "k", []byte("other"), store.PutOptions{IfAbsent: true})
	fmt.Println(errors.Is(err, fault.Exists))
	// Output:
	// true <nil>
	// true
}

// Use a container that gocloud.dev has opened. With blob.New, the store would lack versions.
func ExampleFromBucket() {
	server, stop := azure.StartFake()
	defer stop()
	ctx := context.Background()
	client, err := container.NewClientWithNoCredential(server.URL+"/acct/zarr-test", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	bucket, err := azureblob.OpenBucket(ctx, client, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	st, err := azure.FromBucket(ctx, bucket, "azblob://zarr-test/demo")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close() // closes the bucket

	fmt.Println(store.ConditionsOf(st))
	// Output: {true true}
}

// IsURL accepts the URL forms of other programs and of the portal.
func ExampleIsURL() {
	for _, url := range []string{
		"abfss://weather@myaccount.dfs.core.windows.net/era5",
		"https://myaccount.blob.core.windows.net/weather/era5",
		"https://example.org/era5",
	} {
		fmt.Println(azure.IsURL(url))
	}
	st, err := azure.Open(context.Background(), "abfss://weather@myaccount.dfs.core.windows.net/era5", azure.Anonymous())
	fmt.Println(st, err)
	// Output:
	// true
	// true
	// false
	// azblob://weather/era5?storage_account=myaccount <nil>
}
