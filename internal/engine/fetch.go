package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// errTooLong says that a stored object has more bytes than any encoder makes.
var errTooLong = errors.New("too long")

// errNoRanges says that a store cannot pin a read to a version, or cannot read the end of an object:
// then all of a shard is read at once.
var errNoRanges = errors.New("the shard must be read with one request")

// fetch makes one request of the call, and decodes the pieces of what comes to their places. s is
// the shard that is read; nil where chunks are stored each by itself.
func (r *Call) fetch(ctx context.Context, s *shard, rd plan.Read) error {
	st, err := r.account.AdmitAll(r.store, 1, rd.Known())
	if err != nil {
		return err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return err
	}
	defer r.slots.Release()
	return r.fetchAdmitted(ctx, st, s, rd)
}

// fetchAdmitted is the life of one request: memory, the store, the pieces.
func (r *Call) fetchAdmitted(ctx context.Context, st store.Store, s *shard, rd plan.Read) error {
	if s == nil {
		return r.fetchChunk(ctx, st, rd)
	}
	at := r.size().Decoding(rd, r.first(rd))
	got, err := r.receive(ctx, st, rd, at.Room)
	if err != nil {
		return err
	}
	defer got.hold.Release()
	return r.place(ctx, s, rd, got, at)
}

func (r *Call) fetchChunk(ctx context.Context, st store.Store, rd plan.Read) error {
	c, box := rd.Pieces[0].Chunk(), rd.Pieces[0].Box()
	into, more := c.Room(r.memory, box), int64(0) // a range takes nothing to decode
	if rd.Range.IsWhole() {
		more = plan.Room(c.DecodeRoom(r.memory, box))
	} else {
		into = c.SpanRoom(r.memory, box)
	}
	if into != nil {
		return r.fetchInto(ctx, st, rd, c, box, into, more)
	}
	got, err := r.receive(ctx, st, rd, more)
	if err != nil {
		return err
	}
	defer got.hold.Release()
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return err
	}
	defer s.release()
	return r.decodeWanted(ctx, rd, c, box, got.Bytes, &s.Scratch)
}

// fetchInto is fetchChunk where the stored bytes are the elements, and are received where they
// belong: no memory is reserved for them.
func (r *Call) fetchInto(ctx context.Context, st store.Store, rd plan.Read, c *pipeline.Chunk, box grid.Box, into []byte, more int64) error {
	v, err := st.Get(ctx, rd.Key, rd.Options(), into)
	if !account.Refused(err) {
		v, err = r.checkChunk(rd, rd.Bound, v, err)
	}
	if err != nil {
		return err
	}
	hold, err := r.reserve(ctx, concurrency.Task, more)
	if err != nil {
		return err
	}
	defer hold.Release()
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return err
	}
	defer s.release()
	return r.decodeWanted(ctx, rd, c, box, v.Bytes, &s.Scratch)
}

// received is what a request brought, in memory of a Task.
type received struct {
	store.Value
	hold *concurrency.Hold
}

// receive reserves memory for what a request brings, and room bytes more for what is done to it,
// and makes it. It is made once more where an object is longer than such objects are as a rule:
// what that one takes is reserved then, and nothing is held in between. One that has grown again is
// asked for with twice the room, so that there is an end to it.
func (r *Call) receive(ctx context.Context, st store.Store, rd plan.Read, room int64) (received, error) {
	return r.receiveOr(ctx, st, rd, room, nil)
}

// receiveOr is receive, and keeps the hold also with one kind of error.
func (r *Call) receiveOr(ctx context.Context, st store.Store, rd plan.Read, room int64, keep error) (got received, err error) {
	first := r.first(rd)
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
	buf := buffer(hold, r.expected(rd, n))
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

// place takes the pieces that a request for bytes of a shard brought to their places.
func (r *Call) place(ctx context.Context, s *shard, rd plan.Read, v received, at plan.AtOnce) error {
	if rd.Role != plan.Shard {
		return r.decode(ctx, s, rd.Pieces, rd.Off, v, at)
	}
	x := &shardIndex{id: plan.IndexID{Key: rd.Key}, version: v.Version}
	var err error
	if x.ShardIndex, err = s.Chunk.Shards.IndexOf(v.Bytes); err != nil {
		return err
	}
	if v.Version != "" {
		r.State.indexes.Put(x, maxIndexes)
	}
	pieces, missing, err := rd.Pieces[0].Within(x.ShardIndex)
	if err != nil {
		return err
	}
	r.fill(ctx, s, missing)
	return r.decode(ctx, s, pieces, 0, v, at)
}

// fill sets inner chunks that a shard does not have to the fill value, and counts the deepest ones
// among them.
func (r *Call) fill(ctx context.Context, s *shard, missing []plan.Piece) {
	for _, p := range missing {
		r.fillOne(ctx, s.Key, p.Chunk(), p.Box())
		s.missing.Add(int64(p.Touched()))
	}
}

// decode takes inner chunks out of bytes that lie at off in the shard. Where there are many it does
// so on several cores.
func (r *Call) decode(ctx context.Context, s *shard, pieces []plan.Piece, off int64, from received, at plan.AtOnce) error {
	if len(pieces) <= at.Some {
		return r.decodeSome(ctx, s, pieces, off, from)
	}
	return concurrency.Each(ctx, at.Slots, slices.Chunk(pieces, at.Some), func(ctx context.Context, part []plan.Piece) error {
		return r.decodeSome(ctx, s, part, off, from)
	})
}

func (r *Call) decodeSome(ctx context.Context, s *shard, pieces []plan.Piece, off int64, from received) error {
	if len(pieces) == 0 {
		return nil
	}
	scratch, err := r.cpu(ctx, from.hold)
	if err != nil {
		return err
	}
	defer scratch.release()
	for _, p := range pieces {
		if err := r.decodePiece(ctx, s, p, from.Bytes[p.Off-off:p.Off-off+p.Len], &scratch.Scratch); err != nil {
			return p.Named(err)
		}
	}
	return nil
}

// decodePiece takes an inner chunk, or what is wanted of a shard all of whose bytes are there, to
// its place.
func (r *Call) decodePiece(ctx context.Context, s *shard, p plan.Piece, stored []byte, scratch *pipeline.Scratch) error {
	c := p.Chunk()
	if c.Shards == nil {
		return r.decodeOne(ctx, s.Key, c, p.Box(), stored, scratch)
	}
	x, err := c.Shards.IndexOf(stored)
	if err != nil {
		return err
	}
	pieces, missing, err := p.Within(x)
	if err != nil {
		return err
	}
	r.fill(ctx, s, missing)
	for _, q := range pieces {
		if err := r.decodePiece(ctx, s, q, stored[q.Off:q.Off+q.Len], scratch); err != nil {
			return q.Named(err)
		}
	}
	return nil
}
