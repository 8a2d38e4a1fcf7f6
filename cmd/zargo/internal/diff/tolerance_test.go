package diff_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
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
	if v := two(e, f, &diff.Tolerance{Abs: 1}); v != nil {
		t.Errorf("%+v", v)
	}
	if v := two(e, f, &diff.Tolerance{Abs: 0.9}); v == nil || v.Different != 1 || *v.Largest != 1 {
		t.Errorf("%+v", v)
	}
}

// isClose reports whether diff finds two one-element arrays equal within a tolerance.
func isClose[T any](t *testing.T, typ dtype.Type, a, b T, o diff.Tolerance) bool {
	t.Helper()
	x, y := array(t, zarr.Spec{Format: formatOf(typ), Shape: []int{1}, DType: typ}), array(t, zarr.Spec{Format: formatOf(typ), Shape: []int{1}, DType: typ})
	put(t, x, a)
	put(t, y, b)
	return run(t, x, y, diff.Options{SkipMetadata: true, Tolerance: &o}).Equal()
}

// TestToleranceOfNumbers checks integers at the ends of their types, times, complex numbers, small
// floats and structures. numpy.isclose has the same results where it is exact.
func TestToleranceOfNumbers(t *testing.T) {
	abs := func(n float64) diff.Tolerance { return diff.Tolerance{Abs: n} }
	type pair struct {
		N int32
		T [2]float32
		B bool
	}
	typ, err := dtype.Of[pair]()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]bool{
		"int64 ends":   !isClose[int64](t, dtype.Int64, math.MinInt64, math.MaxInt64, abs(1e19)),
		"int64 wide":   isClose[int64](t, dtype.Int64, math.MinInt64, math.MaxInt64, abs(1e20)),
		"int64 by 1":   !isClose[int64](t, dtype.Int64, 1<<53, 1<<53+1, abs(0.5)) && isClose[int64](t, dtype.Int64, 1<<53, 1<<53+1, abs(1)),
		"uint64":       isClose[uint64](t, dtype.Uint64, math.MaxUint64, math.MaxUint64-2, abs(2)) && !isClose[uint64](t, dtype.Uint64, math.MaxUint64, math.MaxUint64-3, abs(2)),
		"int8":         isClose[int8](t, dtype.Int8, -1, 1, abs(2)) && !isClose[int8](t, dtype.Int8, -1, 2, abs(2)),
		"relative":     isClose[int16](t, dtype.Int16, -99, -100, diff.Tolerance{Rel: 0.01}),
		"complex64":    isClose[complex64](t, dtype.Complex64, 1+1i, 1+4i, abs(3)) && !isClose[complex64](t, dtype.Complex64, 1+1i, 4+5i, abs(4.9)),
		"struct":       isClose(t, typ, pair{1, [2]float32{1, 2}, true}, pair{2, [2]float32{1, 2.5}, true}, abs(1)),
		"struct text":  !isClose(t, typ, pair{1, [2]float32{1, 2}, true}, pair{1, [2]float32{1, 2}, false}, abs(1)),
		"struct field": !isClose(t, typ, pair{1, [2]float32{1, 2}, true}, pair{3, [2]float32{1, 2}, true}, abs(1)),
	} {
		if !got {
			t.Error(name)
		}
	}
	x := array(t, zarr.Spec{Shape: []int{1}, DType: dtype.Bool})
	if _, err := diff.Run(t.Context(), x, x, diff.Options{Tolerance: &diff.Tolerance{Abs: 1}}); !errors.Is(err, fault.Selection) {
		t.Errorf("a tolerance of bool: %v", err)
	}
}

// formatOf returns 2 for structures, because v3 has no array fields.
func formatOf(typ dtype.Type) int {
	if _, ok := typ.(*dtype.Struct); ok {
		return 2
	}
	return 3
}
