package upkeep

import (
	"context"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// storedArray returns an array as its own documents describe it.
func storedArray(ctx context.Context, a *zarr.Array) (*zarr.Array, error) {
	n, err := a.Stored(ctx)
	if err != nil {
		return nil, err
	}
	stored, ok := n.(*zarr.Array)
	if !ok {
		return nil, node.Of(a).Errorf(fault.Newf(fault.Conflict, "the array was replaced by a group"))
	}
	return stored, nil
}

// options returns the options that a node was opened with.
func options(n zarr.Node) []zarr.Option {
	if a, ok := n.(*zarr.Array); ok {
		return a.Options()
	}
	return n.(*zarr.Group).Options()
}
