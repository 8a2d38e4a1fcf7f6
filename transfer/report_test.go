package transfer_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestReport checks that a Report has every request of a plan and of its run, once.
func TestReport(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t, mem.New(), mem.New())
	g := must(zarr.CreateGroup(ctx, w.src, "in", zarr.Spec{}))
	check(t, zarr.Write(ctx, must(g.CreateArray(ctx, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Int8})), []int8{1, 2, 3, 4}))
	var sent atomic.Int64
	counted := func(st store.Store) store.Store {
		return store.Around(st, store.Hooks{After: func(_ context.Context, _ store.Call, r store.Result) {
			if !r.Unsupported {
				sent.Add(1)
			}
		}})
	}
	for _, grid := range []int{1, 2} { // copied as stored, and rechunked
		sent.Store(0)
		var r zarr.Report
		opts := []zarr.Option{zarr.WithReport(&r)}
		src, dst := counted(w.src), counted(w.dst)
		p := must(transfer.NewPlanAt(ctx, src, "in", dst, transfer.Options{
			Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: string(rune('0' + grid))}, Zarr: opts,
			Grid: func(*zarr.Array) (chunks, shards []int, err error) { return []int{grid}, nil, nil },
		}))
		open := func(_ context.Context, name string) (store.Store, error) {
			return map[string]store.Store{"src": src, "dst": dst}[name], nil
		}
		check(t, transfer.Run(ctx, p, open, transfer.RunOptions{Zarr: opts}))
		all := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load() + r.Lists.Load() + r.Parts.Load() + r.Copies.Load()
		if all != sent.Load() || all == 0 {
			t.Errorf("chunks of %d: %d requests, reported %v", grid, sent.Load(), &r)
		}
	}
}
