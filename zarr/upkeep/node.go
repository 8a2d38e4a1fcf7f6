package upkeep

import (
	"context"
	"strings"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// source returns the documents of a node, and the access to the store that they were read with.
func source(n zarr.Node) *node.Source { return node.SourceOf(n) }

// storedArray returns an array as its own documents describe it.
func storedArray(ctx context.Context, a *zarr.Array) (*zarr.Array, error) {
	n, err := a.Stored(ctx)
	if err != nil {
		return nil, err
	}
	stored, ok := n.(*zarr.Array)
	if !ok {
		return nil, errorf(source(a).At, fault.Newf(fault.Conflict, "the array was replaced by a group"))
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

// errorf adds the store and the node's path to an error.
func errorf(at *node.Node, err error) error { return at.Errorf(err) }

// below returns the path of a node relative to a group above it.
func below(group, path string) string {
	return strings.TrimPrefix(path[len(group):], "/")
}
