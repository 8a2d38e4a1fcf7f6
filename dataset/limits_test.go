package dataset_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestSliceSteps checks slices whose step is longer than the dimension.
func TestSliceSteps(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{4}, DType: dtype.Int32, Dims: []string{"x"}}, []int32{1, 2, 3, 4})
	d := sel(t, open(t, g), dataset.Slice("x", 0, dataset.End).By(2))
	for _, step := range []int{3, math.MaxInt - 1, math.MaxInt} {
		s := sel(t, d, dataset.Slice("x", 0, dataset.End).By(step))
		if got := values(t, variable(t, s, "x")); fmt.Sprint(got) != "[1]" {
			t.Errorf("step %d: %v", step, got)
		}
	}
}

// TestFarIntegers checks the nearest of two integers whose difference overflows.
func TestFarIntegers(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int64, Dims: []string{"x"}}, []int64{math.MinInt64, 5})
	if got := values(t, variable(t, sel(t, open(t, g), dataset.Nearest("x", 2)), "x")); got[0] != 5 {
		t.Error(got)
	}
}

// TestIntegerLabels checks labels of each Go type of integers.
func TestIntegerLabels(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int32, Dims: []string{"x"}}, []int32{1, 2})
	d := open(t, g)
	for _, label := range []any{2, int8(2), int16(2), int32(2), int64(2), uint(2), uint8(2), uint16(2), uint32(2), uint64(2)} {
		s, err := d.Sel(dataset.Label("x", label))
		if err != nil {
			t.Errorf("%T: %v", label, err)
			continue
		}
		if got := values(t, variable(t, s, "x")); fmt.Sprint(got) != "[2]" {
			t.Errorf("%T: %v", label, got)
		}
	}
}

// TestRepeatedDefaultNames checks repeated and missing names, if the name for the axis is taken.
func TestRepeatedDefaultNames(t *testing.T) {
	for _, names := range [][]string{{"dim_1", "dim_1"}, {"dim_1", ""}} {
		g := root(t)
		put(t, g, "v", zarr.Spec{Shape: []int{2, 3}, DType: dtype.Int32, Dims: names}, make([]int32, 6))
		if d := open(t, g); fmt.Sprint(d.Dims()) != "[{dim_1 2} {dim_1_ 3}]" || len(d.Findings()) != 1 {
			t.Errorf("%q: %v, %v", names, d.Dims(), d.Findings())
		}
	}
}

// TestUnsignedLabels checks labels whose sign the attribute _Unsigned changes.
func TestUnsignedLabels(t *testing.T) {
	g := root(t)
	put(t, g, "x", zarr.Spec{Shape: []int{3}, DType: dtype.Int8, Dims: []string{"x"}, Attrs: map[string]any{"_Unsigned": "true"}}, []int8{1, 100, -56})
	v := variable(t, sel(t, open(t, g), dataset.Between("x", 150, nil)), "x")
	if got := values(t, v); fmt.Sprint(got) != "[200]" {
		t.Error(got)
	}
}
