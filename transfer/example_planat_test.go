package transfer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// An array with an unknown codec is copied as it is stored.
func ExampleNewPlanAt() {
	ctx, st := context.Background(), mem.New()
	doc := `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"acme.secret"}]}`
	for key, value := range map[string]string{"a/zarr.json": doc, "a/c/0": "\x01\x02"} {
		if _, err := st.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	here := transfer.Place{Store: "example"}
	p, err := transfer.NewPlanAt(ctx, st, "a", st, transfer.Options{Source: here, Target: transfer.Place{Store: here.Store, Path: "b"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Stages[0].Steps[0].Kind)
	open := func(context.Context, string) (store.Store, error) { return st, nil }
	if err := transfer.Run(ctx, p, open, transfer.RunOptions{}); err != nil {
		log.Fatal(err)
	}
	v, err := st.Get(ctx, "b/c/0", store.GetOptions{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", v.Bytes)
	// Output:
	// objects
	// 0102
}
