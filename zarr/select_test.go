package zarr_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// randomSelection returns a random selection of an axis, and the indexes that it selects.
func randomSelection(r *rand.Rand, n, chunk int) (zarr.Selection, []int) {
	every := func(lo, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		return list
	}
	lo := r.IntN(n + 1)
	hi := lo + r.IntN(n-lo+1)
	step := 1 + r.IntN(4)
	var list []int
	switch kind := r.IntN(8); {
	case kind == 1 && n > 0:
		i := r.IntN(n)
		return zarr.At(i), []int{i}
	case kind == 2:
		for i := lo; i < hi; i += step {
			list = append(list, i)
		}
		return zarr.Range(lo, hi).By(step), list
	case kind == 3:
		for i := hi - 1; i >= lo; i -= step {
			list = append(list, i)
		}
		return zarr.Range(lo, hi).By(-step), list
	case kind == 4 && n > 0:
		for range r.IntN(2 * n) {
			list = append(list, r.IntN(n))
		}
		return zarr.Index(list...), list
	case kind == 5:
		keep := make([]bool, n)
		for i := range keep {
			if keep[i] = r.IntN(2) == 0; keep[i] {
				list = append(list, i)
			}
		}
		return zarr.Mask(keep), list
	case kind == 6:
		count := (n + chunk - 1) / chunk
		lo := r.IntN(count + 1)
		hi := lo + r.IntN(count-lo+1)
		return zarr.Chunks(lo, hi), every(min(lo*chunk, n), min(hi*chunk, n))
	case kind == 7:
		return zarr.Range(lo, zarr.End), every(lo, n)
	}
	return zarr.All, every(0, n)
}

// each calls f for every element of a cross product, in C order, with its position in an array of
// the given shape.
func each(shape []int, lists [][]int, f func(at int)) {
	var walk func(d, at int)
	walk = func(d, at int) {
		if d == len(shape) {
			f(at)
			return
		}
		for _, i := range lists[d] {
			walk(d+1, at*shape[d]+i)
		}
	}
	walk(0, 0)
}

// randomPoints returns a random selection of all axes together, and the positions that it selects
// in an array of the given shape.
func randomPoints(r *rand.Rand, shape []int, total int) (zarr.Selection, []int) {
	var list []int
	if r.IntN(3) == 0 || len(shape) == 0 {
		mask := make([]bool, total)
		for i := range mask {
			if mask[i] = r.IntN(2) == 0; mask[i] {
				list = append(list, i)
			}
		}
		if len(shape) == 0 || shape[0] != total {
			return zarr.Mask(mask), list
		}
		coords := make([][]int, len(shape)) // not a mask, which would apply to axis 0
		for _, i := range list {
			for d := len(shape) - 1; d >= 0; d-- {
				coords[d] = append(coords[d], i%shape[d])
				i /= shape[d]
			}
		}
		return zarr.Points(coords...), list
	}
	coords := make([][]int, len(shape))
	if total > 0 {
		for range r.IntN(2*total + 1) {
			at := 0
			for d, n := range shape {
				i := r.IntN(n)
				coords[d] = append(coords[d], i)
				at = at*n + i
			}
			list = append(list, at)
		}
	}
	return zarr.Points(coords...), list
}

// TestNamedSelections checks that selections of named axes, in any order, select what they select
// by position, and that an array without axes has one element.
func TestNamedSelections(t *testing.T) {
	for _, spec := range []zarr.Spec{{Dims: []string{"a", "b", "c"}}, {Format: 2, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"a", "b", "c"}}}} {
		spec.Shape, spec.Chunks, spec.DType = []int{3, 4, 2}, []int{2, 3, 1}, dtype.Float32
		a := mustCreate(t, mem.New(), "x", spec)
		succeed(t, zarr.Write(t.Context(), a, count(24)))
		sel := []zarr.Selection{zarr.Index(2, 0), zarr.Range(0, 4).By(-3), zarr.At(1)}
		named := []zarr.Selection{zarr.Dim("c", sel[2]), zarr.Dim("a", sel[0]), zarr.Dim("b", sel[1])}
		succeed(t, zarr.Write(t.Context(), a, []float32{-1, -2, -3, -4}, named...))
		for _, s := range [][]zarr.Selection{sel, named, {sel[0], named[0], named[2]}} {
			if got, err := zarr.Read[float32](t.Context(), a, s...); err != nil || !slices.Equal(got, []float32{-1, -2, -3, -4}) {
				t.Errorf("%v: %v, %v", s, got, err)
			}
		}
		if got, err := zarr.Read[float32](t.Context(), a, zarr.At(2), zarr.Range(0, 4), zarr.At(1)); err != nil || got[3] != -1 || got[0] != -2 {
			t.Errorf("%v, %v", got, err)
		}
	}
	scalar := mustCreate(t, mem.New(), "x", zarr.Spec{Shape: []int{}, Chunks: []int{}, DType: dtype.Float32})
	succeed(t, zarr.Write(t.Context(), scalar, []float32{7}, zarr.Mask([]bool{true})))
	if got, err := zarr.Read[float32](t.Context(), scalar, zarr.Mask([]bool{true})); err != nil || len(got) != 1 || got[0] != 7 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSelectionsThatDoNotFit(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "a", zarr.Spec{Shape: []int{4, 6, 2}, Chunks: []int{2, 4, 2}, DType: dtype.Int8, Dims: []string{"y", "x", "x"}})
	tests := map[string][]zarr.Selection{
		"too many":              {zarr.All, zarr.All, zarr.All, zarr.All},
		"nil":                   {nil},
		"index below":           {zarr.Index(1, -1)},
		"index beyond":          {zarr.Index(3, 4)},
		"mask too short":        {zarr.Mask([]bool{true})},
		"blocks beyond":         {zarr.Chunks(0, 3)},
		"blocks backwards":      {zarr.Chunks(2, 1)},
		"step 0":                {zarr.Range(0, 4).By(0)},
		"range beyond":          {zarr.Range(0, 5)},
		"no such name":          {zarr.Dim("z", zarr.All)},
		"empty name":            {zarr.Dim("", zarr.All)},
		"name of two":           {zarr.Dim("x", zarr.All)},
		"twice":                 {zarr.At(0), zarr.Dim("y", zarr.At(1))},
		"named without any":     {zarr.Dim("y", nil)},
		"a name within another": {zarr.Dim("y", zarr.Dim("y", zarr.All))},
		"points of two axes":    {zarr.Points([]int{1}, []int{1})},
		"points of no axes":     {zarr.Points()},
		"points that differ":    {zarr.Points([]int{1, 2}, []int{1}, []int{1, 1})},
		"point below":           {zarr.Points([]int{1, 2}, []int{-1, 0}, []int{1, 1})},
		"point beyond":          {zarr.Points([]int{1, 2}, []int{1, 6}, []int{1, 1})},
		"points and more":       {zarr.Points([]int{1}, []int{1}, []int{1}), zarr.All},
		"more and points":       {zarr.All, zarr.Points([]int{1}, []int{1}, []int{1})},
		"points of a name":      {zarr.Dim("y", zarr.Points([]int{1}))},
		"mask of another size":  {zarr.Mask(make([]bool, 47))},
		"mask of a name":        {zarr.Dim("y", zarr.Mask(make([]bool, 48)))},
	}
	for name, sel := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := zarr.Read[int8](t.Context(), a, sel...); !errors.Is(err, zarr.ErrSelection) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestStepsDoNotOverflow checks that the largest steps leave the axis after one element.
func TestStepsDoNotOverflow(t *testing.T) {
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{5}, Chunks: []int{2}, DType: dtype.Int8})
	succeed(t, zarr.Write(t.Context(), a, []int8{0, 1, 2, 3, 4}))
	for step, want := range map[int]int8{zarr.End: 1, -zarr.End: 3, -zarr.End - 1: 3} {
		if got, err := zarr.Read[int8](t.Context(), a, zarr.Range(1, 4).By(step)); err != nil || !slices.Equal(got, []int8{want}) {
			t.Errorf("step %d: %v, %v", step, got, err)
		}
	}
}

func TestDims(t *testing.T) {
	st := mem.New()
	create := func(path string, spec zarr.Spec) *zarr.Array {
		t.Helper()
		spec.Shape, spec.DType = []int{2, 3}, dtype.Int8
		a := mustCreate(t, st, path, spec)
		return a
	}
	named := map[string]any{"_ARRAY_DIMENSIONS": []string{"y", "x"}}
	v2 := create("v2", zarr.Spec{Format: 2, Attrs: named})
	v3 := create("v3", zarr.Spec{Dims: []string{"lat", ""}, Attrs: named})
	bare := create("bare", zarr.Spec{})
	odd := create("odd", zarr.Spec{Format: 2, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []any{"y", 1}}})
	short := create("short", zarr.Spec{Format: 2, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"y"}}})
	labelled := func(a *zarr.Array, names ...string) *zarr.Array {
		t.Helper()
		a, err := a.WithDimNames(names...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, tt := range []struct {
		a    *zarr.Array
		want []string
	}{{v2, []string{"y", "x"}}, {v3, []string{"lat", ""}}, {bare, nil}, {odd, nil}, {short, nil},
		{labelled(bare, "a", "b"), []string{"a", "b"}}, {labelled(v3, "a", "b"), []string{"lat", ""}}} {
		if got := tt.a.Dims(); !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
			t.Errorf("%v: %q, want %q", tt.a, got, tt.want)
		}
	}
	if _, err := bare.WithDimNames("a"); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("one name for two dimensions: %v", err)
	}
}
