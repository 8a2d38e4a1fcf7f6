package zarr

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenArray opens the array at path, "" being the store's root. Its format is found out in one
// round trip, or two if it is Zarr v1, which is read and not written. ErrNotFound when there is no
// array; ErrRefused when the store refuses all that could say so.
func OpenArray(ctx context.Context, st store.Store, path string, opts ...Option) (*Array, error) {
	n, err := openWith(ctx, st, path, opts, document.Array)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at path, "" being the store's root. Errors are as for OpenArray. With
// Format(2) its consolidated metadata is read at once, and says that this is a group; without
// [IgnoreConsolidated], a group that has none takes a second round trip.
func OpenGroup(ctx context.Context, st store.Store, path string, opts ...Option) (*Group, error) {
	n, err := openWith(ctx, st, path, opts, document.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// Open opens whatever is at path. Errors are as for OpenArray. Where v2 and v3 metadata are both
// there, v3 wins.
func Open(ctx context.Context, st store.Store, path string, opts ...Option) (Node, error) {
	return openWith(ctx, st, path, opts, document.Any)
}

func openWith(ctx context.Context, st store.Store, path string, opts []Option, w document.Kind) (Node, error) {
	n, err := newNode(st, path, opts)
	if err != nil {
		return nil, err
	}
	if found, err := openGiven(n.st, n.path, n.cfg, w); err != nil || found != nil {
		return found, err
	}
	return openStored(ctx, n.st, n.path, n.cfg, w)
}

// newNode checks what every function that takes a path and options is given.
func newNode(st store.Store, path string, opts []Option) (node, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return node{}, err
	}
	path, err = meta.NormalizePath(path)
	if err != nil {
		return node{}, fmt.Errorf("zarr: %w", err)
	}
	return node{st: written.Around(st), path: path, cfg: cfg}, nil
}

// openStored finds the node at a normalised path in the store.
func openStored(ctx context.Context, st *written.Store, path string, cfg config, w document.Kind) (Node, error) {
	n := node{st: st, path: path, cfg: cfg}
	if w == document.Group && cfg.format == 2 && !cfg.direct {
		found, err := n.openGroupV2(ctx)
		if err == nil {
			err = n.is(found, w)
		}
		if err != nil {
			return nil, n.errf(err)
		}
		return found, nil
	}
	docs, err := n.docs().Find(ctx, w)
	if err != nil {
		return nil, n.errf(err)
	}
	found, err := n.parse(docs)
	if err == nil && found == nil && cfg.format <= 1 && w != document.Group {
		if docs, err = n.docs().FindV1(ctx); err == nil {
			found, err = n.parse(docs)
		}
	}
	if err != nil {
		return nil, n.errf(err)
	}
	if err := n.is(found, w); err != nil {
		return nil, n.errf(err)
	}
	return found, nil
}
