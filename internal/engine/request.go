package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

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
		more, again := rd.Longer(n, err)
		if !again || account.Refused(err) {
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
	if err = r.check(rd, rd.Bound, got.Value, err); err == nil {
		got.hold, err = r.reserve(ctx, concurrency.Task, room)
	}
	return got, err
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
	return v, r.check(rd, n, v, err)
}

// check checks the response to a request that was sent for no more than n bytes.
func (r *Call) check(rd plan.Read, n int64, v store.Value, err error) error {
	if account.Refused(err) {
		return err
	}
	err = rd.Check(n, v, err)
	switch {
	case errors.Is(err, plan.ErrNoRanges):
		r.State.noRanges.Store(true)
	case err == nil && rd.Range.IsWhole():
		r.State.seen(len(v.Bytes))
	}
	return err
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

// undecodable reports whether an error says that stored bytes do not decode. An error of the store
// never says so: its bytes were not seen.
func undecodable(err error) bool {
	var of *fault.KeyError
	return (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of)
}
