package claimed

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Fenced returns the target's store for the writes of tasks.
func (h *Holder) Fenced() store.Store { return &fenced{Forward: store.Forward{Store: h.Store}, h: h} }

// fenced is the target's store for the writes of tasks. If the target was empty when it was
// claimed, fenced puts an object only if it is absent, or if it has the version that an earlier
// attempt of the task put. A request that arrives after the copy was complete therefore does not
// replace values that other writers have stored since.
//
// fenced does not protect absent objects: a late put may store an object that another writer has
// deleted.
type fenced struct {
	store.Forward
	h       *Holder
	noCond  atomic.Bool // the store lacks conditional puts
	anyCopy atomic.Bool // the store copies, but without conditions
}

// held returns the current claim, and whether objects are put with conditions. own is the version
// in the caller's condition, or "". done reports that the caller need not send its request, because
// all tasks were done. held returns fault.Conflict if the transfer was removed.
func (f *fenced) held(ctx context.Context, own store.Version) (c *Claim, conditions, done bool, err error) {
	if c = f.h.Known(); c == nil {
		return nil, false, false, ErrRemoved
	}
	if conditions = c.Empty && !f.noCond.Load(); conditions && own != "" {
		done, err = f.published(ctx, c)
	}
	return c, conditions, done, err
}

// maxSame is the maximum length of a stored value that is read and compared with the value to put.
// A value longer than 1 MiB is put again without a comparison, to save memory.
const maxSame = 1 << 20

// at returns a condition for a put of key: the object has its current version, or is still absent.
// done reports that no request is needed: either the current value equals value and value is not
// empty, or the transfer is published, so the current value is correct. at returns fault.Conflict
// if the transfer was removed, since the current value may be that of another writer.
func (f *fenced) at(ctx context.Context, c *Claim, key string, value []byte) (o store.PutOptions, done bool, err error) {
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
	case len(value) > 0 && bytes.Equal(v.Bytes, value): // put by an earlier attempt
		return store.PutOptions{IfVersion: v.Version}, true, nil
	default:
		o.IfVersion = v.Version
	}
	done, err = f.published(ctx, c) // after the version was read; see published
	return o, done, err
}

// published reports whether all tasks were done, so that every object has its final value. Callers
// read the version of an object before the call, and send a request on condition of that version
// after it. published returns fault.Conflict if the transfer was removed.
func (f *fenced) published(ctx context.Context, c *Claim) (bool, error) {
	now, err := f.h.Same(ctx, c)
	return err == nil && !now.State.Open(), err
}

// maxRuns bounds the attempts to put an object that other runs of the same task put concurrently.
const maxRuns = 100

// put calls send with the condition that the key is absent. If that condition fails, it calls send
// with the condition that the current value is unchanged. It calls send at most maxRuns times in
// all, because other runs of the same task may store the object in between.
func (f *fenced) put(ctx context.Context, c *Claim, key string, value []byte, send func(store.PutOptions) (store.Version, error)) (store.Version, error) {
	at := store.PutOptions{IfAbsent: true}
	for try := 1; ; try++ {
		v, err := send(at)
		if !lost(err) || try == maxRuns {
			return v, err
		}
		var done bool
		if at, done, err = f.at(ctx, c, key, value); done || err != nil {
			return at.IfVersion, err
		}
	}
}

// Put implements [store.Store].
func (f *fenced) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	c, conditions, done, err := f.held(ctx, o.IfVersion)
	if done || err != nil {
		return o.IfVersion, err
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

// Delete reads the version of key and deletes the object only if the version is unchanged, so a
// stale worker does not delete newer objects. It sends no delete for an absent key.
func (f *fenced) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	c, conditions, done, err := f.held(ctx, o.IfVersion)
	if done || err != nil {
		return err
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

// Copy copies an object with the conditions of Put, or without conditions if the store cannot copy
// with them.
func (f *fenced) Copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	c, conditions, _, err := f.held(ctx, "")
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

// PutParts starts an upload whose Commit has the conditions of Put.
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

// Commit implements [store.Parts]. It determines the condition from the current value first,
// because some stores cannot commit the parts again after a condition has failed.
func (p *fencedParts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	c, conditions, done, err := p.f.held(ctx, o.IfVersion)
	at := o
	if conditions && o == (store.PutOptions{}) && err == nil {
		at, done, err = p.f.at(ctx, c, p.key, nil)
	}
	switch {
	case err != nil:
		return "", err
	case done:
		return at.IfVersion, p.Abort(ctx)
	case at == o:
		return p.Parts.Commit(ctx, o)
	}
	v, err := p.Parts.Commit(ctx, at)
	if lost(err) { // another run of the same task was faster, if the claim is still held
		now, done, seenErr := p.f.at(ctx, c, p.key, nil)
		if seenErr == nil && (done || !now.IfAbsent && now.IfVersion != at.IfVersion) {
			_ = p.Abort(ctx) // delete the parts, if the store still has them
			return now.IfVersion, nil
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		p.f.noCond.Store(true)
		return p.Parts.Commit(ctx, o)
	}
	return v, err
}

// DeleteAll returns errors.ErrUnsupported, because each delete has its own condition.
func (f *fenced) DeleteAll(context.Context, []string) error { return errors.ErrUnsupported }
