package copyspec

import (
	"context"

	"github.com/zargo-io/zargo/internal/attributes/derived"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

// Derive changes the attributes of created nodes in st that describe the positions or the extent of
// the selected elements. Derive sets the Attrs of nodes. It returns the attributes that it dropped.
func Derive(ctx context.Context, st store.Store, nodes []derived.Node, opts ...zarr.Option) ([]derived.Dropped, error) {
	made := map[string]zarr.Node{}
	for i, n := range nodes {
		node, err := zarr.Open(ctx, st, n.Path, opts...)
		if err != nil {
			return nil, err
		}
		made[n.Path], nodes[i].Attrs = node, node.Attrs()
	}
	attrs, dropped := derived.Attributes(nodes)
	for path, now := range attrs {
		var err error
		switch n := made[path].(type) {
		case *zarr.Array:
			_, err = n.SetAttrs(ctx, now)
		case *zarr.Group:
			_, err = n.SetAttrs(ctx, now)
		}
		if err != nil {
			return nil, err
		}
	}
	return dropped, nil
}
