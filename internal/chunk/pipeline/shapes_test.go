package pipeline

import (
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestShapesAreBounded checks that a document with more than maxShapes shapes takes no more memory
// than maxShapes shapes do.
func TestShapesAreBounded(t *testing.T) {
	runs := make([]grid.Run, 3*maxShapes)
	n := 0
	for i := range runs {
		runs[i] = grid.Run{Edge: i + 1, Count: 1}
		n += i + 1
	}
	p, err := New(codec.Builtin(), []codec.Spec{codec.Bytes(dtype.Little)}, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, []grid.Axis{grid.Uneven(n, runs)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, r := range runs {
		c, err := p.For([]int{r.Edge})
		if err != nil || c.Bytes != r.Edge || c.Chain.In().Shape[0] != r.Edge {
			t.Fatalf("%v, %v", c, err)
		}
		if again, err := p.For([]int{r.Edge}); err != nil || again != c {
			t.Fatalf("%d is bound twice, %v", r.Edge, err)
		}
		most = max(most, len(p.byShape))
	}
	if most != maxShapes {
		t.Errorf("%d shapes were kept, want %d", most, maxShapes)
	}
}
