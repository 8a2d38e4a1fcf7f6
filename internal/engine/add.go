package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// add writes a whole object where there is none. What an array that once was longer left there, or
// a writer that gave up, is replaced on condition that it is what was looked at, once the guard has
// said that this process may; an object that is all fill value takes the place of what is there
// only.
func (r *Call) add(ctx context.Context, o *plan.Object) error {
	key, err := r.lock(ctx, o.Key)
	if err != nil {
		return err
	}
	defer key.Unlock()
	if r.streams(o, false) {
		if err := r.addStreamed(ctx, o); !errors.Is(err, errNoParts) {
			return err
		}
	}
	hold, err := r.reserve(ctx, concurrency.Task, r.encoding(o))
	if err != nil {
		return err
	}
	defer hold.Release()
	b, empty, err := r.encode(ctx, hold, o, nil)
	if err != nil {
		return err
	}
	expected := store.Version("") // what is there: nothing
	if empty {
		if expected, err = r.look(ctx, o.Key); err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		switch {
		case expected == "" && empty:
			return nil
		case expected == "":
			err = r.put(ctx, o, b, store.PutOptions{IfAbsent: true})
		case empty:
			err = r.delete(ctx, o, store.DeleteOptions{IfVersion: expected})
		default:
			err = r.put(ctx, o, b, store.PutOptions{IfVersion: expected})
		}
		if !isLost(err) || try == maxConflicts {
			return err
		}
		r.account.Conflict()
		if expected, err = r.look(ctx, o.Key); err != nil {
			return err
		}
	}
}

// addStreamed is add for a shard that is streamed. It is looked first, as that is little beside
// such a shard, and the shard is made again after each conflict: of parts whose condition failed it
// is not known whether they are still there.
func (r *Call) addStreamed(ctx context.Context, o *plan.Object) error {
	for try := 1; ; try++ {
		expected, err := r.version(ctx, o.Key)
		if err != nil {
			return err
		}
		lost, err := r.replaceStreamed(ctx, o, store.PutOptions{IfAbsent: expected == "", IfVersion: expected})
		if !lost || try == maxConflicts {
			return err
		}
		r.account.Conflict()
	}
}

// look gives the version of what is there, before the guard is asked; "" where there is nothing.
func (r *Call) look(ctx context.Context, key string) (store.Version, error) {
	v, err := r.version(ctx, key)
	if err == nil {
		err = r.guarded(ctx)
	}
	return v, err
}

// version reads the first byte of an object for its version.
func (r *Call) version(ctx context.Context, key string) (store.Version, error) {
	for _, o := range []store.GetOptions{{Range: store.Within(0, 1)}, {Max: 1}} {
		v, err := r.store.Get(ctx, key, o, nil)
		switch {
		case errors.Is(err, fault.NotFound):
			return "", nil
		case errors.Is(err, fault.Corrupt): // it is empty
		case err != nil:
			return "", err
		case v.Version == "":
			return "", store.NoVersions(r.Store, refused)
		default:
			return v.Version, nil
		}
	}
	return "", fault.Newf(fault.Conflict, "%q is empty, and was not", key)
}
