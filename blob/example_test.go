package blob_test

import (
	"context"
	"errors"
	"fmt"

	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func ExampleNew() {
	ctx := context.Background()
	st := blob.New(memblob.OpenBucket(nil), blob.Name("mem://demo"), blob.TrustNotFound())
	defer st.Close()

	_, err := st.Put(ctx, "t2m/c/0", []byte("twelve bytes"), store.PutOptions{IfAbsent: true})
	fmt.Println(err)
	v, err := st.Get(ctx, "t2m/c/0", store.GetOptions{Range: store.Suffix(5)}, nil)
	fmt.Printf("%s, of %d bytes, %v\n", v.Bytes, v.Size, err)
	_, err = st.Get(ctx, "t2m/c/1", store.GetOptions{}, nil)
	fmt.Println(errors.Is(err, fault.NotFound))
	_, err = st.Put(ctx, "t2m/c/0", nil, store.PutOptions{IfVersion: "1"})
	fmt.Println(errors.Is(err, errors.ErrUnsupported))
	// Output:
	// <nil>
	// bytes, of 12 bytes, <nil>
	// true
	// true
}
