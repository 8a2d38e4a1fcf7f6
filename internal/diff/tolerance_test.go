package diff_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestIsClose compares pairs of numbers as numpy.isclose does (testdata/isclose.py).
func TestIsClose(t *testing.T) {
	b, err := os.ReadFile("testdata/isclose.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][5]any
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	number := func(v any) float64 {
		f, err := strconv.ParseFloat(v.(string), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	type pairs struct {
		a, b []float64
		far  int64
	}
	by := map[diff.Tolerance]*pairs{}
	for _, c := range cases {
		k := diff.Tolerance{Rel: c[2].(float64), Abs: c[3].(float64)}
		if by[k] == nil {
			by[k] = &pairs{}
		}
		p := by[k]
		p.a, p.b = append(p.a, number(c[0])), append(p.b, number(c[1]))
		if !c[4].(bool) {
			p.far++
		}
		a := array(t, zarr.Spec{Shape: []int{1}, DType: dtype.Float64})
		b := array(t, zarr.Spec{Shape: []int{1}, DType: dtype.Float64})
		put(t, a, number(c[0]))
		put(t, b, number(c[1]))
		if r := run(t, a, b, diff.Options{SkipMetadata: true, Tolerance: &k}); r.Equal() != c[4].(bool) {
			t.Errorf("%v: %v", c, r.Equal())
		}
	}
	for k, p := range by {
		a := array(t, zarr.Spec{Shape: []int{len(p.a)}, Chunks: []int{7}, DType: dtype.Float64})
		b := array(t, zarr.Spec{Shape: []int{len(p.b)}, Chunks: []int{11}, DType: dtype.Float64})
		put(t, a, p.a...)
		put(t, b, p.b...)
		r := run(t, a, b, diff.Options{SkipMetadata: true, Tolerance: &k, Memory: 500})
		if got := r.Nodes[0].Values; got.Different != p.far {
			t.Errorf("%+v: %d differ, want %d", k, got.Different, p.far)
		}
	}
}

// TestLargest checks the largest difference, and which data types have a tolerance.
func TestLargest(t *testing.T) {
	two := func(a, b zarr.Node, tol *diff.Tolerance) *diff.Values {
		t.Helper()
		r := run(t, a, b, diff.Options{SkipMetadata: true, Tolerance: tol})
		if r.Equal() {
			return nil
		}
		return r.Nodes[0].Values
	}
	spec := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32}
	a, b := array(t, spec), array(t, spec)
	nan := float32(math.NaN())
	put[float32](t, a, 1, 2, nan, 100)
	put[float32](t, b, 1.5, 2, 7, 100.25)
	v := two(a, b, &diff.Tolerance{Abs: 0.3})
	if v == nil || v.Different != 2 || v.Largest == nil || *v.Largest != 0.5 || len(v.First) != 2 {
		t.Errorf("%+v", v)
	}
	if v := two(a, b, nil); v == nil || v.Different != 3 || v.Largest != nil {
		t.Errorf("%+v", v)
	}
	spec.DType = dtype.Float16
	c, d := array(t, spec), array(t, spec)
	put(t, c, dtype.F16From(1), dtype.F16From(2), 0, 0)
	put(t, d, dtype.F16From(1.001), dtype.F16From(2), 0, 0x8000)
	if v := two(c, d, &diff.Tolerance{Rel: 0.01}); v != nil {
		t.Errorf("%+v", v)
	}
	spec.DType = dtype.Int32
	e, f := array(t, spec), array(t, spec)
	put(t, e, int32(1), 2, 3, 4)
	put(t, f, int32(1), 2, 3, 5)
	if v := two(e, f, &diff.Tolerance{Abs: 10}); v == nil || v.Different != 1 || v.Largest != nil {
		t.Errorf("%+v", v)
	}
}
