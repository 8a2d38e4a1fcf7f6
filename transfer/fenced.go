package transfer

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// fenced is the target's store as tasks write to it. In a target that was empty when it was claimed
// an object is put on condition that it is absent, or on condition that it is still the one that an
// earlier attempt at the task put. So a request that arrives late, after the copy was complete,
// does not replace what others have written since then.
//
// It cannot protect what is absent: a late put may store an object where others have deleted one.
type fenced struct {
	store.Store
	w       *Worker
	noCond  atomic.Bool // the store puts by no condition
	anyCopy atomic.Bool // it copies, and by no condition
}

// held is the claim by which objects are put. conditions says whether they are put by conditions.
func (f *fenced) held() (c *claim, conditions bool, err error) {
	c = f.w.known()
	if c == nil {
		return nil, false, removed()
	}
	return c, c.Empty && !f.noCond.Load(), nil
}

// maxSame is how long a value is that is read to see whether it is the one that would be put. 1
// MiB: a longer one is put again, which takes no memory.
const maxSame = 1 << 20

// at returns the condition that a key still has the value that it has now. done: that is the value
// which is to be put, if there is one, or the transfer is published, and so the value is a right
// one.
//
// fault.Conflict: the transfer was removed, and the value may be another one's.
func (f *fenced) at(ctx context.Context, c *claim, key string, value []byte) (o store.PutOptions, done bool, err error) {
	if len(value) > maxSame {
		value = nil
	}
	v, err := f.Get(ctx, key, store.GetOptions{Max: int64(max(len(value), 1))}, nil)
	var long *store.TooLong
	switch {
	case errors.Is(err, fault.NotFound):
		return store.PutOptions{IfAbsent: true}, false, nil
	case errors.As(err, &long):
		o.IfVersion = long.Version
	case err != nil:
		return o, false, err
	case len(value) > 0 && bytes.Equal(v.Bytes, value): // of an earlier attempt
		return store.PutOptions{IfVersion: v.Version}, true, nil
	default:
		o.IfVersion = v.Version
	}
	done, err = f.published(ctx, c) // after the version was read: what is put later has another one
	return o, done, err
}

// published reports whether the transfer is published, so that every object has its right value. A
// request on condition of a version is sent after it, and the version was read before.
// fault.Conflict: the transfer was removed.
func (f *fenced) published(ctx context.Context, c *claim) (bool, error) {
	now, err := f.w.same(ctx, c)
	return err == nil && now.State != copying, err
}

// maxRuns bounds how often an object is looked at again. Each time another run of the same task
// changed it.
const maxRuns = 100

// put calls stored with the condition that the key is absent, and with that of the present value
// while runs of the same task elsewhere store the object in between.
func (f *fenced) put(ctx context.Context, c *claim, key string, value []byte, stored func(store.PutOptions) (store.Version, error)) (store.Version, error) {
	at := store.PutOptions{IfAbsent: true}
	for try := 1; ; try++ {
		v, err := stored(at)
		if !lost(err) || try == maxRuns {
			return v, err
		}
		var done bool
		if at, done, err = f.at(ctx, c, key, value); done || err != nil {
			return at.IfVersion, err
		}
	}
}

// lost reports whether the condition of a request did not hold.
func lost(err error) bool { return errors.Is(err, fault.Exists) || errors.Is(err, fault.Conflict) }

// Put implements [store.Store].
func (f *fenced) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	c, conditions, err := f.held()
	if err != nil {
		return "", err
	}
	if conditions && o.IfVersion != "" {
		if done, err := f.published(ctx, c); done || err != nil {
			return o.IfVersion, err
		}
	}
	if !conditions || o != (store.PutOptions{}) {
		return f.Store.Put(ctx, key, value, o)
	}
	v, err := f.put(ctx, c, key, value, func(at store.PutOptions) (store.Version, error) {
		return f.Store.Put(ctx, key, value, at)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		f.noCond.Store(true)
		return f.Store.Put(ctx, key, value, o)
	}
	return v, err
}

// Delete deletes by the same condition. What is absent needs no delete.
func (f *fenced) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	c, conditions, err := f.held()
	if err != nil {
		return err
	}
	if conditions && o.IfVersion != "" {
		if done, err := f.published(ctx, c); done || err != nil {
			return err
		}
	}
	if !conditions || o.IfVersion != "" {
		return f.Store.Delete(ctx, key, o)
	}
	for try := 1; ; try++ {
		at, done, err := f.at(ctx, c, key, nil)
		if err != nil || done || at.IfAbsent {
			return err
		}
		err = f.Store.Delete(ctx, key, store.DeleteOptions{IfVersion: at.IfVersion, AsPut: o.AsPut})
		if errors.Is(err, errors.ErrUnsupported) {
			return f.Store.Delete(ctx, key, o)
		}
		if !lost(err) || try == maxRuns {
			return err
		}
	}
}

// Copy copies by the same conditions, where the store does.
func (f *fenced) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	c, conditions, err := f.held()
	if err != nil {
		return "", err
	}
	if !conditions || f.anyCopy.Load() || o != (store.CopyOptions{}) {
		return store.Copy(ctx, f.Store, from, to, o)
	}
	v, err := f.put(ctx, c, to, nil, func(at store.PutOptions) (store.Version, error) {
		return store.Copy(ctx, f.Store, from, to, store.CopyOptions{IfAbsent: at.IfAbsent, IfVersion: at.IfVersion})
	})
	if errors.Is(err, errors.ErrUnsupported) {
		if v, err = store.Copy(ctx, f.Store, from, to, o); !errors.Is(err, errors.ErrUnsupported) {
			f.anyCopy.Store(true)
		}
	}
	return v, err
}

// PutParts begins a value whose Commit has the same conditions.
func (f *fenced) PutParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	p, err := store.PutParts(ctx, f.Store, key, o)
	if err != nil {
		return nil, err
	}
	return &fencedParts{p, f, key}, nil
}

type fencedParts struct {
	store.Parts
	f   *fenced
	key string
}

// Commit implements [store.Parts]. The key is looked at before, as not every store commits after a
// condition did not hold.
func (p *fencedParts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	c, conditions, err := p.f.held()
	if err != nil {
		return "", err
	}
	if conditions && o.IfVersion != "" {
		if done, err := p.f.published(ctx, c); err != nil {
			return "", err
		} else if done {
			return o.IfVersion, p.Abort(ctx)
		}
	}
	if !conditions || o != (store.PutOptions{}) {
		return p.Parts.Commit(ctx, o)
	}
	at, done, err := p.f.at(ctx, c, p.key, nil)
	if err != nil {
		return "", err
	}
	if done {
		return at.IfVersion, p.Abort(ctx)
	}
	v, err := p.Parts.Commit(ctx, at)
	if lost(err) { // while the claim is held, by a run of the same task, which stores the same bytes
		now, done, seenErr := p.f.at(ctx, c, p.key, nil)
		if seenErr == nil && (done || !now.IfAbsent && now.IfVersion != at.IfVersion) {
			_ = p.Abort(ctx) // the parts of a value that failed are removed, if the store has any left
			return now.IfVersion, nil
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		p.f.noCond.Store(true)
		return p.Parts.Commit(ctx, o)
	}
	return v, err
}

// ListPage goes to the store below.
func (f *fenced) ListPage(ctx context.Context, prefix string, opts store.ListOptions, token string) ([]store.Entry, string, error) {
	if l, ok := f.Store.(store.PageLister); ok {
		return l.ListPage(ctx, prefix, opts, token)
	}
	return nil, "", errors.ErrUnsupported
}

// DeleteAll is not done at once: each delete has its condition.
func (f *fenced) DeleteAll(context.Context, []string) error { return errors.ErrUnsupported }

// Unwrap returns the store below.
func (f *fenced) Unwrap() store.Store { return f.Store }

// String returns the name of the store below.
func (f *fenced) String() string { return store.Name(f.Store) }
