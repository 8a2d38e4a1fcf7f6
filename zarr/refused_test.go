package zarr_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestRefusedAttributes checks that an array whose .zattrs is refused is read without attributes,
// and that no write assumes that it has none.
func TestRefusedAttributes(t *testing.T) {
	ctx := t.Context()
	for _, there := range []bool{true, false} {
		backing := mem.New()
		spec := zarr.Spec{Format: 2, Shape: []int{4}, DType: dtype.Float32, Attrs: map[string]any{"units": "K"}}
		mustCreate(t, backing, "g/x", spec)
		mustCreate(t, backing, "g/y", spec)
		if g, err := zarr.OpenGroup(ctx, backing, "g"); err != nil {
			t.Fatal(err)
		} else if _, err := g.Consolidate(ctx); err != nil {
			t.Fatal(err)
		}
		if !there {
			succeed(t, backing.Delete(ctx, "g/x/.zattrs", store.DeleteOptions{}))
		}
		before := everything(t, backing)
		st := answers{backing, func(key string) error {
			if key == "g/x/.zattrs" {
				return zarr.ErrRefused
			}
			return nil
		}}
		x, err := zarr.OpenArray(ctx, st, "g/x")
		if err != nil || len(x.Attrs()) != 0 {
			t.Fatalf("%v, %v", x, err)
		}
		g, err := zarr.OpenGroup(ctx, st, "g")
		if err != nil {
			t.Fatal(err)
		}
		_, consolidate := g.Consolidate(ctx)
		_, update := upkeep.UpdateParents(ctx, x)
		_, migrate := upkeep.Migrate(ctx, g, upkeep.MigrateOptions{Remove: true})
		for name, err := range map[string]error{"consolidate": consolidate, "update": update, "migrate": migrate} {
			if !errors.Is(err, zarr.ErrRefused) || !strings.Contains(err.Error(), "g/x") {
				t.Errorf("%s: %v", name, err)
			}
		}
		alone, err := x.With(zarr.SingleWriter())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := alone.SetAttrs(ctx, map[string]any{"n": 1}); !errors.Is(err, zarr.ErrRefused) {
			t.Errorf("a single writer sets attributes: %v", err)
		}
		if after := everything(t, backing); !maps.Equal(before, after) {
			t.Errorf("stored %v, was %v", after, before)
		}
		want := error(nil)
		if there {
			want = zarr.ErrConflict
		}
		if _, err := x.SetAttrs(ctx, map[string]any{"n": 1}); !errors.Is(err, want) {
			t.Errorf("attributes are there: %v; set: %v", there, err)
		}
	}
}

// everything returns the values of a store by key.
func everything(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, key := range keys(t, st) {
		v := mustGet(t, st, key)
		all[key] = string(v)
	}
	return all
}
