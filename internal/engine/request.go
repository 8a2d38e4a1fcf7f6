package engine

import (
	"context"
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// errTooLong says that a stored object has more bytes than any encoder makes.
var errTooLong = errors.New("too long")

// errNoRanges says that a store cannot pin a read to a version, or cannot read the end of an object:
// then all of a shard is read at once.
var errNoRanges = errors.New("the shard must be read with one request")

// begun admits a request that other calls may join, and takes a slot for it. It is admitted before,
// also where another call sends it: a load that is joined must not end by the limit of one call.
func (r *Call) begun(ctx context.Context, rd plan.Read) (store.Store, *slots, error) {
	st, err := r.account.AdmitAll(r.store, 1, rd.Known())
	if err == nil {
		err = r.slots.Acquire(ctx)
	}
	return st, r.slots, err
}

// all does something with each of several reads, concurrently as far as the call has slots. All of
// them are admitted or none. do holds a slot, and sends its request to the store that it is passed.
func (r *Call) all(ctx context.Context, reads plan.Reads, do func(context.Context, store.Store, plan.Read) error) error {
	st, err := r.account.AdmitAll(r.store, reads.Len(), reads.Bytes())
	if err != nil {
		return err
	}
	return concurrency.EachIn(ctx, r.slots, reads.All(), func(ctx context.Context, rd plan.Read) error { return do(ctx, st, rd) })
}

// undecodable reports whether an error says that stored bytes do not decode. An error of the store
// never says so: its bytes were not seen.
func undecodable(err error) bool {
	var of *fault.KeyError
	return (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of)
}

// received is what a request brought, in memory of a Task.
type received struct {
	store.Value
	hold *concurrency.Hold
}

// receive reserves memory for what a request brings, and room bytes more for what is done to it,
// and sends it. It sends another one where the object is longer than such objects usually are: it
// reserves the memory for that then, and holds nothing in between. An object that has grown again
// is requested with twice the room, so that this ends. The hold is kept also with an error that is
// keep.
func (r *Call) receive(ctx context.Context, st store.Store, rd plan.Read, room int64, keep error) (got received, err error) {
	first := r.size().First(rd)
	for n := first; ; {
		if got.hold, err = r.reserve(ctx, concurrency.Task, plan.Sum(need(n), room)); err != nil {
			return received{}, err
		}
		if got.Value, err = r.send(ctx, st, rd, got.hold, n); err == nil || keep != nil && errors.Is(err, keep) {
			return got, err
		}
		got.hold.Release()
		more, again := longer(rd, n, err)
		if !again {
			return received{}, err
		}
		if n > first {
			more = min(max(more, plan.Sum(n, n)), rd.Bound)
		}
		if st, err = r.account.AdmitAll(r.store, 1, more); err != nil {
			return received{}, err
		}
		r.account.AskedAgain()
		n = more
	}
}

// receiveInto is receive where the stored bytes are the elements, and into is where these belong: no
// memory is reserved for them.
func (r *Call) receiveInto(ctx context.Context, st store.Store, rd plan.Read, into []byte, room int64) (got received, err error) {
	got.Value, err = st.Get(ctx, rd.Key, rd.Options(), into)
	if !account.Refused(err) {
		got.Value, err = r.checkChunk(rd, rd.Bound, got.Value, err)
	}
	if err == nil {
		got.hold, err = r.reserve(ctx, concurrency.Task, room)
	}
	return got, err
}

// longer is how many bytes a request may bring when it is made again, since it had more than n:
// what the store announced, or, where it could not, eight times as many. ok is false when that is
// no reason to make it again.
func longer(rd plan.Read, n int64, err error) (more int64, ok bool) {
	if n >= rd.Bound || !errors.Is(err, fault.Limit) || account.Refused(err) {
		return 0, false
	}
	var long *store.TooLong
	if errors.As(err, &long) {
		return long.Announced, long.Announced > n && long.Announced <= rd.Bound
	}
	if n > math.MaxInt64/8 {
		return rd.Bound, true
	}
	return min(max(8*n, 1), rd.Bound), true
}

// longest is the longest memory that is made for bytes that nothing is known of but what metadata
// says. Of more the store makes as much as it knows to come.
const longest = 64 << 20

// buffer is memory of a hold for n bytes, or none where these are so many that they have to be
// there first.
func buffer(hold *concurrency.Hold, n int64) []byte {
	if n > longest {
		return nil
	}
	return hold.Buffer(int(n))
}

// send asks the store for no more than n bytes, into memory of a hold, and checks what it gave
// against what was asked for.
func (r *Call) send(ctx context.Context, st store.Store, rd plan.Read, hold *concurrency.Hold, n int64) (store.Value, error) {
	o := rd.Options()
	o.Max = min(o.Max, n)
	buf := buffer(hold, r.size().Expected(rd, n))
	v, err := st.Get(ctx, rd.Key, o, buf)
	if err == nil {
		hold.Adopt(v.Bytes)
	} else {
		hold.Put(buf) // for what is made of an object that is absent
	}
	if account.Refused(err) {
		return v, err
	}
	switch rd.Role {
	case plan.Chunk, plan.Shard:
		return r.checkChunk(rd, n, v, err)
	case plan.Index, plan.Recheck:
		return r.checkIndex(rd, v, err)
	}
	switch {
	case errors.Is(err, fault.NotFound):
		// No store says so of a pinned read; a shard that was there a moment ago is no fill value.
		return v, fault.Newf(fault.Conflict, "the shard was deleted while it was read: %v", err)
	case err == nil && int64(len(v.Bytes)) != rd.Bound:
		return v, fault.Newf(fault.Corrupt, "the store gave %d of %d bytes of the shard", len(v.Bytes), rd.Bound)
	}
	return v, err
}

// probe reads a little of an object, which takes no reserved memory.
func (r *Call) probe(ctx context.Context, key string, o store.GetOptions) (store.Value, error) {
	return r.store.Get(ctx, key, o, nil)
}

// version reads the first byte of an object for its version.
func (r *Call) version(ctx context.Context, key string) (store.Version, error) {
	for _, o := range []store.GetOptions{{Range: store.Within(0, 1)}, {Max: 1}} {
		v, err := r.probe(ctx, key, o)
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

// checkChunk checks what came of a request for a chunk, a range of one, or all of a shard, of no
// more than n bytes.
func (r *Call) checkChunk(rd plan.Read, n int64, v store.Value, err error) (store.Value, error) {
	if rd.Range.IsWhole() {
		return r.checkWhole(rd, n, v, err)
	}
	if size := rd.Pieces[0].Chunk().Chain.EncodedSize(); err == nil && v.Size >= 0 && v.Size != size { // -1: the store cannot say
		return v, fault.Newf(fault.Corrupt, "the stored chunk has %d bytes, its codecs make %d", v.Size, size)
	}
	if err == nil && int64(len(v.Bytes)) != rd.Bound {
		return v, fault.Newf(fault.Corrupt, "the store gave %d of %d bytes of the chunk", len(v.Bytes), rd.Bound)
	}
	return v, err
}

// checkWhole checks what came of a request for all of an object, of no more than n bytes.
func (r *Call) checkWhole(rd plan.Read, n int64, v store.Value, err error) (store.Value, error) {
	_, again := longer(rd, n, err)
	switch {
	case err == nil:
		r.State.seen(len(v.Bytes))
	case again || !errors.Is(err, fault.Limit):
	case rd.Bound > rd.Pieces[0].Chunk().Chain.Worst():
		err = fault.Newf(fault.Limit, "a shard with unused space, which this store cannot give in parts, has more bytes than Limits.Chunk (%d)", rd.Bound)
	default: // Not a limit of the caller's: no encoder makes so much of a chunk.
		err = fault.Newf(fault.Corrupt, "the stored chunk has more than the %d bytes that its codecs can make: %w: %v", rd.Bound, errTooLong, err)
	}
	return v, err
}

// checkIndex checks what came of a request for the index of a stored shard: errNoRanges where parts of
// shards cannot be read.
func (r *Call) checkIndex(rd plan.Read, v store.Value, err error) (store.Value, error) {
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && v.Version == "":
		r.State.noRanges.Store(true)
		return v, errNoRanges
	case err == nil && int64(len(v.Bytes)) != rd.Bound:
		return v, fault.Newf(fault.Corrupt, "the store gave %d bytes of the index of a shard, which has %d", len(v.Bytes), rd.Bound)
	}
	return v, err
}
