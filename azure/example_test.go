package azure_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

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

	tail, err := st.Get(ctx, "t2m/c/0", store.GetOptions{Range: store.Last(5), IfVersion: version}, nil)
	fmt.Printf("%s, of %d bytes, %v\n", tail.Bytes, tail.Size, err)

	_, err = st.Get(ctx, "t2m/c/1", store.GetOptions{}, nil)
	fmt.Println("absent:", errors.Is(err, fault.NotFound))

	for e, err := range store.Pages(ctx, st, "t2m", store.OneLevel) {
		fmt.Println("listed", e.Key, e.Dir, err)
	}
	// Output:
	// put true <nil>
	// bytes, of 12 bytes, <nil>
	// absent: true
	// listed t2m/c true <nil>
}
