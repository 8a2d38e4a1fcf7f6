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

// cleaning bounds how long deleting at the end may take, which goes on when the context of Run has
// ended: a thousand keys one by one, of a second each, by 32 at once, three times over.
const cleaning = 2 * time.Minute

// LeftError says that not everything could be deleted.
type LeftError struct {
	Place string   // the prefix
	Keys  []string // from the store's root; none where it is not known which
	Err   error    // why, where there was an error
}

// Error says where, how many, and why.
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

// Unwrap gives the cause.
func (e *LeftError) Unwrap() error { return e.Err }

// clean deletes everything below the place: what is listed there, and what was put, whether it is
// listed or not. Then it looks.
func (b *bench) clean(ctx context.Context) *LeftError {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer stop()
	b.mu.Lock()
	b.free = true
	keys := maps.Clone(b.wrote)
	under := slices.Collect(maps.Keys(b.under))
	b.mu.Unlock()
	var failed error
	for _, p := range under {
		failed = errors.Join(failed, p.Abort(ctx))
	}
	found, _ := b.listing(ctx) // what it hides was put
	for _, k := range found {
		keys[k] = true
	}
	all := slices.Sorted(maps.Keys(keys))
	err := store.DeleteAll(ctx, b.s, all)
	left, unknown := b.remains(ctx, all)
	if len(left) > 0 {
		err = b.oneByOne(ctx, left) // where batches fail, or stop at the first failure
		left, unknown = b.remains(ctx, all)
	}
	if err == nil {
		unknown = nil // without the permission to list absence is refused too, and every delete was a success
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

func (b *bench) listing(ctx context.Context) (keys []string, err error) {
	for e, err := range store.Pages(ctx, b.s, "", store.ListOptions{}) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, e.Key)
	}
	return keys, nil
}

// oneByOne deletes what it can, and gives the first error.
func (b *bench) oneByOne(ctx context.Context, keys []string) (first error) {
	for _, k := range keys {
		if err := b.s.Delete(ctx, k, store.DeleteOptions{}); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// asked is how many keys are asked for at the end where listings show none of them.
const asked = 50

// remains gives the keys that are still there: those of the listing, and those of the first that
// answer, so that neither a listing that hides nor one that is refused passes for an empty place.
// unknown is why it cannot be known.
func (b *bench) remains(ctx context.Context, keys []string) (left []string, unknown error) {
	left, err := b.listing(ctx)
	if err == nil && len(keys) > asked {
		keys = keys[:asked]
	}
	for _, k := range keys {
		_, err := b.s.Get(ctx, k, store.GetOptions{Range: store.Within(0, 1)}, nil)
		switch {
		case err == nil, errors.Is(err, fault.Corrupt): // an empty value has no first byte
			if !slices.Contains(left, k) {
				left = append(left, k)
			}
		case errors.Is(err, fault.NotFound):
		case errors.Is(err, fault.Path): // no store took it
		default:
			unknown = err
		}
	}
	if len(left) > 0 {
		return left, nil
	}
	return nil, unknown
}
