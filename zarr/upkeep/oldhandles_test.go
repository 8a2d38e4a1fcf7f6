package upkeep_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestOldHandles changes an array and its group through handles that were opened before Migrate.
// Every change of metadata is a conflict and changes nothing. A write of elements is visible in v3.
func TestOldHandles(t *testing.T) {
	type handles struct {
		g *zarr.Group
		a *zarr.Array
	}
	changes := map[string]func(h handles) error{
		"append": func(h handles) error {
			_, err := zarr.Append(t.Context(), h.a, 0, []int32{5, 6}, zarr.AppendOptions{})
			return err
		},
		"append with TakeOver": func(h handles) error {
			_, err := zarr.Append(t.Context(), h.a, 0, []int32{5, 6}, zarr.AppendOptions{TakeOver: -1})
			return err
		},
		"writer": func(h handles) error {
			_, err := zarr.NewWriter[int32](t.Context(), h.a, 0, zarr.AppendOptions{})
			return err
		},
		"shrink": func(h handles) error {
			_, err := h.a.Resize(t.Context(), []int{2}, zarr.ResizeOptions{})
			return err
		},
		"grow": func(h handles) error {
			_, err := h.a.Resize(t.Context(), []int{9}, zarr.ResizeOptions{})
			return err
		},
		"attributes": func(h handles) error {
			_, err := h.a.SetAttrs(t.Context(), map[string]any{"new": 1})
			return err
		},
		"attributes of the group": func(h handles) error {
			_, err := h.g.SetAttrs(t.Context(), map[string]any{"new": 1})
			return err
		},
		"array in the group": func(h handles) error {
			_, err := h.g.CreateArray(t.Context(), "b", zarr.Spec{Shape: []int{1}, DType: dtype.Int8})
			return err
		},
		"group in the group": func(h handles) error {
			_, err := h.g.CreateGroup(t.Context(), "b", nil)
			return err
		},
		"remove the array": func(h handles) error {
			_, err := upkeep.PlanRemove(t.Context(), h.a, upkeep.RemoveOptions{})
			return err
		},
		"remove the group": func(h handles) error {
			_, err := upkeep.PlanRemove(t.Context(), h.g, upkeep.RemoveOptions{})
			return err
		},
	}
	for name, make := range map[string]func() store.Store{
		"mem": func() store.Store { return mem.New() },
		"dir": func() store.Store { return dir.New(t.TempDir()) },
	} {
		for _, remove := range []bool{false, true} {
			for _, attrs := range []map[string]any{nil, {"old": 1}} {
				st := make()
				g, err := zarr.CreateGroup(t.Context(), st, "m", zarr.Spec{Format: 2, Attrs: attrs})
				if err != nil {
					t.Fatal(err)
				}
				a, err := g.CreateArray(t.Context(), "a", zarr.Spec{Shape: []int{4}, Chunks: []int{4}, DType: dtype.Int32, Attrs: attrs})
				if err != nil {
					t.Fatal(err)
				}
				check(t, zarr.Write(t.Context(), a, []int32{1, 2, 3, 4}))
				if _, err := upkeep.Migrate(t.Context(), g, upkeep.MigrateOptions{Remove: remove}); err != nil {
					t.Fatal(err)
				}
				before := documents(t, st)
				for _, what := range slices.Sorted(maps.Keys(changes)) {
					err := changes[what](handles{g, a})
					if !errors.Is(err, zarr.ErrConflict) && !(remove && errors.Is(err, zarr.ErrNotFound)) {
						t.Errorf("%s, remove %v: %s: %v", name, remove, what, err)
					}
					if now := documents(t, st); !maps.Equal(now, before) {
						t.Fatalf("%s, remove %v: %s changed documents: %v, were %v", name, remove, what, now, before)
					}
				}
				if err := zarr.Write(t.Context(), a, []int32{9}, zarr.At(1)); err != nil {
					t.Error(err)
				}
				is, err := zarr.OpenArray(t.Context(), st, "m/a")
				if err != nil || is.Format() != 3 {
					t.Fatal(is, err)
				}
				if v, err := zarr.Read[int32](t.Context(), is); err != nil || !slices.Equal(v, []int32{1, 9, 3, 4}) {
					t.Errorf("%v, %v", v, err)
				}
			}
		}
	}
}

// TestMigrateBack checks that the v2 documents can be changed again after the v3 documents were
// deleted.
func TestMigrateBack(t *testing.T) {
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 2, Shape: []int{1}, DType: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	check(t, st.Delete(t.Context(), "a/zarr.json", store.DeleteOptions{}))
	if a, err = zarr.Append(t.Context(), a, 0, []int32{7}, zarr.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, err = a.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.SetAttrs(t.Context(), map[string]any{"x": 1}); err != nil {
		t.Error(err)
	}
}

// TestSetAttrsOfRemoved sets attributes through a handle of a node that was removed. The call fails
// and stores nothing.
func TestSetAttrsOfRemoved(t *testing.T) {
	for _, format := range []int{2, 3} {
		for _, attrs := range []map[string]any{nil, {"old": 1}} {
			for _, opts := range [][]zarr.Option{nil, {zarr.SingleWriter()}} {
				for _, group := range []bool{false, true} {
					st := mem.New()
					var n zarr.Node
					var err error
					if group {
						n, err = zarr.CreateGroup(t.Context(), st, "n", zarr.Spec{Format: format, Attrs: attrs}, opts...)
					} else {
						n, err = zarr.Create(t.Context(), st, "n", zarr.Spec{Format: format, Shape: []int{1}, DType: dtype.Int8, Attrs: attrs}, opts...)
					}
					if err != nil {
						t.Fatal(err)
					}
					check(t, store.DeleteBelow(t.Context(), st, "n"))
					if g, ok := n.(*zarr.Group); ok {
						_, err = g.SetAttrs(t.Context(), map[string]any{"new": 1})
					} else {
						_, err = n.(*zarr.Array).SetAttrs(t.Context(), map[string]any{"new": 1})
					}
					if !errors.Is(err, zarr.ErrNotFound) && !errors.Is(err, zarr.ErrConflict) {
						t.Errorf("v%d, %v, group %v: %v", format, attrs, group, err)
					}
					for key := range documents(t, st) {
						if key[:2] == "n/" {
							t.Errorf("v%d, %v, group %v: %s is stored", format, attrs, group, key)
						}
					}
				}
			}
		}
	}
}

// TestStrayAttributes creates v2 nodes where a .zattrs is stored. The new node must not adopt it.
func TestStrayAttributes(t *testing.T) {
	st := mem.New()
	if _, err := st.Put(t.Context(), "n/.zattrs", []byte(`{"scale_factor":10}`), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	spec := zarr.Spec{Format: 2, Shape: []int{1}, DType: dtype.Int8}
	for what, err := range map[string]error{
		"array":    second(zarr.Create(t.Context(), st, "n", spec)),
		"group":    second(zarr.CreateGroup(t.Context(), st, "n", zarr.Spec{Format: 2})),
		"below":    second(zarr.Create(t.Context(), st, "n/a", spec)),
		"open":     second(zarr.OpenOrCreate(t.Context(), st, "n", spec)),
		"group or": second(zarr.OpenOrCreateGroup(t.Context(), st, "n", zarr.Spec{Format: 2}, nil)),
	} {
		if !errors.Is(err, zarr.ErrExists) {
			t.Errorf("%s: %v", what, err)
		}
	}
	a, err := zarr.Replace(t.Context(), st, "n", spec)
	if err != nil || len(a.Attrs()) > 0 {
		t.Errorf("%v, %v", a, err)
	}
}

func second[T any](_ T, err error) error { return err }
