package zarr_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPointsRequestEachChunkOnce reads points that alternate between chunks, of arrays with and
// without shards.
func TestPointsRequestEachChunkOnce(t *testing.T) {
	var tr transcript
	st := store.Observe(mem.New(), tr.Record)
	for name, spec := range map[string]zarr.Spec{
		"chunks": {Shape: []int{8, 8}, Chunks: []int{4, 4}, DType: dtype.Int16},
		"shards": {Shape: []int{8, 8}, Chunks: []int{2, 2}, Shards: []int{4, 4}, DType: dtype.Int16},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustCreate(t, st, name, spec)
			src := make([]int16, 64)
			for i := range src {
				src[i] = int16(100 + i)
			}
			succeed(t, zarr.Write(t.Context(), a, src))
			tr.Lines = nil
			got, err := zarr.Read[int16](t.Context(), a, zarr.Points([]int{7, 0, 6, 3, 7}, []int{1, 0, 0, 3, 1}))
			if want := []int16{157, 100, 148, 127, 157}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %v, want %v", got, err, want)
			}
			slices.Sort(tr.Lines)
			if want := []string{"get " + name + "/c/0/0", "get " + name + "/c/1/0"}; !slices.Equal(tr.Lines, want) {
				t.Errorf("%q, want %q", tr.Lines, want)
			}
			limited, err := a.With(zarr.Limit(zarr.Limits{Requests: 1}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.Read[int16](t.Context(), limited, zarr.Points([]int{7, 0}, []int{1, 0})); !errors.Is(err, zarr.ErrLimit) {
				t.Error(err)
			}
			if _, err := zarr.Read[int16](t.Context(), limited, zarr.Points([]int{1, 0}, []int{1, 0})); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPointsOfWholeChunksAreNotRead writes, point by point and backwards, a whole chunk at the
// edge, another chunk except for its last element, and one element twice.
func TestPointsOfWholeChunksAreNotRead(t *testing.T) {
	var tr transcript
	st := store.Observe(mem.New(), tr.Record)
	for name, spec := range map[string]zarr.Spec{
		"chunks":  {Shape: []int{6, 5}, Chunks: []int{4, 4}, DType: dtype.Int16},
		"shards":  {Shape: []int{6, 5}, Chunks: []int{2, 2}, Shards: []int{4, 4}, DType: dtype.Int16},
		"strings": {Shape: []int{6, 5}, Chunks: []int{4, 4}, DType: dtype.String},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustCreate(t, st, name, spec)
			var y, x, src []int
			for i := 5; i >= 0; i-- {
				for j := 4; j >= 0; j-- {
					if i >= 4 && j < 4 || i < 4 && j < 4 && (i != 3 || j != 3) {
						y, x, src = append(y, i), append(x, j), append(src, 100+5*i+j)
					}
				}
			}
			y, x, src = append(y, 5), append(x, 0), append(src, 7)
			tr.Lines = nil
			var err error
			if spec.DType == dtype.String {
				texts := make([]string, len(src))
				for i, n := range src {
					texts[i] = fmt.Sprint(n)
				}
				err = zarr.Write(t.Context(), a, texts, zarr.Points(y, x))
			} else {
				short := make([]int16, len(src))
				for i, n := range src {
					short[i] = int16(n)
				}
				err = zarr.Write(t.Context(), a, short, zarr.Points(y, x))
			}
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(tr.Lines)
			if want := []string{"get " + name + "/c/0/0 absent", "put " + name + "/c/0/0", "put " + name + "/c/1/0"}; !slices.Equal(tr.Lines, want) {
				t.Errorf("%q, want %q", tr.Lines, want)
			}
			want := make([]string, 30)
			for k := range want {
				want[k] = map[bool]string{false: "0", true: ""}[spec.DType == dtype.String]
			}
			for k := range src {
				want[y[k]*5+x[k]] = fmt.Sprint(src[k])
			}
			var got []string
			if spec.DType == dtype.String {
				got, err = zarr.Read[string](t.Context(), a)
			} else {
				var short []int16
				short, err = zarr.Read[int16](t.Context(), a)
				for _, n := range short {
					got = append(got, fmt.Sprint(n))
				}
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		})
	}
}

// TestPointsOfStrings writes and reads single texts, some of them twice.
func TestPointsOfStrings(t *testing.T) {
	st := mem.New()
	r := rand.New(rand.NewPCG(7, 8))
	for name, shards := range map[string][]int{"chunks": nil, "shards": {4, 6}} {
		a := mustCreate(t, st, name, zarr.Spec{Shape: []int{7, 9}, Chunks: []int{2, 3}, Shards: shards, DType: dtype.String, Fill: "-"})
		want := slices.Repeat([]string{"-"}, 63)
		for k := range 20 {
			var y, x []int
			var src, part []string
			for i := range 15 {
				y, x = append(y, r.IntN(7)), append(x, r.IntN(9))
				src = append(src, fmt.Sprint("é", k, ".", i))
				want[y[i]*9+x[i]] = src[i]
			}
			for i := range y {
				part = append(part, want[y[i]*9+x[i]])
			}
			succeed(t, zarr.Write(t.Context(), a, src, zarr.Points(y, x)))
			if got, err := zarr.Read[string](t.Context(), a, zarr.Points(y, x)); err != nil || !slices.Equal(got, part) {
				t.Fatalf("%s: %q, %v, want %q", name, got, err, part)
			}
			if got, err := zarr.Read[string](t.Context(), a); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

// TestPointsAreKept checks that later changes to the caller's lists do not affect the selection.
func TestPointsAreKept(t *testing.T) {
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{3}, DType: dtype.Int8})
	succeed(t, zarr.Write(t.Context(), a, []int8{5, 6, 7}))
	list, mask := []int{2, 0}, []bool{true, false, true}
	points, where := zarr.Points(list), zarr.Mask(mask)
	list[0], mask[1] = 1, true
	if got, err := zarr.Read[int8](t.Context(), a, points); err != nil || !slices.Equal(got, []int8{7, 5}) {
		t.Error(got, err)
	}
	if got, err := zarr.Read[int8](t.Context(), a, where); err != nil || !slices.Equal(got, []int8{5, 7}) {
		t.Error(got, err)
	}
	shape, err := a.Selected(points)
	if err != nil || !slices.Equal(shape, []int{2}) {
		t.Error(shape, err)
	}
	if got := fmt.Sprint(points, " ", zarr.Points(make([]int, 10), nil)); got != "Points([2 0]) Points([0 0 0 0 0 0 0 0] and 2 more)([])" {
		t.Error(got)
	}
}

// TestMaskOfTheArray checks that the only mask of a call applies to axis 0 if it has the length of
// that axis, and otherwise to the whole array. With other selections it applies to its axis.
func TestMaskOfTheArray(t *testing.T) {
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{2, 3}, DType: dtype.Int8})
	succeed(t, zarr.Write(t.Context(), a, []int8{0, 1, 2, 3, 4, 5}))
	column := mustCreate(t, mem.New(), "c", zarr.Spec{Shape: []int{3, 1}, DType: dtype.Int8})
	for _, tt := range []struct {
		name  string
		a     *zarr.Array
		sel   []zarr.Selection
		shape []int // nil if the selection is refused
		want  []int8
	}{
		{"axis 0", a, []zarr.Selection{zarr.Mask([]bool{false, true})}, []int{1, 3}, []int8{3, 4, 5}},
		{"the array", a, []zarr.Selection{zarr.Mask([]bool{true, false, false, false, true, true})}, []int{3}, []int8{0, 4, 5}},
		{"both", column, []zarr.Selection{zarr.Mask([]bool{true, false, true})}, []int{2, 1}, []int8{0, 0}},
		{"neither", a, []zarr.Selection{zarr.Mask(make([]bool, 3))}, nil, nil},
		{"the array and an axis", a, []zarr.Selection{zarr.Mask(make([]bool, 6)), zarr.All}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shape, err := tt.a.Selected(tt.sel...)
			if tt.shape == nil {
				if !errors.Is(err, zarr.ErrSelection) {
					t.Error(shape, err)
				}
				return
			}
			got, readErr := zarr.Read[int8](t.Context(), tt.a, tt.sel...)
			if err != nil || readErr != nil || !slices.Equal(shape, tt.shape) || !slices.Equal(got, tt.want) {
				t.Error(shape, got, err, readErr)
			}
		})
	}
}
