package zarr

import "github.com/zargo-io/zargo/internal/hierarchy"

// made returns the array or the group that was found.
func made(at *hierarchy.Node, cfg config) Node {
	if at.Array() == nil {
		return &Group{nodeOf(at, cfg)}
	}
	return makeArray(nodeOf(at, cfg), at.Keyed, at.Pipe, &shared{}, nil)
}
