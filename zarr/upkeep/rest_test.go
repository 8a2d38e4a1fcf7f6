package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// ending is a store whose requests fail after a number of deletes, as if the process was killed.
type ending struct {
	store.Store
	deletes atomic.Int64 // deletes before the end
}

func (e *ending) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if e.deletes.Add(-1) < 0 {
		return fault.Newf(fault.Unavailable, "the end")
	}
	return e.Store.Delete(ctx, key, o)
}

// TestPlanRest interrupts a removal at every delete. PlanRest then finds what it has left if the
// node is gone, and nothing among other objects.
func TestPlanRest(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, path := range []string{"", "g"} {
			for at := range 8 {
				t.Run(fmt.Sprintf("v%d/%q/%d", format, path, at), func(t *testing.T) {
					ctx, st := t.Context(), mem.New()
					g := must(zarr.CreateGroup(ctx, st, path, zarr.Spec{Format: format}))
					a := must(g.CreateArray(ctx, "a", zarr.Spec{Shape: []int{3}, Chunks: []int{1}, DType: dtype.Int8}))
					check(t, zarr.Write(ctx, a, []int8{1, 2, 3}))
					end := &ending{Store: st}
					end.deletes.Store(int64(at))
					n := must(zarr.Open(ctx, end, path))
					err := must(upkeep.PlanRemove(ctx, n, upkeep.RemoveOptions{})).Run(ctx)
					if err == nil {
						if _, err := upkeep.PlanRest(ctx, st, path, upkeep.RemoveOptions{}); !errors.Is(err, fault.NotFound) {
							t.Errorf("after a complete removal: %v", err)
						}
						return
					}
					r, err := upkeep.PlanRest(ctx, st, path, upkeep.RemoveOptions{})
					if err == nil {
						err = r.Run(ctx)
					}
					if err != nil {
						t.Fatal(err)
					}
					for e, err := range store.ListAll(ctx, st, path, store.ListOptions{}) {
						t.Errorf("%q is left, %v", e.Key, err)
					}
				})
			}
		}
	}
	st := mem.New()
	put(t, st, "x/0", "data of another kind")
	if _, err := upkeep.PlanRest(t.Context(), st, "x", upkeep.RemoveOptions{}); !errors.Is(err, fault.NotFound) {
		t.Errorf("objects of another kind: %v", err)
	}
}
