package zarr

import (
	"context"
	"fmt"

	"github.com/zargo-io/zargo/internal/document"
	"github.com/zargo-io/zargo/internal/hierarchy"
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
	at, cfg, err := place(st, path, opts)
	if err != nil {
		return nil, err
	}
	found, err := at.Open(ctx, w)
	if err != nil {
		return nil, err
	}
	return made(found, cfg), nil
}

// place checks the path and the options of a function that takes both.
func place(st store.Store, path string, opts []Option) (*hierarchy.Node, config, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, cfg, err
	}
	path, err = meta.NormalizePath(path)
	if err != nil {
		return nil, cfg, fmt.Errorf("zarr: %w", err)
	}
	return &hierarchy.Node{Store: written.Around(st), Path: path, Cfg: cfg.Options}, cfg, nil
}
