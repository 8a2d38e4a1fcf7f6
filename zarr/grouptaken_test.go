package zarr_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestGroupAppendTakenLate has an append that made both arrays longer but did not end. A second
// append takes it over. Before that claims the array b, a third append takes it over and completes.
// The second append then claims b, because the document of b lacks a claim. It must not write rows.
func TestGroupAppendTakenLate(t *testing.T) {
	st := mem.New()
	g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		succeed(t, second(g.CreateArray(t.Context(), name, zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32, Dims: []string{"time"}})))
	}
	succeed(t, second(g.Consolidate(t.Context())))
	appended := func(before func(context.Context, store.Call) (context.Context, error), after func(context.Context, store.Call, store.Result), v int32, over time.Duration) error {
		g, err := zarr.OpenGroup(t.Context(), store.Around(st, store.Hooks{Before: before, After: after}), "g")
		if err == nil {
			_, err = g.Append(t.Context(), "time", zarr.AppendOptions{At: new(2), TakeOver: over}, zarr.RowsOf("a", []int32{v, v}), zarr.RowsOf("b", []int32{v, v}))
		}
		return err
	}
	isPut := func(c store.Call, key string) bool { return c.Op == store.OpPut && c.Key == key }

	puts := 0
	err = appended(func(ctx context.Context, c store.Call) (context.Context, error) {
		if isPut(c, "g/zarr.json") {
			if puts++; puts > 2 { // after the claim and its final form
				return ctx, fault.Refused
			}
		}
		return ctx, nil
	}, nil, 7, 0)
	if !errors.Is(err, fault.Refused) {
		t.Fatal(err)
	}

	var claimed, held atomic.Bool
	wrote := make(chan struct{})
	err = appended(func(ctx context.Context, c store.Call) (context.Context, error) {
		switch {
		case isPut(c, "g/b/zarr.json") && claimed.CompareAndSwap(false, true):
			if err := appended(nil, nil, 9, -1); err != nil {
				t.Error(err)
			}
		case isPut(c, "g/zarr.json") && claimed.Load() && held.CompareAndSwap(false, true):
			select {
			case <-wrote:
			case <-time.After(100 * time.Millisecond):
			}
		}
		return ctx, nil
	}, func(_ context.Context, c store.Call, r store.Result) {
		if isPut(c, "g/b/c/1") && r.Err == nil {
			close(wrote)
		}
	}, 8, -1)
	if !errors.Is(err, zarr.ErrConflict) || !claimed.Load() || !held.Load() {
		t.Errorf("%v, claimed %v, held %v", err, claimed.Load(), held.Load())
	}
	for _, name := range []string{"g/a", "g/b"} {
		a := mustOpen(t, st, name)
		if got, err := zarr.Read[int32](t.Context(), a); err != nil || !slices.Equal(got, []int32{0, 0, 9, 9}) {
			t.Errorf("%s has %v, %v", name, got, err)
		}
	}
}
