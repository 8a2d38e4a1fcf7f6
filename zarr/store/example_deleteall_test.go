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
	err := store.DeleteAll(ctx, st, []string{"c/0", "c/1", "c/2"}) // c/2 is absent
	fmt.Println(err)
	for e, err := range st.List(ctx, "", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// <nil>
	// zarr.json <nil>
}

func ExampleDeleteRequests() {
	fmt.Println(store.DeleteRequests(mem.New(), 2500), "requests of at most", store.TuningOf(mem.New()).DeleteBatch, "keys")
	// Output: 3 requests of at most 1000 keys
}

func ExampleDeleteBelow() {
	ctx := context.Background()
	st := mem.New()
	for _, key := range []string{"t2m/c/0", "t2m/zarr.json", "t2mx/zarr.json"} {
		if _, err := st.Put(ctx, key, []byte("v"), store.PutOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(store.DeleteBelow(ctx, st, "t2m"))
	for e, err := range store.ListAll(ctx, st, "", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// <nil>
	// t2mx/zarr.json <nil>
}

func ExampleDeleteSeq() {
	ctx := context.Background()
	st := mem.New()
	for _, key := range []string{"c/0", "c/1", "c/2"} {
		if _, err := st.Put(ctx, key, []byte("v"), store.PutOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	err := store.DeleteSeq(ctx, st, func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, st, "", store.ListOptions{}) {
			if keep := err == nil && e.Key == "c/1"; !keep && !yield(e.Key, err) {
				return
			}
		}
	})
	fmt.Println(err)
	for e, err := range st.List(ctx, "", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// <nil>
	// c/1 <nil>
}

func ExampleConditionsOf() {
	fmt.Printf("%+v\n", store.ConditionsOf(mem.New()))
	// Output: {IfAbsent:true IfVersion:true}
}
