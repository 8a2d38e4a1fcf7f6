package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestObjects checks that the objects of a grid are those that overlap the whole array and, one by
// one, their own parts of it.
func TestObjects(t *testing.T) {
	for _, spec := range []zarr.Spec{
		{Shape: []int{7, 5}, Chunks: []int{3, 2}},
		{Shape: []int{7, 5}, Chunks: []int{1, 2}, Shards: []int{4, 4}},
		{Shape: []int{7, 5}, ChunkEdges: [][]int{{1, 2, 4}, {5}}},
		{Shape: []int{0, 5}, Chunks: []int{3, 2}},
		{},
	} {
		spec.DType = dtype.Int8
		a, err := zarr.Create(t.Context(), mem.New(), "", spec)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for r := range a.ObjectRegions() {
			want = append(want, fmt.Sprint(r))
		}
		whole := walk.Box{At: make([]int, len(spec.Shape)), Shape: spec.Shape}
		for coord := range walk.Overlapping(a, whole).Positions() {
			b := walk.Object(a, coord)
			got = append(got, fmt.Sprint(zarr.Region{Coord: coord, Start: b.At, Shape: b.Shape}))
			if one := walk.Overlapping(a, b); !slices.Equal(one.At, coord) || one.Len() != 1 {
				t.Errorf("%v: object %v overlaps %v", a, coord, one)
			}
		}
		if b := walk.Covered(a, walk.Overlapping(a, whole)); b.Len() != whole.Len() {
			t.Errorf("%v: the objects cover %v", a, b)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", a, got, want)
		}
	}
}
