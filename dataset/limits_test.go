package dataset_test

import (
	"fmt"
	"math"
	"strings"
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
	if got := values(t, variable(t, sel(t, open(t, g), dataset.Label("x", 2).Nearest()), "x")); got[0] != 5 {
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

// TestUint64Labels checks labels that float64 cannot represent, such as the identifiers of cells,
// and unsigned integers that are stored as signed ones, and the reverse.
func TestUint64Labels(t *testing.T) {
	g := root(t)
	arrays := map[string]*zarr.Array{
		"x": put(t, g, "x", zarr.Spec{Shape: []int{3}, DType: dtype.Uint64, Dims: []string{"x"}}, []uint64{7, 1<<60 + 1, math.MaxUint64}),
		"y": put(t, g, "y", zarr.Spec{Shape: []int{2}, DType: dtype.Int64, Dims: []string{"y"}, Attrs: map[string]any{"_Unsigned": "true"}}, []int64{1<<60 + 1, -1}),
		"z": put(t, g, "z", zarr.Spec{Shape: []int{2}, DType: dtype.Uint8, Dims: []string{"z"}, Attrs: map[string]any{"_Unsigned": "false"}}, []uint8{255, 0}),
		"u": put(t, g, "u", zarr.Spec{Shape: []int{2}, DType: dtype.Uint8, Dims: []string{"u"}}, []uint8{0, 255}),
	}
	for _, c := range []struct {
		dim  string
		q    dataset.Query
		want string // positions, or the text of the error
	}{
		{"x", dataset.Label("x", uint64(1<<60+1)), "[1]"},
		{"x", dataset.Text("x", "1152921504606846977"), "[1]"},
		{"x", dataset.Label("x", uint64(1<<60)), "no label 1152921504606846976"},
		{"x", dataset.Label("x", uint64(math.MaxUint64)), "[2]"},
		{"x", dataset.Label("x", 7.0), "[0]"},
		{"x", dataset.Label("x", -1), "no label -1"},
		{"x", dataset.Label("x", 1e30), "no label 1e+30"},
		{"x", dataset.Label("x", 1.5), "no label 1.5"},
		{"x", dataset.Label("x", int64(1<<60)).Nearest(), "[1]"},
		{"x", dataset.Between("x", 8, uint64(math.MaxUint64)), "[1 2]"},
		{"x", dataset.Label("x", 367).Wrap(360), "[0]"},
		{"y", dataset.Label("y", uint64(math.MaxUint64)), "[1]"},
		{"y", dataset.Label("y", int64(1<<60)), "no label"},
		{"z", dataset.Label("z", -1), "[0]"},
		{"z", dataset.Between("z", -5, -1), "[0]"},
		{"u", dataset.Between("u", -5, 255), "[0 1]"},
		{"u", dataset.Label("u", -7).Nearest(), "[0]"},
	} {
		x, err := dataset.OpenIndex(t.Context(), arrays[c.dim], dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at, _, err := x.Positions(c.q)
		if got := fmt.Sprint(at); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s: %v selects %s, %v, want %s", c.dim, c.q, got, err, c.want)
		}
	}
}

// TestNamelessLengths checks arrays without dimension names whose lengths differ.
func TestNamelessLengths(t *testing.T) {
	g := root(t)
	put(t, g, "a", zarr.Spec{Shape: []int{2, 3}, DType: dtype.Int8}, make([]int8, 6))
	put(t, g, "b", zarr.Spec{Shape: []int{2, 4}, DType: dtype.Int8}, make([]int8, 8))
	put(t, g, "c", zarr.Spec{Shape: []int{4, 4}, DType: dtype.Int8}, make([]int8, 16))
	put(t, g, "d", zarr.Spec{Shape: []int{5, 4}, DType: dtype.Int8}, make([]int8, 20))
	d := open(t, g)
	for name, want := range map[string]string{"a": "[{dim_0 2} {dim_1 3}]", "b": "[{dim_0 2} {dim_1_4 4}]", "c": "[{dim_0_4 4} {dim_1_4 4}]", "d": "[{dim_0_5 5} {dim_1_4 4}]"} {
		if got := fmt.Sprint(variable(t, d, name).Dims()); got != want {
			t.Errorf("%s has the dimensions %s, want %s", name, got, want)
		}
	}
	put(t, g, "named", zarr.Spec{Shape: []int{9}, DType: dtype.Int8, Dims: []string{"dim_0"}}, make([]int8, 9))
	d = open(t, g)
	if got := fmt.Sprint(variable(t, d, "named").Dims()); got != "[{dim_0 9}]" {
		t.Error(got)
	}
}
