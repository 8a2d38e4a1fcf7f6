package zarr_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRefusedMember checks that a walk of the stored documents fails if the store refuses to read a
// member. It must not take the names of the nodes from consolidated metadata, as it does if the
// store refuses the listing of the group.
func TestRefusedMember(t *testing.T) {
	for _, format := range []int{2, 3} {
		for what, expect := range map[string]string{"document": "refused", "listing below": "refused", "listing": ""} {
			ctx, st := t.Context(), mem.New()
			g, err := zarr.CreateGroup(ctx, st, "", zarr.Spec{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, second(g.CreateGroup(ctx, "a", nil)))
			succeed(t, second(g.Consolidate(ctx)))
			succeed(t, second(zarr.CreateGroup(ctx, st, "new", zarr.Spec{Format: format})))
			refusing := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				refused := false
				switch what {
				case "document":
					refused = c.Op != store.OpList && strings.HasPrefix(c.Key, "a/")
				case "listing below":
					refused = c.Op == store.OpList && c.Key == "a"
				default:
					refused = c.Op == store.OpList
				}
				if refused {
					return ctx, fault.Newf(fault.Refused, "no permission")
				}
				return ctx, nil
			}})
			if g, err = zarr.OpenGroup(ctx, refusing, ""); err != nil {
				t.Fatal(err)
			}
			n, err := g.Stored(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range n.(*zarr.Group).Walk(ctx) {
				failed = errors.Join(failed, err)
			}
			if (failed == nil) != (expect == "") || failed != nil && !errors.Is(failed, fault.Refused) {
				t.Errorf("v%d, refused %s: %v", format, what, failed)
			}
		}
	}
}
