package zarr_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRegions checks that the regions of chunks, and those of objects, cover every element once and
// agree with the grid.
func TestRegions(t *testing.T) {
	specs := []zarr.Spec{
		{Shape: []int{}},
		{Shape: []int{0, 3}, Chunks: []int{2, 2}},
		{Shape: []int{7, 5}, Chunks: []int{2, 3}},
		{Shape: []int{9, 5}, Chunks: []int{2, 1}, Shards: []int{4, 3}},
		{Shape: []int{9, 5}, ChunkEdges: [][]int{{2, 5, 4}, {3}}},
	}
	for _, spec := range specs {
		t.Run(fmt.Sprint(spec.Shape, spec.Chunks, spec.Shards, spec.ChunkEdges), func(t *testing.T) {
			spec.DType = dtype.Int32
			a := create(t, mem.New(), spec)
			for name, all := range map[string]func(func(zarr.Region) bool){"chunks": a.ChunkRegions(), "objects": a.ObjectRegions()} {
				seen := make([]int32, a.Len())
				shape := a.Shape()
				for r := range all {
					if got, err := a.Selected(r.Select()...); err != nil || !slices.Equal(got, r.Shape) {
						t.Fatalf("%s: %+v selects %v, %v", name, r, got, err)
					}
					for i := range seen {
						at, inside := position(shape, i), true
						for k := range at {
							inside = inside && at[k] >= r.Start[k] && at[k] < r.Start[k]+r.Shape[k]
						}
						if inside {
							seen[i]++
						}
					}
					if name == "objects" {
						for k, c := range r.Coord {
							if start, length := a.Edge(k, c); start != r.Start[k] || r.Shape[k] > length {
								t.Errorf("%+v: the grid has %d, %d", r, start, length)
							}
						}
					}
				}
				if i := slices.IndexFunc(seen, func(n int32) bool { return n != 1 }); i >= 0 {
					t.Errorf("%s: element %v is in %d regions", name, position(shape, i), seen[i])
				}
			}
		})
	}
}

func ExampleArray_ObjectRegions() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "a", zarr.Spec{Shape: []int{5, 4}, Chunks: []int{1, 2}, Shards: []int{4, 4}, DType: dtype.Float32})
	if err != nil {
		panic(err)
	}
	for r := range a.ObjectRegions() {
		fmt.Println(r.Coord, r.Start, r.Shape, a.ChunkKey(r.Coord...))
	}
	// Output:
	// [0 0] [0 0] [4 4] a/c/0/0
	// [1 0] [4 0] [1 4] a/c/1/0
}
