package transfer_test

import (
	"context"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestProcessesOfStages runs all stages of a plan in several processes at once. Each waits for the
// others before it begins the next stage.
func TestProcessesOfStages(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{1024, 64, 64}, Chunks: []int{1, 64, 64}, DType: dtype.Uint16}))
	check(t, zarr.Write(t.Context(), a, make([]uint16, 64*64), zarr.Index(0)))
	p := w.plan(a, series(transfer.Options{}))
	if len(p.Stages) != 3 {
		t.Fatalf("%d stages", len(p.Stages))
	}
	const n = 3
	check(t, concurrency.EachN(t.Context(), n, n, func(ctx context.Context, i int) error {
		return transfer.Run(ctx, p, w.open, transfer.RunOptions{Index: i, Count: n, Wait: time.Minute})
	}))
	if missing := must(transfer.Verify(t.Context(), p, w.open)); len(missing) > 0 {
		t.Errorf("tasks %v are not done", missing)
	}
	equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "")))
}
