package zarr

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// OpenArray opens the array at path, where "" is the store's root. It detects the format in one
// round trip, or in three for Zarr v1, which is read-only.
//
// OpenArray returns ErrNotFound if no array is stored at path. It returns ErrRefused if it found no
// metadata and the store refused access to some of the documents that it tried.
func OpenArray(ctx context.Context, st store.Store, path string, opts ...Option) (*Array, error) {
	n, err := openWith(ctx, st, path, opts, node.Array)
	if err != nil {
		return nil, err
	}
	return n.(*Array), nil
}

// OpenGroup opens the group at path, where "" is the store's root. Errors are as for [OpenArray].
//
// With Format(2) and without [IgnoreConsolidated], OpenGroup also reads the group's consolidated
// metadata, at the same time.
func OpenGroup(ctx context.Context, st store.Store, path string, opts ...Option) (*Group, error) {
	n, err := openWith(ctx, st, path, opts, node.Group)
	if err != nil {
		return nil, err
	}
	return n.(*Group), nil
}

// Open opens the array or group at path. Errors are as for [OpenArray]. If both v2 and v3 metadata
// exist, Open uses v3.
func Open(ctx context.Context, st store.Store, path string, opts ...Option) (Node, error) {
	return openWith(ctx, st, path, opts, node.Any)
}

func openWith(ctx context.Context, st store.Store, path string, opts []Option, w node.Kind) (Node, error) {
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	found, err := at.Open(ctx, w)
	if err != nil {
		return nil, err
	}
	return newNode(found, cfg), nil
}

// place checks the path and the options. It returns the node at path, which is not opened yet.
func place(st store.Store, path string, opts []Option) (*node.Node, config, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, cfg, err
	}
	path, err = meta.NormalizePath(path)
	if err != nil {
		return nil, cfg, fmt.Errorf("zarr: %w", err)
	}
	return &node.Node{Store: written.Around(st), Path: path, Cfg: cfg.Options.Options}, cfg, nil
}
