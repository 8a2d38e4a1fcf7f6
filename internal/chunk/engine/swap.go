package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// swap makes one attempt to change an object. lost reports that the attempt must be repeated,
// because the object was replaced meanwhile or an assumption in t was wrong.
func (r *Call) swap(ctx context.Context, o *plan.Object, t *attempt) (lost bool, err error) {
	p := r.packing(o, !t.absent)
	if p.Streams && !r.State.noRanges.Load() {
		if lost, err := r.swapStreamed(ctx, o, p.Limits, t); !errors.Is(err, assemble.ErrNoParts) && !errors.Is(err, plan.ErrNoRanges) {
			return lost, err
		}
	}
	v, absent, err := r.before(ctx, o, t, r.encoding(o, p))
	if v.hold != nil {
		defer v.hold.Release()
	}
	if err != nil {
		return r.again(ctx, o, t, err)
	}
	if !absent && v.Version == "" && !r.Options.SingleWriter && !o.Edge {
		return false, store.NoVersions(r.Store, refused)
	}
	b, empty, err := r.encode(ctx, v.hold, o, p, v.Bytes)
	if o.Edge && v.Bytes != nil && undecodable(err) {
		b, empty, err = r.encode(ctx, v.hold, o, p, nil) // no old element can be kept
	}
	if err != nil {
		return false, err
	}
	if t.absent && empty {
		t.absent = false // nothing is put, so the stored object must be read
		return true, nil
	}
	if err := r.guarded(ctx); err != nil {
		return false, err
	}
	return r.swapped(ctx, o, t, made{bytes: b, empty: empty}, absent, v.Version)
}

// before reads the stored form of an object by the method stored. The bytes are nil if the object
// is absent, or assumed to be absent, or does not decode.
func (r *Call) before(ctx context.Context, o *plan.Object, t *attempt, room int64) (v received, absent bool, err error) {
	if t.absent {
		v.hold, err = r.reserve(ctx, concurrency.Task, room)
		return v, true, err
	}
	v, err = r.stored(ctx, o, t.damaged, room)
	switch {
	case errors.Is(err, fault.NotFound):
		v.Value = store.Value{}
		return v, true, nil
	case r.bare(o) && o.Edge && undecodable(err), t.damaged != "" && undecodable(err):
		v = received{Value: store.Value{Version: t.damaged}}
		v.hold, err = r.reserve(ctx, concurrency.Task, room)
	case err == nil && v.Bytes == nil:
		v.Bytes = []byte{}
	}
	return v, false, err
}

// stored reads the stored form of an object to be changed, and reserves memory for the new form. It
// returns the hold even with fault.NotFound. If unused space makes a shard too long, stored reads
// it in parts and omits the unused space. If version is not "", stored reads only that version.
func (r *Call) stored(ctx context.Context, o *plan.Object, version store.Version, room int64) (received, error) {
	rd := o.Whole()
	rd.Version = version
	get := func() (received, error) { // keeps the hold if the object is absent
		st, err := r.account.AdmitAll(r.store, 1, rd.Known())
		if err != nil {
			return received{}, err
		}
		return r.receive(ctx, st, rd, room, fault.NotFound)
	}
	v, err := get()
	if o.Chunk.Shards != nil && errors.Is(err, plan.ErrTooLong) {
		if v, err = r.compact(ctx, o, version, room); errors.Is(err, plan.ErrNoRanges) {
			rd.Bound = r.sizes.Longest(o.Chunk)
			v, err = get()
		}
	}
	if err == nil {
		r.account.Chunks(1, 0)
	}
	return v, err
}

// compact reads the inner chunks of a shard, all of one version, and returns a shard without unused
// space. It returns fault.Conflict if the shard is replaced meanwhile.
func (r *Call) compact(ctx context.Context, o *plan.Object, version store.Version, encoding int64) (got received, err error) {
	index, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return received{}, err
	}
	defer index.Release()
	x, err := r.storedIndex(ctx, o, version)
	if err != nil {
		return received{}, err
	}
	stays, err := o.Without(x.ShardIndex, x.version, nil, nil)
	if err != nil {
		return received{}, err
	}
	st, err := r.admit(o, &stays)
	if err != nil {
		return received{}, err
	}
	packed := plan.Sum(stays.Total, 16*int64(x.Len())+64) // with the index
	room := plan.Sum(need(packed), plan.Product(need(stays.Longest), plan.ReadsAhead))
	hold, err := r.reserve(ctx, concurrency.Task, plan.Sum(room, encoding))
	if err != nil {
		return received{}, err
	}
	got = received{store.Value{Size: x.Size(), Version: x.version}, hold}
	shard := o.Chunk.Shards.Pack(buffer(hold, packed))
	p := &packer{Call: r, hold: hold, to: func(_ context.Context, place int, b []byte) error {
		shard.Add(place, b)
		return nil
	}}
	if err = p.carry(ctx, st, &stays); err == nil {
		got.Bytes, err = shard.End()
	}
	if err != nil {
		hold.Release()
		return received{}, err
	}
	hold.Adopt(got.Bytes)
	return got, nil
}
