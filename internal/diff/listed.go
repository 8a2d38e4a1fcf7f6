package diff

import (
	"context"
	"iter"
	"slices"

	"github.com/zargo-io/zargo/internal/listed"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	// listAbove is up to how many objects an array may have that is not listed. 8: a listing costs
	// as much as some reads.
	listAbove = 8
	// longAbove is up to how many elements such an array may have: a listing takes less time than
	// to make so many of the fill value.
	longAbove = 1 << 28
)

// known is an array, and where its stored objects are, if that is known.
type known struct {
	*zarr.Array
	store *listed.Store // nil: it is not listed
}

// listOf returns an array that asks for no chunk that its store does not have, by a listing; the
// array itself where it has few objects, is part of another one, or cannot be listed, or where the
// provider does not promise that listings are complete, so that one proves no absence.
func listOf(ctx context.Context, a *zarr.Array) (known, error) {
	l := listed.New(a.Store(), a.Path())
	n, elements := 1.0, 1.0
	for i, k := range a.GridShape() {
		n *= float64(k)
		elements *= float64(a.Shape()[i])
	}
	if n <= listAbove && elements <= longAbove || !l.Complete() {
		return known{Array: a}, nil
	}
	b, err := over(ctx, a, l)
	if b == nil {
		return known{Array: a}, err
	}
	l.Describe(a.Metadata().Keys, a.GridShape())
	return known{b, l}, l.Learn(ctx)
}

// over is an array over another store of its objects; nil where it cannot be opened again: it is
// part of another one.
func over(ctx context.Context, a *zarr.Array, st store.Store) (*zarr.Array, error) {
	docs, err := a.Documents()
	if err != nil {
		return nil, err
	}
	b, err := zarr.OpenArray(ctx, st, a.Path(), append(a.Options(), zarr.Documents(docs))...)
	if err != nil || !slices.Equal(a.Shape(), b.Shape()) || !dtype.Equal(a.DType(), b.DType()) {
		return nil, nil //nolint:nilerr // it is read as it is
	}
	return b, nil
}

// present yields the positions of objects that may be stored; not ok where any may be.
func (k known) present() (all iter.Seq[[]int], ok bool) {
	if k.store == nil {
		return nil, false
	}
	return k.store.Present()
}

const (
	// maxElements is how many elements are compared of arrays that are hardly stored. They take a
	// few seconds.
	maxElements = 200_000_000
	// maxObjects is how many objects such arrays may have: one request each.
	maxObjects = 200_000
	// leastStored is the part of their objects that larger arrays must have in the store: 1 of 100.
	leastStored = 100
)

// dense refuses, with fault.Limit, to compare two large arrays of which fewer than 1 in leastStored
// objects are stored. A store that cannot be listed is not asked.
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
		inside := func(coord []int) bool {
			for k, c := range coord {
				if c >= grid[k] {
					return false
				}
			}
			return true
		}
		n, err := listed.Count(ctx, a.Store(), a.Path(), a.Metadata().Keys, len(grid), inside, least-stored)
		if err != nil {
			return context.Cause(ctx) // it is compared
		}
		if stored += n; stored >= least {
			return nil
		}
	}
	return fault.Newf(fault.Limit, "only %.0f of %.0f objects are stored of the %.0f elements of both arrays: set Options.All, or --all, to compare fill values too", stored, objects, elements)
}
