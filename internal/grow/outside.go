package grow

import (
	"context"
	"errors"
	"iter"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxNamed is the maximum number of keys that are deleted without a listing, although some of the
// objects may not exist. For stores that delete in batches the maximum is 100 times as high. If
// there are more keys, the objects are listed first, because an array may store only few of its
// objects. maxNamed is also the number of keys between calls of the guard.
const maxNamed = 1000

// maxUnlisted is the maximum number of keys that are deleted without a listing if the store cannot
// be listed. 10^7 keys are 10^4 batches.
const maxUnlisted = 10_000_000

// deleteOutside deletes the objects of an array that are within the array's own shape but wholly
// outside the given shape. It deletes in batches if the store supports them. It calls the guard
// before every 1000 keys.
//
// The keys of these objects are known from the grid, so a small number of objects is deleted
// without a listing. deleteOutside does not find chunks beyond the grid or under keys of another
// layout; see upkeep.FindOrphans.
func deleteOutside(ctx context.Context, of *array.Array, shape []int) error {
	a := of.Engine
	ctx, s, _ := account.Begin(ctx, a.Store, account.Options{Report: of.Cfg.Report}) // MaxRequests does not limit these deletes, only reads and writes of chunks
	named := a.Layout.Outside(shape)
	most := maxNamed
	if store.InBatches(s) {
		most *= 100
	}
	if a.Layout.CountOutside(shape) <= most {
		return store.DeleteSeq(ctx, s, guardedKeys(ctx, a, named))
	}
	err := store.DeleteSeq(ctx, s, guardedKeys(ctx, a, listOutside(ctx, of, s, shape)))
	if (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fault.Refused)) && a.Layout.CountOutside(shape) <= maxUnlisted {
		err = store.DeleteSeq(ctx, s, guardedKeys(ctx, a, named)) // the credentials may permit deletes but not listings
	}
	return err
}

// guardedKeys yields keys, and calls the guard of the array before every 1000 keys.
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
func listOutside(ctx context.Context, a *array.Array, s store.Store, shape []int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range store.ListAll(ctx, s, a.At.Path, store.ListOptions{}) {
			if err != nil {
				yield("", err)
				return
			}
			coord, ok := a.Position(node.Below(a.At.Path, e.Key))
			if !ok || !a.Engine.Layout.IsOutside(coord, shape) {
				continue
			}
			if !yield(e.Key, nil) {
				return
			}
		}
	}
}
