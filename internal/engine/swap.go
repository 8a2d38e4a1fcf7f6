package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxConflicts bounds how often a part of an object is written again. Each conflict means that another writer succeeded, so this many
// in a row is a store that misreports its versions rather than contention.
const maxConflicts = 1000

// merge reads an object, changes it, and writes it if it was not replaced meanwhile, else does it all again.
func (r *runner) merge(ctx context.Context, o *plan.Object) error {
	// Goroutines of this process take turns; only other processes can conflict.
	key, err := r.lock(ctx, o.Key)
	if err != nil {
		return err
	}
	defer key.Unlock()
	for try := 1; ; try++ {
		lost, err := r.swap(ctx, o)
		if !lost || try == maxConflicts {
			return err
		}
		r.account.Conflict()
		if err := concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond))); err != nil {
			return err
		}
	}
}

// swap is one try of merge; lost reports that the object was replaced in between, so that err is a conflict.
func (r *runner) swap(ctx context.Context, o *plan.Object) (lost bool, err error) {
	if r.streams(o) && !r.State.whole.Load() {
		if lost, err := r.swapStreamed(ctx, o); !errors.Is(err, errNoParts) && !errors.Is(err, errWhole) {
			return lost, err
		}
	}
	v, err := r.stored(ctx, o)
	if v.hold != nil {
		defer v.hold.Release()
	}
	absent := errors.Is(err, fault.NotFound)
	if err != nil && !absent {
		return errors.Is(err, fault.Conflict), err
	}
	if !absent && v.Version == "" && !r.Options.SingleWriter {
		return false, store.NoVersions(r.Store, refused)
	}
	if absent {
		v.Bytes = nil
	} else if v.Bytes == nil {
		v.Bytes = []byte{}
	}
	b, empty, err := r.encode(ctx, v.hold, o, v.Bytes)
	if err != nil {
		return false, err
	}
	version := v.Version
	if r.Options.SingleWriter {
		version = ""
	}
	if err := r.guarded(ctx); err != nil {
		return false, err
	}
	switch {
	case empty && absent:
		return false, nil
	case empty:
		err = r.delete(ctx, o, store.DeleteOptions{IfVersion: version})
	case absent && !r.Options.SingleWriter:
		err = r.put(ctx, o, b, store.PutOptions{IfAbsent: true})
	default:
		err = r.put(ctx, o, b, store.PutOptions{IfVersion: version})
	}
	if err == nil && !absent {
		r.account.Rewritten()
	}
	return isLost(err), err
}

// isLost reports that a conditional write lost a race.
func isLost(err error) bool { return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists) }

// guarded asks the guard, after what is there was read and before it is replaced.
func (r *runner) guarded(ctx context.Context) error {
	if r.Options.Guard == nil {
		return nil
	}
	return r.Options.Guard(ctx)
}

// stored fetches what is there of an object before a part of it is written, in a Task that has room for what is made of it; it has so also where
// there is nothing (fault.NotFound). A shard with so much unused space that it is longer than any
// encoder makes one is read in parts, and given without that space.
func (r *runner) stored(ctx context.Context, o *plan.Object) (received, error) {
	v, err := r.ask(ctx, o, o.Whole())
	if o.Chunk.Shards != nil && errors.Is(err, errTooLong) {
		if v, err = r.compact(ctx, o); errors.Is(err, errWhole) {
			rd := o.Whole()
			rd.Bound = r.Options.longest(o.Chunk)
			v, err = r.ask(ctx, o, rd)
		}
	}
	if err == nil {
		r.account.Chunks(1, 0)
	}
	return v, err
}

// ask makes a request for all of an object of which a part is written. The hold is kept where the object is absent.
func (r *runner) ask(ctx context.Context, o *plan.Object, rd plan.Read) (received, error) {
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return received{}, err
	}
	return r.receiveOr(ctx, rd, r.encoding(o), fault.NotFound)
}

// compact reads the inner chunks of a shard as its index says, all of one version, and makes a shard of them without unused space;
// fault.Conflict when the shard was replaced meanwhile.
func (r *runner) compact(ctx context.Context, o *plan.Object) (got received, err error) {
	index, err := r.reserve(ctx, concurrency.Index, r.indexed(o))
	if err != nil {
		return received{}, err
	}
	defer index.Release()
	x, stage, err := r.storedStage(ctx, o)
	if err != nil {
		return received{}, err
	}
	var total, buffers int64
	most := r.Options.longest(o.Chunk)
	for rd := range stage.Reads.All() {
		buffers = sum(buffers, need(rd.Bound))
		for _, p := range rd.Pieces {
			// Inner chunks may share bytes, and are written without.
			if total += p.Len; p.Len > most || total > most {
				return received{}, fault.Newf(fault.Limit, "the inner chunks of the shard have more than %d bytes", most)
			}
		}
	}
	if err := r.account.Admit(stage.Reads.Len(), stage.Reads.Bytes()); err != nil {
		return received{}, err
	}
	packed := sum(total, 16*int64(x.Len())+64) // and the index
	hold, err := r.reserve(ctx, concurrency.Task, sum(sum(buffers, need(packed)), r.encoding(o)))
	if err != nil {
		return received{}, err
	}
	found := make([][]byte, x.Len()) // by place in the index
	err = concurrency.Each(ctx, r.objects, stage.Reads.All(), func(ctx context.Context, rd plan.Read) error {
		v, err := r.send(ctx, rd, hold, rd.Bound)
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

// storedStage reads the index of a shard as it is now, and says what to read of all its inner chunks.
func (r *runner) storedStage(ctx context.Context, o *plan.Object) (x *shardIndex, stage plan.Stage, err error) {
	top := o.Stored()
	reads, err := top.Indexes(make([]codec.ShardIndex, 1))
	if err != nil {
		return nil, stage, err
	}
	err = r.all(ctx, reads, func(ctx context.Context, rd plan.Read) (err error) { // it is one
		x, err = r.loadIndex(ctx, top, rd)
		return err
	})
	if err == nil {
		stage, err = top.Expand(x.version, []codec.ShardIndex{x.ShardIndex})
	}
	return x, stage, err
}
