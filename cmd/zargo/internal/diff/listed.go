package diff

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/cmd/zargo/internal/census"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/copying/listed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// An array is not listed if it has at most listAbove objects and longAbove elements, because a
	// listing takes as long as a few reads.
	listAbove = 8
	// longAbove is 2^28. Filling so many elements takes longer than a listing.
	longAbove = 1 << 28
	// probeAbove is 2^24. Filling so many texts takes a second.
	probeAbove = 1 << 24
)

// known is an array. If the array was listed, known also has its objects.
type known struct {
	*zarr.Array
	store  *listed.Store // nil if the array is not listed
	probed *keys.Set     // positions of the stored objects, if each was requested; nil otherwise
}

// listOf lists the objects of a. It returns the array over a store that sends no requests for
// absent objects. It returns a without a listing if a has few objects or is part of another array,
// or if the store does not promise complete listings. If a has few objects that are very long, it
// asks for each of them.
func listOf(ctx context.Context, a *zarr.Array) (known, error) {
	l := listed.New(a.Store(), a.Path())
	n, elements := 1.0, 1.0
	for i, k := range a.GridShape() {
		n *= float64(k)
		elements *= float64(a.Shape()[i])
	}
	if n <= listAbove && elements <= longAbove || !l.Proves() {
		if n <= listAbove && elements > probeAbove {
			return probe(ctx, a)
		}
		return known{Array: a}, nil
	}
	b, err := over(ctx, a, l)
	if b == nil {
		return known{Array: a}, err
	}
	l.Describe(a.Metadata().Keys, a.GridShape())
	return known{Array: b, store: l}, l.Learn(ctx)
}

// probe requests the first byte of each object of a, unless a is part of another array.
func probe(ctx context.Context, a *zarr.Array) (known, error) {
	if whole, err := over(ctx, a, a.Store()); whole == nil {
		return known{Array: a}, err
	}
	k := known{Array: a, probed: keys.NewSet(a.GridShape())}
	for coord := range k.probed.Absent() {
		_, err := a.Store().Get(ctx, a.ChunkKey(coord...), store.GetOptions{Range: store.Within(0, 1)}, nil)
		switch {
		case ctx.Err() != nil:
			return known{}, context.Cause(ctx)
		case !errors.Is(err, fault.NotFound): // the comparison reports other errors
			k.probed.Add(coord)
		}
	}
	return k, nil
}

// over opens a again, with its documents, over another store. It returns nil if the result differs
// from a, because a is part of another array.
func over(ctx context.Context, a *zarr.Array, st store.Store) (*zarr.Array, error) {
	docs, err := a.Documents()
	if err != nil {
		return nil, err
	}
	b, err := zarr.OpenArray(ctx, st, a.Path(), append(a.Options(), zarr.Documents(docs))...)
	if err != nil || !slices.Equal(a.Shape(), b.Shape()) || !dtype.Equal(a.DType(), b.DType()) {
		return nil, nil //nolint:nilerr // the caller reads a itself
	}
	return b, nil
}

// present yields the grid positions of the stored objects. ok is false if they are not known.
func (k known) present() (all iter.Seq[[]int], ok bool) {
	if k.probed != nil {
		return k.probed.All(), true
	}
	if k.store == nil {
		return nil, false
	}
	return k.store.Present()
}

const (
	// maxElements is the maximum number of elements of sparse arrays. Comparing 200 million
	// elements takes a few seconds.
	maxElements = 200_000_000
	// maxObjects is the maximum number of objects of two sparse arrays together. Each object takes
	// one request.
	maxObjects = 200_000
	// Arrays are sparse if fewer than 1 in leastStored objects are stored.
	leastStored = 100
)

// dense returns fault.Limit if two arrays are sparse and exceed maxElements or maxObjects together.
// It counts the stored objects by listings, until the result is known. If the store cannot be
// listed, dense returns nil.
func dense(ctx context.Context, of [2]known) error {
	objects, elements := 0.0, 1.0
	for i, a := range of {
		n := 1.0
		for k, count := range a.GridShape() {
			n *= float64(count)
			if i == 0 {
				elements *= float64(a.Shape()[k])
			}
		}
		objects += n
	}
	if elements <= maxElements && objects <= maxObjects {
		return nil
	}
	stored, least := 0.0, objects/leastStored
	for _, a := range of {
		grid := a.GridShape()
		n, err := census.Stored(ctx, a.Array, make([]int, len(grid)), grid, least-stored)
		if err != nil {
			return context.Cause(ctx) // nil unless ctx has ended
		}
		if stored += n; stored >= least {
			return nil
		}
	}
	return fault.Newf(fault.Limit, "only %.0f of %.0f objects of both arrays are stored, with %.0f elements: set Options.All, or --all, to compare fill values too", stored, objects, elements)
}
