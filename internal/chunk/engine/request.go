package engine

import (
	"context"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/internal/chunk/slots"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// begun admits a request that other calls may join, and acquires a slot for it. The request counts
// for this call even if another call sends it. Thus no call's limit can fail a shared load.
func (r *Call) begun(ctx context.Context, rd plan.Read) (store.Store, *slots.Slots, error) {
	st, err := r.account.AdmitAll(r.store, 1, rd.Known())
	if err == nil {
		err = r.slots.Acquire(ctx)
	}
	return st, r.slots, err
}

// all admits all reads or none. Then it calls do for each read, concurrently. do has a slot while
// it runs, and must send the request to the store that it receives.
func (r *Call) all(ctx context.Context, reads plan.Reads, do func(context.Context, store.Store, plan.Read) error) error {
	st, err := r.account.AdmitAll(r.store, reads.Len(), reads.Bytes())
	if err != nil {
		return err
	}
	return concurrency.EachIn(ctx, r.slots, reads.All(), func(ctx context.Context, rd plan.Read) error { return do(ctx, st, rd) })
}

// received is the response to a request, in the memory of hold.
type received struct {
	store.Value
	hold *concurrency.Hold
}

// receive reserves memory for a response, and extra bytes for processing it, and sends the request.
// If the object is longer than usual, receive releases the memory, reserves enough, and sends the
// request again. If the object grows meanwhile, the length at least doubles, so that the retries
// end. If keep is not nil and the error matches keep, receive also returns the hold.
func (r *Call) receive(ctx context.Context, st store.Store, rd plan.Read, extra int64, keep error) (got received, err error) {
	first := r.size().First(rd)
	for n := first; ; {
		if got.hold, err = r.reserve(ctx, concurrency.Task, plan.Sum(need(n), extra)); err != nil {
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

// receiveInto is receive for stored bytes that are the elements themselves. It receives the bytes
// in the buffer "into", and reserves only the extra bytes.
func (r *Call) receiveInto(ctx context.Context, st store.Store, rd plan.Read, into []byte, extra int64) (got received, err error) {
	got.Value, err = st.Get(ctx, rd.Key, rd.Options(), into)
	if err = r.check(rd, rd.Bound, got.Value, err); err == nil {
		got.hold, err = r.reserve(ctx, concurrency.Task, extra)
	}
	return got, err
}

// longest bounds buffers for values whose length is known only from metadata. For longer values,
// the store allocates the memory once it knows the length.
const longest = 64 << 20

// buffer returns memory of hold for n bytes, or nil if n is more than longest.
func buffer(hold *concurrency.Hold, n int64) []byte {
	if n > longest {
		return nil
	}
	return hold.Buffer(int(n))
}

// send requests at most n bytes, into memory of hold, and checks the response.
func (r *Call) send(ctx context.Context, st store.Store, rd plan.Read, hold *concurrency.Hold, n int64) (store.Value, error) {
	o := rd.Options()
	o.Max = min(o.Max, n)
	buf := buffer(hold, r.size().Expected(rd, n))
	v, err := st.Get(ctx, rd.Key, o, buf)
	if err == nil {
		hold.Adopt(v.Bytes)
	} else {
		hold.Put(buf) // for encoding the object if it is absent
	}
	return v, r.check(rd, n, v, err)
}

// check checks the response to a request for at most n bytes.
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

// probe reads a few bytes of an object without reserving memory.
func (r *Call) probe(ctx context.Context, key string, o store.GetOptions) (store.Value, error) {
	return r.store.Get(ctx, key, o, nil)
}

// version reads the first byte of an object and returns its version, or "" if it is absent.
func (r *Call) version(ctx context.Context, key string) (store.Version, error) {
	for _, o := range []store.GetOptions{{Range: store.Within(0, 1)}, {Max: 1}} {
		v, err := r.probe(ctx, key, o)
		switch {
		case errors.Is(err, fault.NotFound):
			return "", nil
		case errors.Is(err, fault.Corrupt): // the object is empty
		case err != nil:
			return "", err
		case v.Version == "":
			return "", store.NoVersions(r.Store, refused)
		default:
			return v.Version, nil
		}
	}
	return "", fault.Newf(fault.Conflict, "%q became empty during the read", key)
}

// undecodable reports whether err means that stored bytes do not decode. Errors of the store do not
// match, because no bytes were read.
func undecodable(err error) bool {
	var of *fault.KeyError
	return (errors.Is(err, fault.Corrupt) || errors.Is(err, errors.ErrUnsupported)) && !errors.As(err, &of)
}

// chunkRead is the progress of the read of a chunk of a run.
type chunkRead struct {
	alone  bool   // the chunk must be read by Call.read
	stored []byte // the stored bytes; nil if none were received
	err    error
}

// fetchOne requests a chunk of a run. If the stored bytes are the elements, fetchOne receives them
// in r.memory, and otherwise in buf or in other memory of hold.
func (r *Call) fetchOne(ctx context.Context, o *plan.Object, hold *concurrency.Hold, buf []byte) chunkRead {
	rd, into := o.Wanted(), o.Chunk.Room(r.memory, o.Box)
	if !rd.Range.IsWhole() || into == nil && cap(buf) == 0 {
		return chunkRead{alone: true}
	}
	if err := ctx.Err(); err != nil {
		return chunkRead{err: err}
	}
	st, err := r.account.AdmitAll(r.store, 1, rd.Known())
	if err != nil {
		return chunkRead{err: err}
	}
	n := int64(cap(buf))
	if into == nil {
		into = buf
	} else {
		n = rd.Bound
	}
	get := rd.Options()
	get.Max = min(get.Max, n)
	v, err := st.Get(ctx, o.Key, get, into)
	if err == nil && cap(v.Bytes) > 0 && (cap(into) == 0 || &v.Bytes[:1][0] != &into[:1][0]) {
		hold.Adopt(v.Bytes)
	}
	err = r.check(rd, n, v, err)
	_, longer := rd.Longer(n, err)
	switch {
	case longer && !account.Refused(err):
		return chunkRead{alone: true}
	case err != nil:
		return chunkRead{err: err}
	case v.Bytes == nil:
		v.Bytes = []byte{}
	}
	return chunkRead{stored: v.Bytes}
}
