package upkeep_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestHandlesFromCopies checks each function that needs a stored document or its version with nodes
// that were opened from consolidated metadata, and from documents of the caller.
func TestHandlesFromCopies(t *testing.T) {
	type handles struct {
		st store.Store
		g  *zarr.Group
		a  *zarr.Array
	}
	for name, f := range map[string]func(ctx context.Context, h handles) error{
		"NewWriter": func(ctx context.Context, h handles) error {
			w, err := zarr.NewWriter[int32](ctx, h.a, 0, zarr.AppendOptions{})
			if err != nil {
				return err
			}
			if err := w.Write(ctx, []int32{5, 6, 7}); err != nil {
				return err
			}
			a, err := w.Close(ctx)
			return is(ctx, a, err, 1, 2, 3, 4, 5, 6, 7)
		},
		"Append": func(ctx context.Context, h handles) error {
			a, err := zarr.Append(ctx, h.a, 0, []int32{5}, zarr.AppendOptions{})
			return is(ctx, a, err, 1, 2, 3, 4, 5)
		},
		"Resize": func(ctx context.Context, h handles) error {
			a, err := h.a.Resize(ctx, []int{2}, zarr.ResizeOptions{})
			return is(ctx, a, err, 1, 2)
		},
		"Write": func(ctx context.Context, h handles) error {
			return is(ctx, h.a, zarr.Write(ctx, h.a, []int32{9}, zarr.Range(1, 2)), 1, 9, 3, 4)
		},
		"SetAttrs of an array": func(ctx context.Context, h handles) error {
			a, err := h.a.SetAttrs(ctx, map[string]any{"k": "v"})
			return is(ctx, a, err, 1, 2, 3, 4)
		},
		"SetAttrs of a group": func(ctx context.Context, h handles) error {
			_, err := h.g.SetAttrs(ctx, map[string]any{"k": "v"})
			return err
		},
		"Group.Append": func(ctx context.Context, h handles) error {
			_, err := h.g.Append(ctx, "x", zarr.AppendOptions{}, zarr.RowsOf("a", []int32{5}))
			return err
		},
		"Consolidate": func(ctx context.Context, h handles) error {
			_, err := h.g.Consolidate(ctx)
			return err
		},
		"Refresh": func(ctx context.Context, h handles) error {
			a, err := h.a.Refresh(ctx)
			return is(ctx, a, err, 1, 2, 3, 4)
		},
		"Orphans.Delete": func(ctx context.Context, h handles) error {
			o, err := upkeep.FindOrphans(ctx, h.a)
			if err != nil {
				return err
			}
			return o.Delete(ctx)
		},
		"CorrectKeys": func(ctx context.Context, h handles) error {
			_, err := upkeep.CorrectKeys(ctx, h.a)
			return err
		},
		"RecordSeparator": func(ctx context.Context, h handles) error { return upkeep.RecordSeparator(ctx, h.a) },
		"DropClaim of an array": func(ctx context.Context, h handles) error {
			w, err := zarr.NewWriter[int32](ctx, must(zarr.OpenArray(ctx, h.st, "top/g/a")), 0, zarr.AppendOptions{})
			if err != nil {
				return err
			}
			dropped, err := upkeep.DropClaim(ctx, h.a, 0)
			if err == nil && !dropped {
				err = fmt.Errorf("the claim was not found")
			}
			_, _ = w.Close(ctx)
			return err
		},
		"DropClaim of a group": func(ctx context.Context, h handles) error {
			_, err := upkeep.DropClaim(ctx, h.g, 0)
			return err
		},
		"CheckClaim": func(ctx context.Context, h handles) error {
			return upkeep.CheckClaim(ctx, h.g, 0)
		},
		"UpdateParents": func(ctx context.Context, h handles) error {
			if _, err := upkeep.CheckParents(ctx, h.a); err != nil {
				return err
			}
			_, err := upkeep.UpdateParents(ctx, h.g)
			return err
		},
		"Migrate an array": func(ctx context.Context, h handles) error {
			_, err := upkeep.Migrate(ctx, h.a, upkeep.MigrateOptions{})
			return err
		},
		"Migrate a group": func(ctx context.Context, h handles) error {
			_, err := upkeep.Migrate(ctx, h.g, upkeep.MigrateOptions{})
			return err
		},
		"PlanRemove": func(ctx context.Context, h handles) error {
			r, err := upkeep.PlanRemove(ctx, h.g, upkeep.RemoveOptions{})
			if err != nil {
				return err
			}
			return r.Run(ctx)
		},
	} {
		for _, format := range []int{2, 3} {
			for _, from := range []string{"consolidated metadata", "documents"} {
				t.Run(fmt.Sprintf("%s/v%d/%s", name, format, from), func(t *testing.T) {
					ctx, st := t.Context(), mem.New()
					top := must(zarr.CreateGroup(ctx, st, "top", zarr.Spec{Format: format}))
					g := must(top.CreateGroup(ctx, "g", nil))
					a := must(g.CreateArray(ctx, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Dims: dims(format), Attrs: attrs(format)}))
					check(t, zarr.Write(ctx, a, []int32{1, 2, 3, 4}))
					must(top.Consolidate(ctx))
					h := handles{st: st}
					if from == "documents" {
						docs := must(a.Documents())
						for key, doc := range must(g.Documents()) {
							docs[key] = doc
						}
						h.g = must(zarr.OpenGroup(ctx, st, "top/g", zarr.Documents(docs)))
						h.a = must(zarr.OpenArray(ctx, st, "top/g/a", zarr.Documents(docs)))
					} else {
						all := must(zarr.OpenGroup(ctx, st, "top"))
						h.g, h.a = must(all.OpenGroup(ctx, "g")), must(all.OpenArray(ctx, "g/a"))
					}
					if err := f(ctx, h); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// dims returns the names of the dimensions that the metadata of a format can hold.
func dims(format int) []string {
	if format == 3 {
		return []string{"x"}
	}
	return nil
}

func attrs(format int) map[string]any {
	if format == 2 {
		return map[string]any{"_ARRAY_DIMENSIONS": []string{"x"}}
	}
	return nil
}

// is returns an error if the values of a differ from want.
func is(ctx context.Context, a *zarr.Array, err error, want ...int32) error {
	if err != nil {
		return err
	}
	got, err := zarr.Read[int32](ctx, a)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("read %v, want %v", got, want)
	}
	return err
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
