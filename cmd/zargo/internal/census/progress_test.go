package census_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// noListing is a store without listings.
type noListing struct{ store.Store }

func (noListing) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, errors.ErrUnsupported) }
}

// TestProgress checks that each stored chunk is one step, out of at most all chunks of the grid. If
// the store does not list, each chunk of the grid is one step.
func TestProgress(t *testing.T) {
	for _, data := range []bool{false, true} {
		for name, want := range map[string][2]int64{"lists": {3, 5}, "does not list": {5, 5}} {
			st := mem.New()
			fill(t, create(t, st, zarr.Spec{Shape: []int{10}, Chunks: []int{2}}), 6, zarr.Range(2, 8))
			a, err := zarr.OpenArray(t.Context(), st, "a")
			if err == nil && name != "lists" {
				a, err = zarr.OpenArray(t.Context(), noListing{st}, "a")
			}
			if err != nil {
				t.Fatal(err)
			}
			var steps []int64
			take(t, a, census.Options{Data: data, Progress: func(done, total int64) {
				steps = append(steps, done)
				if total != want[1] {
					t.Errorf("%s: of %d", name, total)
				}
			}})
			if !slices.IsSorted(steps) || int64(len(steps)) != want[0]+1 || steps[0] != 0 || steps[len(steps)-1] != want[0] {
				t.Errorf("%s: %v", name, steps)
			}
		}
	}
}
