package pyramid_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestReport checks that a Report has every request of a build and of a check, once.
func TestReport(t *testing.T) {
	ctx := t.Context()
	var sent atomic.Int64
	st := store.Around(mem.New(), store.Hooks{After: func(_ context.Context, _ store.Call, r store.Result) {
		if !r.Unsupported {
			sent.Add(1)
		}
	}})
	g, err := zarr.CreateGroup(ctx, st, "dem", zarr.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.CreateArray(ctx, "height", zarr.Spec{Shape: []int{8, 8}, Chunks: []int{2, 2}, DType: dtype.Int16, Dims: []string{"y", "x"}}); err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(o []zarr.Option) error{
		"build": func(o []zarr.Option) error {
			_, err := pyramid.Build(ctx, st, "dem/height", pyramid.Options{Zarr: o})
			return err
		},
		"validate": func(o []zarr.Option) error {
			_, err := validate.Run(ctx, st, "dem", validate.Options{Open: o}, nil)
			return err
		},
	} {
		sent.Store(0)
		var r zarr.Report
		if err := do([]zarr.Option{zarr.WithReport(&r)}); err != nil {
			t.Fatal(name, err)
		}
		all := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load() + r.Lists.Load() + r.Parts.Load() + r.Copies.Load()
		if all != sent.Load() || all == 0 {
			t.Errorf("%s: %d requests, reported %v", name, sent.Load(), &r)
		}
	}
}
