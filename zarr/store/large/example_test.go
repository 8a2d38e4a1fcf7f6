package large_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/large"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleNew() {
	st := large.New(mem.New(), large.Options{SplitAbove: 1 << 20, PartAbove: 1 << 20, Piece: 1 << 18})
	ctx := context.Background()
	if _, err := st.Put(ctx, "shard", make([]byte, 3<<20), store.PutOptions{IfAbsent: true}); err != nil { // 12 parts
		fmt.Println(err)
	}
	v, err := st.Get(ctx, "shard", store.GetOptions{}, nil) // the first request and 8 ranges
	fmt.Println(len(v.Bytes), err)
	// Output: 3145728 <nil>
}

func ExampleUpload() {
	st, ctx := mem.New(), context.Background()
	value := bytes.Repeat([]byte("zarr"), 1000)
	_, err := large.Upload(ctx, st, "shard", bytes.NewReader(value), 4000, large.UploadOptions{
		Began: func(token string) { fmt.Println("can be resumed:", token != "") },
		Put:   store.PutOptions{IfAbsent: true},
	})
	fmt.Println(err)
	// Output:
	// can be resumed: true
	// <nil>
}
