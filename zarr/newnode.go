package zarr

import "github.com/zargo-io/zargo/internal/node/hierarchy"

// newNode returns the Array or Group of an opened node.
func newNode(at *hierarchy.Node, cfg config) Node {
	if at.Array() == nil {
		return &Group{nodeOf(at, cfg)}
	}
	return makeArray(nodeOf(at, cfg), at.Keyed, at.Pipe, &shared{}, nil)
}
