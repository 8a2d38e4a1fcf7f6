package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// attempt holds the assumptions of one attempt to write part of an object. An attempt that proves
// an assumption wrong corrects the assumption and reports that it lost.
type attempt struct {
	absent  bool          // the object is assumed to be absent and is not read
	damaged store.Version // version of an edge object that failed to decode, or ""
	short   bool          // the damaged version is a shard shorter than its index
	looked  bool          // a shard of valid length was retried after its index failed
}

// swapped commits the new stored form of an object and ends the attempt.
func (r *Call) swapped(ctx context.Context, o *plan.Object, t *attempt, m made, absent bool, v store.Version) (lost bool, err error) {
	c := r.condition(o, absent, v)
	c.IfAbsent = c.IfAbsent || m.empty && absent
	if err = r.commit(ctx, o, m, c); err == nil && !absent {
		r.account.Rewritten()
	}
	return r.ended(o, t, err)
}

// again reports whether to retry after an object could not be read. An edge object that does not
// decode is read again at one version and then replaced, as no element of it can be kept.
func (r *Call) again(ctx context.Context, o *plan.Object, t *attempt, err error) (lost bool, _ error) {
	if errors.Is(err, fault.Conflict) {
		*t = attempt{}
		return true, err
	}
	if !o.Edge || t.damaged != "" {
		return false, err
	}
	if !undecodable(err) {
		if errors.Is(err, fault.Corrupt) && o.Chunk.Shards != nil {
			return r.cutOff(ctx, o, t), err
		}
		return false, err
	}
	version, unknown := r.version(ctx, o.Key)
	if unknown != nil {
		return false, errors.Join(err, unknown)
	}
	t.damaged = version
	return true, err
}

// cutOff reports whether to retry after the index of a shard could not be read. A shard shorter
// than its index is replaced, like a shard that does not decode. Other shards are read again.
func (r *Call) cutOff(ctx context.Context, o *plan.Object, t *attempt) (again bool) {
	index, _ := o.Chunk.Shards.IndexSize()
	v, err := r.probe(ctx, o.Key, store.GetOptions{Max: index})
	switch {
	case err == nil && int64(len(v.Bytes)) < index:
		t.damaged, t.short = v.Version, true
		return true
	case t.looked || account.Refused(err) || err != nil && !errors.Is(err, fault.Limit) && !errors.Is(err, fault.NotFound):
		return false
	}
	t.looked = true
	return true
}

// bare reports whether an object is put without conditions, as a single writer does. Edge objects
// are also put so if the store lacks conditions; other partial writes then fail.
func (r *Call) bare(o *plan.Object) bool {
	return r.Options.SingleWriter || o.Edge && r.State.bare.Load()
}

// condition returns the condition for replacing version v of an object.
func (r *Call) condition(o *plan.Object, absent bool, v store.Version) store.PutOptions {
	switch {
	case r.bare(o):
		return store.PutOptions{}
	case absent:
		return store.PutOptions{IfAbsent: !o.Edge || r.plan.Write.Conditions.IfAbsent}
	case o.Edge && !r.plan.Write.Conditions.IfVersion:
		return store.PutOptions{}
	}
	return store.PutOptions{IfVersion: v}
}

// ended reports whether an attempt, which ended with err, must be repeated.
func (r *Call) ended(o *plan.Object, t *attempt, err error) (lost bool, _ error) {
	if o.Edge && errors.Is(err, errors.ErrUnsupported) && !r.bare(o) {
		r.State.bare.Store(true)
		t.absent = false
		return true, err
	}
	if isLost(err) {
		*t = attempt{}
		return true, err
	}
	return false, err
}

// isLost reports whether err means that a conditional write lost a race.
func isLost(err error) bool { return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists) }

// guarded calls the guard, after the old object was read and before it is replaced.
func (r *Call) guarded(ctx context.Context) error {
	if r.Options.Guard == nil {
		return nil
	}
	return r.Options.Guard(ctx)
}
