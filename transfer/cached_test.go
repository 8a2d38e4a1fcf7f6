package transfer_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestTargetInACache checks that a transfer invalidates the entries of its target in a cache of the
// process, whether it copies stored objects or encodes chunks.
func TestTargetInACache(t *testing.T) {
	for name, chunks := range map[string][]int{"as it is stored": nil, "in other chunks": {3}} {
		t.Run(name, func(t *testing.T) {
			ctx, dst := t.Context(), mem.New()
			c := cache.New(1<<20, cache.Immutable())
			spec := zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Int32}
			old := must(zarr.Create(ctx, dst, "out", spec, zarr.Cache(c)))
			check(t, zarr.Write(ctx, old, []int32{1, 2, 3, 4, 5, 6, 0, 0}))
			must(zarr.Read[int32](ctx, old))
			check(t, store.DeleteBelow(ctx, dst, "out")) // through the store, so the cache keeps its entries

			src := mem.New()
			a := must(zarr.Create(ctx, src, "in", spec))
			want := []int32{11, 0, 0, 0, 15, 16, 17, 18}
			check(t, zarr.Write(ctx, a, want))
			w := newWorld(t, src, dst)
			o := transfer.Options{Target: transfer.Place{Path: "out"}}
			if chunks != nil {
				o.Grid = func(*zarr.Array) ([]int, []int, error) { return chunks, nil, nil }
			}
			w.run(w.plan(a, o))
			got := must(zarr.Read[int32](ctx, must(zarr.OpenArray(ctx, dst, "out", zarr.Cache(c)))))
			if !slices.Equal(got, want) {
				t.Errorf("read %v, want %v", got, want)
			}
		})
	}
}
