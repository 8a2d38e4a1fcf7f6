package store_test

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func ExampleDeleteAll() {
	ctx := context.Background()
	st := mem.New()
	for _, key := range []string{"c/0", "c/1", "zarr.json"} {
		if _, err := st.Put(ctx, key, []byte("v"), store.PutOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	err := store.DeleteAll(ctx, st, []string{"c/0", "c/1", "c/2"}) // an absent key is no error
	fmt.Println(err)
	for e, err := range st.List(ctx, "", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// <nil>
	// zarr.json <nil>
}

func ExampleConditionsOf() {
	fmt.Printf("%+v\n", store.ConditionsOf(mem.New()))
	// Output: {IfAbsent:true IfVersion:true}
}
