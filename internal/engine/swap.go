package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// attempt is what a try of merge takes for granted. A try that finds it wrong changes it, and is
// lost.
type attempt struct {
	absent  bool          // the object is taken to be absent, and is not read
	damaged store.Version // the version of an object at the edge that seems not to decode; "" is none
	short   bool          // that version is a shard shorter than its index
	looked  bool          // for a shard shorter than its index: there was another one by then
}

// swap is one try of merge; lost reports that the object was replaced in between, or that the
// attempt was wrong, so that it has to be tried again.
func (r *Call) swap(ctx context.Context, o *plan.Object, t *attempt) (lost bool, err error) {
	if r.streams(o, !t.absent) && !r.State.noRanges.Load() {
		if lost, err := r.swapStreamed(ctx, o, t); !errors.Is(err, errNoParts) && !errors.Is(err, errNoRanges) {
			return lost, err
		}
	}
	v, absent, err := r.before(ctx, o, t)
	if v.hold != nil {
		defer v.hold.Release()
	}
	if err != nil {
		return r.again(ctx, o, t, err)
	}
	if !absent && v.Version == "" && !r.Options.SingleWriter && !o.Edge {
		return false, store.NoVersions(r.Store, refused)
	}
	b, empty, err := r.encode(ctx, v.hold, o, v.Bytes)
	if o.Edge && v.Bytes != nil && undecodable(err) {
		b, empty, err = r.encode(ctx, v.hold, o, nil) // nothing of it can be kept
	}
	if err != nil {
		return false, err
	}
	if t.absent && empty {
		t.absent = false // what is stored beyond the shape has to be known
		return true, nil
	}
	if err := r.guarded(ctx); err != nil {
		return false, err
	}
	return r.swapped(ctx, o, t, made{bytes: b, empty: empty}, absent, v.Version)
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

// before fetches the stored form of an object in a Task, as stored does; nil bytes of one that is
// absent, is taken to be, or does not decode.
func (r *Call) before(ctx context.Context, o *plan.Object, t *attempt) (v received, absent bool, err error) {
	if t.absent {
		v.hold, err = r.reserve(ctx, concurrency.Task, r.encoding(o))
		return v, true, err
	}
	v, err = r.stored(ctx, o, t.damaged)
	switch {
	case errors.Is(err, fault.NotFound):
		v.Value = store.Value{}
		return v, true, nil
	case r.bare(o) && o.Edge && undecodable(err), t.damaged != "" && undecodable(err):
		v = received{Value: store.Value{Version: t.damaged}}
		v.hold, err = r.reserve(ctx, concurrency.Task, r.encoding(o))
	case err == nil && v.Bytes == nil:
		v.Bytes = []byte{}
	}
	return v, false, err
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

// undecodable reports whether an error says that stored bytes do not decode. An error of the store
// never says so: its bytes were not seen.
func undecodable(err error) bool {
	var of *fault.KeyError
	return (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of)
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

// stored fetches what is there of an object before a part of it is written, in a Task that has room
// for what is made of it; it has so also where there is nothing (fault.NotFound). A shard with so
// much unused space that it is longer than any encoder makes one is read in parts, and given
// without that space. Only a version is read, unless it is "".
func (r *Call) stored(ctx context.Context, o *plan.Object, version store.Version) (received, error) {
	rd := o.Whole()
	rd.Version = version
	v, err := r.ask(ctx, o, rd)
	if o.Chunk.Shards != nil && errors.Is(err, errTooLong) {
		if v, err = r.compact(ctx, o, version); errors.Is(err, errNoRanges) {
			rd.Bound = r.sizes.Longest(o.Chunk)
			v, err = r.ask(ctx, o, rd)
		}
	}
	if err == nil {
		r.account.Chunks(1, 0)
	}
	return v, err
}

// ask makes a request for all of an object of which a part is written. The hold is kept where the
// object is absent.
func (r *Call) ask(ctx context.Context, o *plan.Object, rd plan.Read) (received, error) {
	st, err := r.account.AdmitAll(r.store, 1, rd.Known())
	if err != nil {
		return received{}, err
	}
	return r.receiveOr(ctx, st, rd, r.encoding(o), fault.NotFound)
}

// compact reads the inner chunks of a shard as its index says, all of one version, and makes a
// shard of them without unused space; fault.Conflict when the shard was replaced meanwhile.
func (r *Call) compact(ctx context.Context, o *plan.Object, version store.Version) (got received, err error) {
	index, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return received{}, err
	}
	defer index.Release()
	x, stage, err := r.storedStage(ctx, o, version)
	if err != nil {
		return received{}, err
	}
	var total, buffers int64
	most := r.sizes.Longest(o.Chunk)
	for rd := range stage.Reads.All() {
		buffers = plan.Sum(buffers, need(rd.Bound))
		for _, p := range rd.Pieces {
			// Inner chunks may share bytes, and are written without.
			if total += p.Len; p.Len > most || total > most {
				return received{}, fault.Newf(fault.Limit, "the inner chunks of the shard have more than %d bytes", most)
			}
		}
	}
	st, err := r.account.AdmitAll(r.store, stage.Reads.Len(), stage.Reads.Bytes())
	if err != nil {
		return received{}, err
	}
	packed := plan.Sum(total, 16*int64(x.Len())+64) // and the index
	hold, err := r.reserve(ctx, concurrency.Task, plan.Sum(plan.Sum(buffers, need(packed)), r.encoding(o)))
	if err != nil {
		return received{}, err
	}
	found := make([][]byte, x.Len()) // by place in the index
	err = concurrency.Each(ctx, r.objects, stage.Reads.All(), func(ctx context.Context, rd plan.Read) error {
		v, err := r.send(ctx, st, rd, hold, rd.Bound)
		if err != nil {
			return err
		}
		for _, p := range rd.Pieces {
			found[p.Place()] = rd.Of(p, v.Bytes)
		}
		return nil
	})
	if err == nil {
		got = received{store.Value{Size: x.Size(), Version: x.version}, hold}
		shard := o.Chunk.Shards.Pack(buffer(hold, packed))
		for place, b := range found {
			shard.Add(place, b)
		}
		got.Bytes, err = shard.End()
		hold.Adopt(got.Bytes)
	}
	if err != nil {
		hold.Release()
		return received{}, err
	}
	return got, nil
}

// storedStage reads the index of a shard as it is now, or of a version unless that is "", and says
// what to read of all its inner chunks.
func (r *Call) storedStage(ctx context.Context, o *plan.Object, version store.Version) (x *shardIndex, stage plan.Stage, err error) {
	top := o.Stored()
	rd := top.Index()
	rd.Version = version
	st, release, err := r.begun(ctx, rd)
	if err != nil {
		return nil, stage, err
	}
	defer release.Release()
	if x, err = r.loadIndex(ctx, st, top, rd); err == nil {
		stage, err = top.Expand(x.version, []codec.ShardIndex{x.ShardIndex})
	}
	return x, stage, err
}
