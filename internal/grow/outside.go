package grow

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxNamed is how many keys are deleted by their names, whether the objects exist or not. The guard
// is called before each so many. More keys are listed first, as an array may store little of its
// grid: where the store deletes in batches, 100 times as many.
const maxNamed = 1000

// maxUnlisted is how many keys are deleted by their names where the store does not list: 10^7, which
// is 10^4 batches.
const maxUnlisted = 10_000_000

// deleteOutside deletes the objects of an array that are wholly outside a shape within it, in
// batches where the store takes them. It calls the guard before each 1000. parse returns the
// position of the object at a key below the array's path.
//
// All of these are keys of a known grid, so few of them are deleted by their names, without a
// listing. Only a listing finds chunks beyond every grid, or under keys of another layout: see
// FindOrphans of package upkeep.
func deleteOutside(ctx context.Context, a *engine.Array, shape []int, parse func(key string) (coord []int, ok bool)) error {
	ctx, s, _ := account.Begin(ctx, a.Store, account.Options{Report: a.Options.Account.Report}) // MaxRequests is of chunks that are read or written
	named := a.Layout.Outside(shape)
	most := maxNamed
	if store.InBatches(s) {
		most *= 100
	}
	if a.Layout.CountOutside(shape) <= most {
		return store.DeleteSeq(ctx, s, guardedKeys(ctx, a, named))
	}
	err := store.DeleteSeq(ctx, s, guardedKeys(ctx, a, listOutside(ctx, a, s, shape, parse)))
	if (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused)) && a.Layout.CountOutside(shape) <= maxUnlisted {
		err = store.DeleteSeq(ctx, s, guardedKeys(ctx, a, named)) // who may delete need not be allowed to list
	}
	return err
}

// ForgetOutside makes the cache forget the objects that are not wholly inside a shape, of an array
// that reached as far as another shape. Few objects are forgotten by their keys. Of more, it
// searches the entries of the array.
func ForgetOutside(a *engine.Array, shape, far []int, parse func(key string) (coord []int, ok bool)) {
	shape = slices.Clone(shape)
	for i, axis := range a.Layout.Axes {
		if shape[i] == 0 {
			continue
		}
		if start, n := axis.Chunk(axis.Count(shape[i]) - 1); shape[i] < start+n {
			shape[i] = start
		}
	}
	b := a.Layout
	if b.Shape = far; a.Layout.Pipe.Even() && b.CountOutside(shape) <= maxNamed {
		for key, err := range b.Outside(shape) {
			if err == nil { // names have no errors
				a.Options.Cache.Forget(key)
			}
		}
		return
	}
	prefix := a.Path
	if prefix != "" {
		prefix += "/"
	}
	a.Options.Cache.ForgetEach(func(key string) bool {
		below, own := strings.CutPrefix(key, prefix)
		coord, ok := parse(below)
		return own && ok && a.Layout.IsOutside(coord, shape)
	})
}

// guardedKeys calls the guard of the array before each 1000 keys.
func guardedKeys(ctx context.Context, a *engine.Array, keys iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		n := 0
		for key, err := range keys {
			if err == nil && a.Options.Guard != nil && n%maxNamed == 0 {
				err = a.Options.Guard(ctx)
			}
			if n++; !yield(key, err) || err != nil {
				return
			}
		}
	}
}

// listOutside lists the keys of objects at positions outside a shape.
func listOutside(ctx context.Context, a *engine.Array, s store.Store, shape []int, parse func(string) ([]int, bool)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, a.Path, store.ListOptions{}) {
			if err != nil {
				yield("", err)
				return
			}
			coord, ok := parse(strings.TrimPrefix(strings.TrimPrefix(e.Key, a.Path), "/"))
			if !ok || !a.Layout.IsOutside(coord, shape) {
				continue
			}
			if !yield(e.Key, nil) {
				return
			}
		}
	}
}
