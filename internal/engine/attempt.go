package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// attempt is what a try to write a part of an object assumes. A try that finds it wrong changes it,
// and is lost.
type attempt struct {
	absent  bool          // the object is taken to be absent, and is not read
	damaged store.Version // the version of an object at the edge that seems not to decode; "" is none
	short   bool          // that version is a shard shorter than its index
	looked  bool          // for a shard shorter than its index: there was another one by then
}

// swapped puts what was made of an object in its place, and ends the try.
func (r *Call) swapped(ctx context.Context, o *plan.Object, t *attempt, m made, absent bool, v store.Version) (lost bool, err error) {
	c := r.condition(o, absent, v)
	c.IfAbsent = c.IfAbsent || m.empty && absent
	if err = r.commit(ctx, o, m, c); err == nil && !absent {
		r.account.Rewritten()
	}
	return r.ended(o, t, err)
}

// again reports whether an object that could not be read is tried again. One at the edge that does
// not decode is read once more as one version, which is then replaced: nothing of it can be kept.
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

// cutOff finds out whether the index of a shard cannot be read because the shard is shorter, which
// makes it one that does not decode. A longer one has replaced it, once.
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

// bare reports whether an object is put without conditions: by a single writer, and one at the edge
// where the store has none. Parts of objects are refused there.
func (r *Call) bare(o *plan.Object) bool {
	return r.Options.SingleWriter || o.Edge && r.State.bare.Load()
}

// condition is the one on which what replaces a version of an object is put.
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

// ended reports whether a try that ended with err lost a race, or has to be done again in another
// way.
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

// isLost reports that a conditional write lost a race.
func isLost(err error) bool { return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists) }

// guarded asks the guard, after what is there was read and before it is replaced.
func (r *Call) guarded(ctx context.Context) error {
	if r.Options.Guard == nil {
		return nil
	}
	return r.Options.Guard(ctx)
}
