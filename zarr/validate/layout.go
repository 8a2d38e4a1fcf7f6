package validate

import (
	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
)

// layout is how an array is cut into stored objects: chunks, or shards where there are shards.
type layout struct {
	a     *zarr.Array
	shape []int // of the array
	keys  chunkkeys.Keys
}

func layoutOf(a *zarr.Array) layout {
	c, _ := document.ClaimIn(hierarchy.SourceOf(a).Claimed()) // one that cannot be read is a finding, and stands for nothing here
	return layout{a, a.Shape(), chunkkeys.Of(a.Metadata(), a.GridShape(), c, a.ChunkAt)}
}

// box is what the object at a position holds of the array.
func (l layout) box(coord []int) box {
	b := make(box, len(coord))
	for i, c := range coord {
		start, length := l.a.Edge(i, c)
		b[i] = [2]int{start, start + min(length, l.shape[i]-start)}
	}
	return b
}
