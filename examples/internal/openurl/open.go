package openurl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// Open opens s3://, gs://, azblob:// and file:// URLs; what has no scheme is a directory's path.
func Open(ctx context.Context, url string) (store.Store, error) {
	scheme, path, isURL := strings.Cut(url, "://")
	switch {
	case !isURL:
		return dir.New(url), nil
	case scheme == "file":
		return dir.New(path), nil
	case scheme == "s3":
		return s3.Open(ctx, url)
	case scheme == "gs":
		return gcs.Open(ctx, url)
	case scheme == "azblob":
		return azure.Open(ctx, url)
	}
	return nil, fmt.Errorf("%w: scheme %q; s3, gs, azblob, file or a path is wanted", errors.ErrUnsupported, scheme)
}
