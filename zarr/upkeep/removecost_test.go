package upkeep_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// batches is a store that deletes a limited number of keys with one request.
type batches struct {
	*mem.Store
	keys int
}

func (b batches) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Local()
		t.DeleteBatch = b.keys
	}
	return ok
}

// single is a store that deletes keys one by one.
type single struct{ store.Store }

// TestDeletes checks that a plan has the exact number of requests that delete the stored objects,
// in batches or one by one.
func TestDeletes(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, keys := range []int{0, 2, 3, 5, 1000} { // 0: the store deletes keys one by one
			t.Run(fmt.Sprintf("format=%d/batch=%d", format, keys), func(t *testing.T) {
				ctx, under := t.Context(), mem.New()
				if _, err := zarr.CreateGroup(ctx, under, "g", zarr.Spec{Format: format, Attrs: map[string]any{"a": 1}}); err != nil {
					t.Fatal(err)
				}
				for _, path := range []string{"g/a", "g/sub/b", "g/sub/c"} {
					a, err := zarr.Create(ctx, under, path, zarr.Spec{Shape: []int{7}, Chunks: []int{1}, DType: dtype.Int8, Format: format})
					if err == nil {
						err = zarr.Write(ctx, a, []int8{1, 2, 3, 4, 5, 6, 7})
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				var st store.Store = batches{under, keys}
				if keys == 0 {
					st = single{under}
				}
				var requests atomic.Int64
				st = store.Observe(st, func(_ context.Context, e store.Event) {
					if e.Op == store.OpDelete {
						requests.Add(1)
					}
				})
				n, err := zarr.Open(ctx, st, "g")
				if err != nil {
					t.Fatal(err)
				}
				r, err := upkeep.PlanRemove(ctx, n, upkeep.RemoveOptions{})
				if err != nil {
					t.Fatal(err)
				}
				check(t, r.Run(ctx))
				if r.Requests != requests.Load() || r.Objects < 25 {
					t.Errorf("planned %d for %d objects, made %d", r.Requests, r.Objects, requests.Load())
				}
			})
		}
	}
}
