package bucketcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// clean aborts unfinished uploads. Then it deletes all keys below the place, both listed keys and
// keys that were put, and checks that these keys are gone.
func (b *bench) clean(ctx context.Context) *LeftError {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer stop()
	b.mu.Lock()
	b.free = true
	keys := maps.Clone(b.wrote)
	uploads := slices.Collect(maps.Keys(b.uploads))
	b.mu.Unlock()
	var failed error
	for _, p := range uploads {
		failed = errors.Join(failed, p.Abort(ctx))
	}
	found, _ := b.listing(ctx) // keys that are missing from the listing are in b.wrote
	for _, k := range found {
		keys[k] = true
	}
	all := slices.Sorted(maps.Keys(keys))
	err := store.DeleteAll(ctx, b.s, all)
	left, unknown := b.stored(ctx, all)
	if len(left) > 0 {
		err = b.oneByOne(ctx, left) // a batch may fail or stop at the first failure
		left, unknown = b.stored(ctx, all)
	}
	if err == nil {
		unknown = nil // without permission to list, gets cannot prove absence, but all deletes succeeded
	}
	if len(left) == 0 && unknown == nil && failed == nil {
		return nil
	}
	if len(left) == 0 {
		err = errors.Join(failed, unknown)
	}
	for i, k := range left {
		left[i] = b.o.Place + "/" + k
	}
	return &LeftError{b.o.Place, left, err}
}

// LeftError reports that objects could not be deleted.
type LeftError struct {
	Place string   // the prefix
	Keys  []string // keys relative to the store's root; empty if unknown
	Err   error    // the cause; may be nil
}

// Error returns the prefix or key, the number of keys and the cause.
func (e *LeftError) Error() string {
	text := fmt.Sprintf("%d objects below %q could not be deleted", len(e.Keys), e.Place)
	switch len(e.Keys) {
	case 0:
		text = fmt.Sprintf("something below %q may be left", e.Place)
	case 1:
		text = fmt.Sprintf("%q could not be deleted", e.Keys[0])
	}
	if e.Err != nil {
		return text + ": " + e.Err.Error()
	}
	return text + ", although the store says that it was done"
}

// Unwrap returns the cause.
func (e *LeftError) Unwrap() error { return e.Err }

// cleaning is the maximum time for the deletes at the end of Run, which continue even if the
// context of Run has ended. For example, a thousand deletes of one second each, 32 at a time, take
// about 30 seconds.
const cleaning = 2 * time.Minute

func (b *bench) listing(ctx context.Context) (keys []string, err error) {
	for e, err := range store.Pages(ctx, b.s, "", store.ListOptions{}) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// oneByOne deletes each key with a separate request, and returns the first error.
func (b *bench) oneByOne(ctx context.Context, keys []string) (first error) {
	for _, k := range keys {
		if err := b.s.Delete(ctx, k, store.DeleteOptions{}); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// maxGets is the maximum number of keys that the method stored requests after a successful listing.
const maxGets = 50

// stored returns the keys that still exist, by a listing and by a Get request for each of the first
// maxGets keys, because a listing may be incomplete. If the listing fails, stored sends a Get
// request for every key. If no key seems to exist, unknown is the error of a request that did not
// prove its key absent.
func (b *bench) stored(ctx context.Context, keys []string) (left []string, unknown error) {
	left, err := b.listing(ctx)
	if err == nil && len(keys) > maxGets {
		keys = keys[:maxGets]
	}
	for _, k := range keys {
		_, err := b.s.Get(ctx, k, store.GetOptions{Range: store.Within(0, 1)}, nil)
		switch {
		case err == nil, errors.Is(err, fault.Corrupt): // an empty value has no first byte
			if !slices.Contains(left, k) {
				left = append(left, k)
			}
		case errors.Is(err, fault.NotFound):
		case errors.Is(err, fault.Path): // the store does not accept the key, so it was not put
		default:
			unknown = err
		}
	}
	if len(left) > 0 {
		return left, nil
	}
	return nil, unknown
}
