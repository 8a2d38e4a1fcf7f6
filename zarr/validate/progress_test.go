package validate_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestProgress checks that each stored chunk is one step, also if it is corrupt, and that the total
// is that of the grids.
func TestProgress(t *testing.T) {
	st := mem.New()
	if _, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "b"} {
		a, err := zarr.Create(t.Context(), st, path, zarr.Spec{Shape: []int{10, 4}, Chunks: []int{2, 2}, DType: dtype.Int8})
		if err == nil {
			err = zarr.Write(t.Context(), a, []int8{1, 2, 3, 4, 5, 6, 7, 8}, zarr.Range(2, 4))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, st, "a/c/1/0", "x")
	for _, data := range []bool{false, true} {
		var steps, totals []int64
		_, r := run(t, st, validate.Options{Data: data, Progress: func(done, total int64) {
			steps, totals = append(steps, done), append(totals, total)
		}})
		if r.Chunks != 4 || !slices.IsSorted(steps) || !slices.IsSorted(totals) || len(steps) != 6 || steps[5] != 4 || totals[5] != 20 || totals[0] != 10 {
			t.Errorf("data %v: %v of %v", data, steps, totals)
		}
	}
}
