package diff_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestProgress checks that Progress counts the elements of all compared arrays and no others.
func TestProgress(t *testing.T) {
	var both [2]*zarr.Group
	for i := range both {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []struct {
			name  string
			shape int
		}{{"a", 1 << 20}, {"other shape", 5 + i}, {"z", 7}, {[]string{"left", "right"}[i], 9}} {
			if _, err := zarr.Create(t.Context(), st, s.name, zarr.Spec{Shape: []int{s.shape}, Chunks: []int{1 << 18}, DType: dtype.Float64}); err != nil {
				t.Fatal(err)
			}
		}
		both[i] = g
	}
	const total = 1<<20 + 7
	var steps []int64
	o := diff.Options{Memory: 4 << 20, Progress: func(done, of int64) {
		steps = append(steps, done)
		if of != total {
			t.Errorf("of %d", of)
		}
	}}
	run(t, both[0], both[1], o)
	if !slices.IsSorted(steps) || len(steps) < 6 || steps[0] != 0 || steps[len(steps)-1] != total || !slices.Contains(steps, 1<<20) {
		t.Errorf("%v", steps)
	}
	o.SkipValues, o.Progress = true, func(done, of int64) {
		if done != 0 || of != 0 {
			t.Errorf("without values: %d of %d", done, of)
		}
	}
	run(t, both[0], both[1], o)
}
