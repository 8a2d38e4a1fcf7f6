package diff

import (
	"context"
	"slices"

	"github.com/zargo-io/zargo/internal/listed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

const (
	// listAbove is up to how many objects an array may have that is not listed. 8: a listing costs as much as some reads.
	listAbove = 8
	// maxListed is how many it may have at most: more are never read.
	maxListed = 1 << 53
)

// listOf returns an array that asks for no chunk that its store does not have, by a listing; the array itself where it has few objects, is part of another one, or
// cannot be listed, or where the provider does not promise that listings are complete, so that one proves no absence.
func listOf(ctx context.Context, a *zarr.Array) (*zarr.Array, error) {
	l := listed.New(a.Store(), a.Path())
	n := 1.0
	for _, k := range a.GridShape() {
		n *= float64(k)
	}
	if n <= listAbove || n > maxListed || !l.Complete() {
		return a, nil
	}
	docs, err := a.Documents()
	if err != nil {
		return nil, err
	}
	b, err := zarr.OpenArray(ctx, l, a.Path(), append(a.Options(), zarr.Documents(docs))...)
	if err != nil || !slices.Equal(a.Shape(), b.Shape()) || !dtype.Equal(a.DType(), b.DType()) {
		return a, nil //nolint:nilerr // it is read as it is
	}
	l.Describe(a.Metadata().Keys, a.GridShape())
	return b, l.Learn(ctx)
}
