package diff

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// listAbove is up to how many objects an array may have that is not listed. 8: a listing costs as much as some reads.
	listAbove = 8
	// maxListed is how many it may have at most: chunkkeys.Set keeps no positions after that.
	maxListed = 1 << 53
)

// listed is a store that was listed below an array: it is not asked for chunks that were not there.
type listed struct {
	store.Store
	path    string
	keys    meta.KeyEncoding
	grid    []int
	present *chunkkeys.Set // not changed any more
}

// listOf returns an array that asks for no chunk that its store does not have, by a listing; the array itself where it has few objects, is part of another one, or
// cannot be listed, or where the provider does not promise that listings are complete, so that one proves no absence.
func listOf(ctx context.Context, a *zarr.Array) (*zarr.Array, error) {
	l := &listed{Store: a.Store(), path: a.Path(), keys: a.Metadata().Keys, grid: a.GridShape()}
	if n := product(l.grid); n <= listAbove || n > maxListed || !store.ListingsOf(l.Store).Complete {
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
	l.present = chunkkeys.NewSet(l.grid)
	for e, err := range store.ListAll(ctx, l.Store, l.path, store.ListOptions{}) {
		switch {
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
			return a, nil
		case err != nil:
			return nil, err
		}
		if coord, ok := l.position(e.Key); ok {
			l.present.Add(coord)
		}
	}
	return b, nil
}

// product is the number of positions of a grid; one more than maxListed where there are more.
func product(grid []int) int64 {
	n := int64(1)
	for _, k := range grid {
		if k == 0 {
			return 0
		}
		if int64(k) > maxListed/n {
			return maxListed + 1
		}
		n *= int64(k)
	}
	return n
}

// position is that of a chunk of the grid by its key.
func (l *listed) position(key string) ([]int, bool) {
	coord, ok := l.keys.Parse(strings.TrimPrefix(strings.TrimPrefix(key, l.path), "/"), len(l.grid))
	for i, c := range coord {
		ok = ok && c < l.grid[i]
	}
	return coord, ok
}

// Get implements [store.Store].
func (l *listed) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if coord, ok := l.position(key); ok && !l.present.Has(coord) {
		return store.Value{}, &fault.KeyError{Op: "get", Store: l.String(), Key: key, Kind: fault.NotFound}
	}
	return l.Store.Get(ctx, key, o, buf)
}

// Unwrap returns the store below.
func (l *listed) Unwrap() store.Store { return l.Store }

// String returns the name of the store below.
func (l *listed) String() string { return store.Name(l.Store) }
