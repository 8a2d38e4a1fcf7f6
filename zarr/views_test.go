package zarr

import (
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestViewsAreBounded: a document with more shapes than are worth keeping costs no more memory than those.
func TestViewsAreBounded(t *testing.T) {
	edges := make([]int, 3*maxViews)
	n := 0
	for i := range edges {
		edges[i] = i + 1
		n += i + 1
	}
	a, err := Create(t.Context(), mem.New(), "", Spec{Shape: []int{n}, ChunkEdges: [][]int{edges}, DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, e := range edges {
		v, err := a.of([]int{e})
		if err != nil || v.chunk != e || v.chain.In().Shape[0] != e {
			t.Fatalf("%v, %v", v, err)
		}
		if again, err := a.of([]int{e}); err != nil || again != v {
			t.Fatalf("%d is bound twice, %v", e, err)
		}
		most = max(most, len(a.views.byShape))
	}
	if most != maxViews {
		t.Errorf("%d shapes were kept, want %d", most, maxViews)
	}
}
