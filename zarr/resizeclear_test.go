package zarr_test

import (
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestResizeClears resizes an array with Clear after a resize without it left elements outside the
// shape. Whether the second resize shrinks the array, keeps its shape, grows it or shrinks another
// axis, no element outside its shape remains in a chunk that is partly outside.
func TestResizeClears(t *testing.T) {
	tests := []struct {
		name  string
		shape []int
		want  []int8 // values of shape [4 4] after the shapes [2 2] and shape
	}{
		{"shrinks", []int{1, 1}, []int8{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"shrinks one axis", []int{1, 2}, []int8{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"keeps the shape", []int{2, 2}, []int8{1, 2, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"grows", []int{3, 2}, []int8{1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0, 0, 0, 0, 0, 0}},
		{"grows one axis and shrinks one", []int{3, 1}, []int8{1, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}},
	}
	for _, format := range []int{2, 3} {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				a := mustCreate(t, mem.New(), "x", zarr.Spec{Format: format, Shape: []int{4, 4}, Chunks: []int{4, 4}, DType: dtype.Int8})
				succeed(t, zarr.Write(t.Context(), a, []int8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
				for _, r := range []struct {
					shape []int
					clear bool
				}{{[]int{2, 2}, false}, {tt.shape, true}, {[]int{4, 4}, false}} {
					var err error
					if a, err = a.Resize(t.Context(), r.shape, zarr.ResizeOptions{Clear: r.clear}); err != nil {
						t.Fatal(err)
					}
				}
				if got, err := zarr.Read[int8](t.Context(), a); err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("v%d: %v, %v; want %v", format, got, err, tt.want)
				}
			})
		}
	}
}
