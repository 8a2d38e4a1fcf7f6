package openurl

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

// archive is the store of a zip archive. Its Close also closes the store that contains the archive.
type archive struct {
	store.Store
	outer store.Store
}

// Close closes the archive and its store.
func (a *archive) Close() error { return errors.Join(a.Store.Close(), a.outer.Close()) }

// String returns the URL of the archive.
func (a *archive) String() string { return store.Name(a.Store) }

// Provide tells whether requests to the store of the archive are counted.
func (a *archive) Provide(target any) bool {
	_, ok := target.(*account.Report)
	return ok && store.As(a.outer, target)
}

// Unwrap returns the store of the archive.
func (a *archive) Unwrap() store.Store { return a.Store }

// openArchive opens the zip archive of l. The directory after "zip:" becomes the root.
func (m Mux) openArchive(ctx context.Context, l Location) (store.Store, error) {
	inner := strings.Trim(strings.TrimPrefix(l.Inside[0], "zip:"), "/")
	l.Inside = nil
	key := l.Path[strings.LastIndexAny(l.Path, "/"+string(filepath.Separator))+1:]
	folder, _ := l.Parent()
	outer, err := m.opener(l)(ctx, folder)
	if err != nil {
		return nil, err
	}
	st, err := zip.Open(ctx, outer, key, zip.Inner(inner))
	if err != nil {
		return nil, errors.Join(err, outer.Close())
	}
	return &archive{st, outer}, nil
}
