package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func keysOf(t *testing.T, st store.Store) (keys []string) {
	t.Helper()
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return keys
}

// TestWritesOfDeleted writes in all ways through handles from consolidated metadata, after the
// array or its group was deleted, or moved to another path. No write stores an object.
func TestWritesOfDeleted(t *testing.T) {
	writes := map[string]func(context.Context, *zarr.Group, *zarr.Array) error{
		"Write": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			return zarr.Write(ctx, a, []int32{5, 6, 7, 8})
		},
		"Write a part": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			return zarr.Write(ctx, a, []int32{5}, zarr.Range(1, 2))
		},
		"Write fill": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			return zarr.Write(ctx, a, make([]int32, 4))
		},
		"Write nothing": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			return zarr.Write(ctx, a, []int32{}, zarr.Range(1, 1))
		},
		"WriteBytes": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			return a.WriteBytes(ctx, make([]byte, 16))
		},
		"Write of a view": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			v, err := a.With(zarr.StoreFill(), zarr.SingleWriter())
			if err != nil {
				return err
			}
			return zarr.Write(ctx, v, []int32{5, 6, 7, 8})
		},
		"Write after a read": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_ = a.Check(ctx)
			return zarr.Write(ctx, a, []int32{5, 6, 7, 8})
		},
		"OpenShard": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			w, err := a.OpenShard(ctx, 0)
			if err != nil {
				return err
			}
			if err := zarr.WriteShard(ctx, w, []int32{5, 6, 7, 8}); err != nil {
				return err
			}
			return w.Commit(ctx)
		},
		"Append": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := zarr.Append(ctx, a, 0, []int32{5}, zarr.AppendOptions{})
			return err
		},
		"Append that takes over": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := zarr.Append(ctx, a, 0, []int32{5}, zarr.AppendOptions{TakeOver: -1})
			return err
		},
		"Append by a single writer": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			v, err := a.With(zarr.SingleWriter())
			if err == nil {
				_, err = zarr.Append(ctx, v, 0, []int32{5}, zarr.AppendOptions{})
			}
			return err
		},
		"AppendFunc": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := a.AppendFunc(ctx, 0, 2, func(context.Context, *zarr.Array, int) error { return nil }, zarr.AppendOptions{})
			return err
		},
		"NewWriter": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			w, err := zarr.NewWriter[int32](ctx, a, 0, zarr.AppendOptions{})
			if err != nil {
				return err
			}
			if err := w.Write(ctx, []int32{5, 6, 7}); err != nil {
				return err
			}
			_, err = w.Close(ctx)
			return err
		},
		"longer": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := a.Resize(ctx, []int{6}, zarr.ResizeOptions{})
			return err
		},
		"shorter": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := a.Resize(ctx, []int{1}, zarr.ResizeOptions{Clear: true})
			return err
		},
		"SetAttrs": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := a.SetAttrs(ctx, map[string]any{"k": "v"})
			return err
		},
		"SetAttrs by a single writer": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			v, err := a.With(zarr.SingleWriter())
			if err == nil {
				_, err = v.SetAttrs(ctx, map[string]any{"k": "v"})
			}
			return err
		},
		"Group.Append": func(ctx context.Context, g *zarr.Group, _ *zarr.Array) error {
			_, err := g.Append(ctx, "x", zarr.AppendOptions{}, zarr.RowsOf("a", []int32{5}))
			return err
		},
		"Migrate": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			_, err := upkeep.Migrate(ctx, a, upkeep.MigrateOptions{})
			if err == nil && a.Format() == 3 {
				err = zarr.ErrNotFound // there is nothing to migrate
			}
			return err
		},
		"Orphans.Delete": func(ctx context.Context, _ *zarr.Group, a *zarr.Array) error {
			o, err := upkeep.FindOrphans(ctx, a)
			if err == nil {
				err = o.Delete(ctx)
			}
			return err
		},
	}
	ofGroup := map[string]func(context.Context, *zarr.Group, *zarr.Array) error{
		"SetAttrs of the group": func(ctx context.Context, g *zarr.Group, _ *zarr.Array) error {
			_, err := g.SetAttrs(ctx, map[string]any{"k": "v"})
			return err
		},
		"Consolidate": func(ctx context.Context, g *zarr.Group, _ *zarr.Array) error {
			_, err := g.Consolidate(ctx)
			return err
		},
	}
	for _, format := range []int{2, 3} {
		for _, gone := range []string{"top/g/a", "top/g"} {
			for name, f := range writes {
				writesOfDeleted(t, name, format, gone, f)
			}
		}
		for name, f := range ofGroup {
			writesOfDeleted(t, name, format, "top/g", f)
		}
	}
}

func writesOfDeleted(t *testing.T, name string, format int, gone string, f func(context.Context, *zarr.Group, *zarr.Array) error) {
	if name == "OpenShard" && format == 2 {
		return
	}
	t.Run(fmt.Sprintf("%s/v%d/%s", name, format, gone), func(t *testing.T) {
		ctx, st := t.Context(), mem.New()
		top := must(zarr.CreateGroup(ctx, st, "top", zarr.Spec{Format: format}))
		g := must(top.CreateGroup(ctx, "g", nil))
		s := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Dims: dims(format), Attrs: attrs(format)}
		if format == 3 {
			s.Shards = []int{4}
		}
		must(g.CreateArray(ctx, "a", s))
		must(top.Consolidate(ctx))
		all := must(zarr.OpenGroup(ctx, st, "top"))
		g, a := must(all.OpenGroup(ctx, "g")), must(all.OpenArray(ctx, "g/a"))
		for e, err := range store.ListAll(ctx, st, gone, store.ListOptions{}) {
			check(t, err)
			check(t, st.Delete(ctx, e.Key, store.DeleteOptions{}))
		}
		before := keysOf(t, st)
		if err := f(ctx, g, a); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("%v", err)
		}
		if after := keysOf(t, st); !slices.Equal(after, before) {
			t.Errorf("stored %q, before %q", after, before)
		}
	})
}
