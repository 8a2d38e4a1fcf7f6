package manifest_test

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/manifest"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// sizeless is a store that lists without sizes.
type sizeless struct{ store.Store }

func (s sizeless) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range s.Store.List(ctx, prefix, o) {
			e.Size = -1
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestProgress checks the counted bytes, including values of unknown length. A check of a manifest
// counts the values that the manifest names.
func TestProgress(t *testing.T) {
	st := mem.New()
	for key, n := range map[string]int{"a": 3, "empty": 0, "large": 20 << 20} {
		put(t, st, key, make([]byte, n))
	}
	const total = 3 + 20<<20
	for _, tt := range []struct {
		name  string
		st    store.Store
		sized bool
	}{{"sizes", st, true}, {"no sizes", sizeless{st}, false}} {
		t.Run(tt.name, func(t *testing.T) {
			var steps []int64
			last := int64(-1)
			watch := manifest.Options{Progress: func(done, of int64) {
				if done > of || tt.sized && of != total {
					t.Errorf("%d of %d", done, of)
				}
				steps, last = append(steps, done), of
			}}
			var sums bytes.Buffer
			succeed(t, manifest.Write(t.Context(), tt.st, &sums, watch))
			// There is one step at the start, one for each small value, and three for the parts of
			// 8 MiB of the large value.
			if !slices.IsSorted(steps) || len(steps) != 6 || steps[0] != 0 || steps[5] != total || last != total {
				t.Errorf("written: %v of %d", steps, last)
			}
			put(t, st, "extra", []byte("xyz"))
			defer st.Delete(t.Context(), "extra", store.DeleteOptions{}) //nolint:errcheck // mem never fails
			steps = nil
			if r, err := manifest.Check(t.Context(), tt.st, &sums, watch); err != nil || len(r.Extra) != 1 || r.Same != 3 {
				t.Fatal(r, err)
			}
			if !slices.IsSorted(steps) || len(steps) != 6 || steps[5] != total || last != total {
				t.Errorf("checked: %v of %d", steps, last)
			}
		})
	}
}
