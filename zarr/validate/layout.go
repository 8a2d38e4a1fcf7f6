package validate

import (
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

// layout determines which elements of an array each stored object, a chunk or a shard, contains.
type layout struct {
	a    *zarr.Array
	keys keys.Keys
}

func layoutOf(a *zarr.Array) layout {
	c, _ := node.ClaimIn(node.Of(a).Claimed()) // an unreadable claim is reported by claimIn
	return layout{a, keys.Of(a, c)}
}

// box returns the region of the array that is stored in the object at a position.
func (l layout) box(coord []int) walk.Box {
	return walk.Object(l.a, coord)
}
