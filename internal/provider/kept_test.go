package provider

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// crowded is a store that refuses Gets beyond 20 at the same time.
type crowded struct {
	*mem.Store
	now, refused atomic.Int64
}

func (c *crowded) Get(ctx context.Context, key string, _ store.GetOptions, buf []byte) (store.Value, error) {
	full := c.now.Add(1) > 20
	defer c.now.Add(-1)
	if concurrency.Sleep(ctx, 30*time.Millisecond) != nil {
		return store.Value{}, ctx.Err()
	}
	if full {
		c.refused.Add(1)
		return store.Value{}, &fault.KeyError{Op: "get", Key: key, Kind: fault.Throttled}
	}
	return store.Value{Bytes: buf, Version: "1"}, nil
}

// TestStackContinues checks that a store that is opened after the last one on its bucket was
// closed, as by each call of a function in a cloud, is not refused again as often as the first.
func TestStackContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowded{Store: mem.New()}
		limits := &concurrency.Limits{Requests: &concurrency.Registry{}}
		var refused [4]int64
		for i := range refused {
			before := c.refused.Load()
			st, err := Stack{Limits: limits}.Build(c, Bucket{Name: "a", BucketOptions: limit.BucketOptions{Reads: 128, Writes: 128}})
			if err != nil {
				t.Fatal(err)
			}
			if err := concurrency.EachN(t.Context(), 130, 300, func(ctx context.Context, i int) error {
				_, err := st.Get(ctx, strconv.Itoa(i), store.GetOptions{}, nil)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			refused[i] = c.refused.Load() - before
			runtime.GC()
			runtime.GC()
			time.Sleep(time.Minute / 2)
		}
		t.Logf("%d refused", refused)
		if refused[0] < 100 || refused[1] > refused[0]/2 || refused[3] > refused[0]/2 {
			t.Errorf("%d refused", refused)
		}
	})
}
