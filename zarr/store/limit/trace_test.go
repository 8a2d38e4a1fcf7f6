package limit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestTracesWaits checks that a request that waits for a slot reports the wait, and that a request
// that gets it immediately does not.
func TestTracesWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := concurrency.NewSlots(1)
		s := limit.New(mem.New(), limit.Options{Slots: slots})
		var waits []store.Wait
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(_ context.Context, w store.Wait) { waits = append(waits, w) }})
		put := func() {
			if _, err := s.Put(ctx, "k", nil, store.PutOptions{}); err != nil {
				t.Error(err)
			}
		}
		put()
		if len(waits) != 0 {
			t.Errorf("%v although a slot was free", waits)
		}
		if err := slots.Acquire(ctx); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, slots.Release)
		put()
		if len(waits) != 1 || waits[0] != (store.Wait{For: store.WaitSlot, Took: 3 * time.Second}) {
			t.Errorf("got %v", waits)
		}
	})
}
