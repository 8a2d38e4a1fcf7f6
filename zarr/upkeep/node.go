package upkeep

import (
	"strings"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
	"github.com/zargo-io/zargo/zarr"
)

// source returns the documents of a node, and the access to the store that they were read with.
func source(n zarr.Node) *document.Source { return hierarchy.SourceOf(n) }

// options returns the options that a node was opened with.
func options(n zarr.Node) []zarr.Option {
	if a, ok := n.(*zarr.Array); ok {
		return a.Options()
	}
	return n.(*zarr.Group).Options()
}

// errorf adds the store and the node's path to an error.
func errorf(at *document.Node, err error) error { return document.Errorf(at.Store, at.Path, err) }

// below returns the path of a node relative to a group above it.
func below(group, path string) string {
	return strings.TrimPrefix(path[len(group):], "/")
}
