package zarr_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestStaleGroupHandle appends to and writes arrays through a group whose consolidated metadata is
// out of date: a conflict, and nothing is written. Through Stored both succeed. An append to the
// group does not need rows of an array that only the consolidated metadata contains.
func TestStaleGroupHandle(t *testing.T) {
	for _, format := range []int{2, 3} {
		ctx, st := t.Context(), mem.New()
		g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		spec := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"x"}}}
		if format == 3 {
			spec.Attrs, spec.Dims = nil, []string{"x"}
		}
		for _, name := range []string{"a", "gone"} {
			succeed(t, second(g.CreateArray(ctx, name, spec)))
		}
		if g, err = g.Consolidate(ctx); err != nil {
			t.Fatal(err)
		}
		now := mustOpen(t, st, "a")
		succeed(t, second(zarr.Append(ctx, now, 0, []int32{5, 6}, zarr.AppendOptions{})))
		succeed(t, store.DeleteBelow(ctx, st, "gone"))
		a, err := g.OpenArray(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Append(ctx, a, 0, []int32{7}, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d: append through a stale handle: %v", format, err)
		}
		if err := zarr.Write(ctx, a, []int32{7}, zarr.Range(3, 4)); !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d: write through a stale handle: %v", format, err)
		}
		if _, err := zarr.NewWriter[int32](ctx, a, 0, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d: writer through a stale handle: %v", format, err)
		}
		n, err := a.Stored(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Append(ctx, n.(*zarr.Array), 0, []int32{7}, zarr.AppendOptions{}); err != nil {
			t.Errorf("v%d: %v", format, err)
		}
		if _, err := g.Append(ctx, "x", zarr.AppendOptions{}, zarr.RowsOf("a", []int32{8})); err != nil {
			t.Errorf("v%d: append to the group: %v", format, err)
		}
		if got, err := zarr.Read[int32](ctx, mustOpen(t, st, "a")); err != nil || !slices.Equal(got, []int32{0, 0, 0, 0, 5, 6, 7, 8}) {
			t.Errorf("v%d: read %v, %v", format, got, err)
		}
		gone, err := g.OpenArray(ctx, "gone")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gone.Stored(ctx); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: a deleted array: %v", format, err)
		}
	}
}
