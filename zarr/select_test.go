package zarr_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
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

// TestSelectionsAgainstOracle reads and writes random selections of random arrays, which are passed
// in any order, and compares the results with those of moving one element at a time.
func TestSelectionsAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	stores := map[string]store.Store{"mem": mem.New(), "dir": dir.New(t.TempDir())}
	for trial := range 400 {
		rank := r.IntN(4)
		spec := zarr.Spec{Format: 2 + r.IntN(2), DType: dtype.Int32, Fill: -7, Order: []string{"C", "F"}[r.IntN(2)],
			Separator: []string{"/", "."}[r.IntN(2)], Codecs: []codec.Spec{codec.Zstd(1)}}
		total := 1
		var names []string
		for d := range rank {
			n := r.IntN(10)
			spec.Shape, spec.Chunks = append(spec.Shape, n), append(spec.Chunks, 1+r.IntN(n+2))
			names = append(names, fmt.Sprintf("axis%d", d))
			total *= n
		}
		if spec.Format == 3 {
			spec.Dims = names
			if rank > 0 && r.IntN(3) == 0 {
				for _, c := range spec.Chunks {
					spec.Shards = append(spec.Shards, c*(1+r.IntN(3)))
				}
			}
		} else if rank > 0 {
			spec.Attrs = map[string]any{"_ARRAY_DIMENSIONS": names}
		}
		if spec.Shape == nil {
			spec.Shape, spec.Chunks = []int{}, []int{}
		}
		kind := "mem"
		if trial%10 == 0 {
			kind = "dir"
		}
		path := fmt.Sprintf("a%d", trial)
		if _, err := zarr.Create(t.Context(), stores[kind], path, spec); err != nil {
			t.Fatal(err)
		}
		a, err := zarr.OpenArray(t.Context(), stores[kind], path)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]int32, total)
		for i := range values {
			values[i] = -7
		}
		for range 6 {
			var sel []zarr.Selection
			var places []int // positions of the selected elements in the array
			lists := make([][]int, rank)
			for d := range rank {
				var s zarr.Selection
				s, lists[d] = randomSelection(r, spec.Shape[d], spec.Chunks[d])
				sel = append(sel, s)
			}
			each(spec.Shape, lists, func(at int) { places = append(places, at) })
			if r.IntN(3) == 0 {
				var s zarr.Selection
				s, places = randomPoints(r, spec.Shape, total)
				sel = []zarr.Selection{s}
			} else if rank > 0 && r.IntN(3) == 0 {
				for d := range sel {
					sel[d] = zarr.Dim(names[d], sel[d])
				}
				r.Shuffle(rank, func(i, j int) { sel[i], sel[j] = sel[j], sel[i] })
			}
			about := fmt.Sprintf("trial %d: v%d %v in %v: %v", trial, spec.Format, spec.Shape, spec.Chunks, sel)
			src := make([]int32, len(places))
			for i := range src {
				src[i] = r.Int32()
			}
			if err := zarr.Write(t.Context(), a, src, sel...); err != nil {
				t.Fatalf("%s: %v", about, err)
			}
			for i, at := range places {
				values[at] = src[i]
			}
			want := make([]int32, len(places))
			for i, at := range places {
				want[i] = values[at]
			}
			got, err := zarr.Read[int32](t.Context(), a, sel...)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %v, got %v, want %v", about, err, got, want)
			}
			all, err := zarr.Read[int32](t.Context(), a)
			if err != nil || !slices.Equal(all, values) {
				t.Fatalf("%s: the array is then %v, want %v; %v", about, all, values, err)
			}
		}
	}
}

func TestSelectionsThatDoNotFit(t *testing.T) {
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{4, 6, 2}, Chunks: []int{2, 4, 2}, DType: dtype.Int8, Dims: []string{"y", "x", "x"}})
	if err != nil {
		t.Fatal(err)
	}
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
	a, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{5}, Chunks: []int{2}, DType: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, []int8{0, 1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
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
		a, err := zarr.Create(t.Context(), st, path, spec)
		if err != nil {
			t.Fatal(err)
		}
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
