package validate

import (
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
)

// layout determines which elements of an array each stored object, a chunk or a shard, contains.
type layout struct {
	a     *zarr.Array
	shape []int // shape of the array
	keys  keys.Keys
}

func layoutOf(a *zarr.Array) layout {
	c, _ := node.ClaimIn(node.SourceOf(a).Claimed()) // an unreadable claim is reported by claimIn
	return layout{a, a.Shape(), keys.Of(a.Metadata(), a.GridShape(), c, a.ChunkAt)}
}

// box returns the region of the array that is stored in the object at a position.
func (l layout) box(coord []int) box {
	b := make(box, len(coord))
	for i, c := range coord {
		start, length := l.a.Edge(i, c)
		b[i] = [2]int{start, start + min(length, l.shape[i]-start)}
	}
	return b
}
