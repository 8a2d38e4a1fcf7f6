package storetest_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func ExampleCheck() {
	err := storetest.Check(context.Background(), func() (store.Store, error) { return mem.New(), nil })
	fmt.Println(err)
	// Output: <nil>
}

type requests struct{ n atomic.Int64 }

// counted counts the requests that a network store would send.
type counted struct {
	*mem.Store
	n *requests
}

func (c *counted) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if store.CheckKey(key) == nil && o.Range.Check() == nil && ctx.Err() == nil {
		c.n.n.Add(1)
	}
	return c.Store.Get(ctx, key, o, buf)
}

func (c *counted) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if store.CheckKey(key) == nil && ctx.Err() == nil {
		c.n.n.Add(1)
	}
	return c.Store.Put(ctx, key, b, o)
}

func (c *counted) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if store.CheckKey(key) == nil && ctx.Err() == nil {
		c.n.n.Add(1)
	}
	return c.Store.Delete(ctx, key, o)
}
