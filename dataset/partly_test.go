package dataset_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestAppendPartlyPresent checks that IfAbsent refuses labels if the coordinate contains only some
// of them.
func TestAppendPartlyPresent(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{3}, DType: dtype.Int32, Dims: []string{"x"}}, []int32{1, 2, 3})
	d := open(t, g)
	for _, labels := range [][]int32{{9, 2}, {3, 9}, {2, 1}} {
		_, err := d.Append(t.Context(), "x", dataset.AppendOptions{IfAbsent: true, AnyOrder: true}, dataset.Stored("x", labels))
		if !errors.Is(err, fault.Conflict) {
			t.Errorf("%v: %v, want a conflict", labels, err)
		}
	}
	d, err := d.Append(t.Context(), "x", dataset.AppendOptions{IfAbsent: true, AnyOrder: true}, dataset.Stored("x", []int32{9, 8}))
	if err != nil || d.Dims()[0].Len != 5 {
		t.Errorf("%v, %v", d, err)
	}
}
