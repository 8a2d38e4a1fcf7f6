package zarr_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestGroupAppendPending starts an append to a group of 2 rows. Before it claims the group, another
// append adds rows at 2 and completes, after which the group's document is the same as before. Then
// the group is consolidated and a third append takes over the claim, before the first one notices
// the change. The rows of the second append remain: the third fails with ErrExists.
func TestGroupAppendPending(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format, Attrs: map[string]any{"title": "x"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			spec := zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int32}
			if format == 2 {
				spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": []string{"time"}}
			} else {
				spec.Dims = []string{"time"}
			}
			succeed(t, second(g.CreateArray(t.Context(), name, spec)))
		}
		append2 := func(st store.Store, v int32, o zarr.AppendOptions) error {
			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err != nil {
				return err
			}
			o.At = new(2)
			_, err = g.Append(t.Context(), "time", o, zarr.RowsOf("a", []int32{v, v}), zarr.RowsOf("b", []int32{v, v}))
			return err
		}
		doc := "g/zarr.json"
		if format == 2 {
			doc = "g/.zattrs"
		}
		var mu sync.Mutex // serializes the puts of both arrays
		claimed, taken := false, false
		slow := store.Around(st, store.Hooks{
			Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				switch {
				case c.Op == store.OpPut && c.Key == doc && !claimed:
					claimed = true
					if err := append2(st, 7, zarr.AppendOptions{}); err != nil {
						t.Error(err)
					}
				case c.Op == store.OpPut && c.Key != doc:
					mu.Lock()
					defer mu.Unlock()
					if taken {
						break
					}
					taken = true
					g, err := zarr.OpenGroup(t.Context(), st, "g")
					if err == nil && format == 3 { // a v2 group is not consolidated while an append is in progress
						_, err = g.Consolidate(t.Context())
					}
					if err != nil {
						t.Error(err)
					}
					if err := append2(st, 9, zarr.AppendOptions{TakeOver: -1}); !errors.Is(err, zarr.ErrExists) {
						t.Errorf("v%d: the append that takes over: %v", format, err)
					}
				}
				return ctx, nil
			},
		})
		if err := append2(slow, 8, zarr.AppendOptions{}); !errors.Is(err, zarr.ErrExists) && !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("v%d: the first append: %v", format, err)
		}
		if !claimed || !taken {
			t.Errorf("v%d: claimed %v, taken over %v", format, claimed, taken)
		}
		for _, name := range []string{"g/a", "g/b"} {
			a := mustOpen(t, st, name)
			if got, err := zarr.Read[int32](t.Context(), a); err != nil || !slices.Equal(got, []int32{0, 0, 7, 7}) {
				t.Errorf("v%d: %s has %v, %v", format, name, got, err)
			}
		}
	}
}
