package zarr_test

import (
	"context"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestWalkEnds cancels walks of groups with consolidated metadata, which send no requests.
func TestWalkEnds(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c"} {
			succeed(t, second(zarr.Create(t.Context(), st, name, zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Int8})))
		}
		succeed(t, second(g.Consolidate(t.Context())))
		if g, err = zarr.OpenGroup(t.Context(), st, ""); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		end := errors.New("ended")
		n, last := 0, error(nil)
		for _, err := range g.Walk(ctx) {
			n++
			last = err
			cancel(end)
		}
		cancel(nil)
		if n != 2 || !errors.Is(last, end) {
			t.Errorf("v%d: %d nodes, then %v", format, n, last)
		}
	}
}
