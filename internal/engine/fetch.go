package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// errTooLong says that a stored object has more bytes than any encoder makes.
var errTooLong = errors.New("too long")

// errWhole says that a store cannot pin a read to a version, or cannot read the end of an object: then all of a shard is
// read at once.
var errWhole = errors.New("the shard must be read as a whole")

// fetch makes one request of the call, and takes the pieces in what came to their places. s is the shard that is read; nil where
// chunks are stored each by itself.
func (r *runner) fetch(ctx context.Context, s *shard, rd plan.Read) error {
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return err
	}
	defer r.slots.Release()
	return r.fetchAdmitted(ctx, s, rd)
}

// fetchAll is fetch for several requests of one shard.
func (r *runner) fetchAll(ctx context.Context, s *shard, reads plan.Reads) error {
	return r.all(ctx, reads, func(ctx context.Context, rd plan.Read) error { return r.fetchAdmitted(ctx, s, rd) })
}

// all does something with each of several reads, at once as far as the call has slots. do holds one of these.
func (r *runner) all(ctx context.Context, reads plan.Reads, do func(context.Context, plan.Read) error) error {
	if err := r.account.Admit(reads.Len(), reads.Bytes()); err != nil {
		return err
	}
	return concurrency.EachIn(ctx, &r.slots, reads.All(), do)
}

// fetchAdmitted is the life of one request: memory, the store, the pieces.
func (r *runner) fetchAdmitted(ctx context.Context, s *shard, rd plan.Read) error {
	got, err := r.receive(ctx, r.op, rd)
	if err != nil {
		return err
	}
	defer got.release()
	if s != nil {
		return r.place(ctx, s, rd, got.Value)
	}
	return r.decodeChunk(ctx, rd.Pieces[0], got.Bytes)
}

// received is what a request brought, in memory that was reserved for it.
type received struct {
	store.Value
	hold *concurrency.OpHold
	buf  *buffer // nil where the bytes came to their place
}

// release gives the memory back: nothing may use the bytes any more.
func (g received) release() {
	if g.buf != nil {
		putBuffer(g.buf)
	}
	g.hold.Release()
}

// receive reserves memory for what a request brings, and makes it.
func (r *runner) receive(ctx context.Context, op *concurrency.Op, rd plan.Read) (received, error) {
	direct, n := r.direct(rd), r.need(rd)
	hold, err := op.Acquire(ctx, n)
	if err != nil {
		return received{}, err
	}
	g := received{hold: hold}
	into := direct
	if direct == nil {
		g.buf = getBuffer(n)
		into = g.buf.b[:0]
	}
	if g.Value, err = r.send(ctx, rd, into); err != nil {
		g.release()
		return received{}, err
	}
	if direct != nil {
		return g, nil
	}
	g.buf.b = g.Bytes // whose memory is used again
	hold.Adjust(int64(cap(g.Bytes)))
	return g, nil
}

// direct is where in the caller's memory a chunk is received whose stored bytes are its elements; nil for others.
func (r *runner) direct(rd plan.Read) []byte {
	if rd.Role != plan.Chunk {
		return nil
	}
	return rd.Pieces[0].Chunk().Room(r.memory, rd.Pieces[0].Box())
}

// need is how many bytes to reserve for a request.
func (r *runner) need(rd plan.Read) int64 {
	if rd.Exact {
		return rd.Bound
	}
	return min(r.State.estimate(rd.Pieces[0].Chunk()), rd.Bound)
}

// send asks the store, which appends to into, and checks what it gave against what was asked for.
func (r *runner) send(ctx context.Context, rd plan.Read, into []byte) (store.Value, error) {
	v, err := r.store.Get(ctx, rd.Key, rd.Options(), into)
	switch rd.Role {
	case plan.Chunk, plan.Shard:
		return r.checkWhole(rd, v, err)
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

// checkWhole checks what came of a request for all of an object.
func (r *runner) checkWhole(rd plan.Read, v store.Value, err error) (store.Value, error) {
	switch {
	case err == nil:
		r.State.seen(len(v.Bytes))
	case !errors.Is(err, fault.Limit):
	case rd.Bound > rd.Pieces[0].Chunk().Chain.Worst():
		err = fault.Newf(fault.Limit, "a shard with unused space, which this store cannot give in parts, has more bytes than ChunkLimit(%d)", rd.Bound)
	default: // Not a limit of the caller's: no encoder makes so much of a chunk.
		err = fault.Newf(fault.Corrupt, "the stored chunk has more than the %d bytes that its codecs can make: %w: %v", rd.Bound, errTooLong, err)
	}
	return v, err
}

// checkIndex checks what came of a request for the index of a stored shard: errWhole where parts of shards cannot be read.
func (r *runner) checkIndex(rd plan.Read, v store.Value, err error) (store.Value, error) {
	switch {
	case errors.Is(err, errors.ErrUnsupported), err == nil && v.Version == "":
		r.State.whole.Store(true)
		return v, errWhole
	case err == nil && int64(len(v.Bytes)) != rd.Bound:
		return v, fault.Newf(fault.Corrupt, "the store gave %d bytes of the index of a shard, which has %d", len(v.Bytes), rd.Bound)
	}
	return v, err
}

// decodeChunk takes one chunk to its place.
func (r *runner) decodeChunk(ctx context.Context, p plan.Piece, stored []byte) error {
	slot, err := r.Options.Limits.CPU.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	return p.Chunk().Decode(r.memory, p.Box(), stored, scratchOf(slot))
}

// place takes the pieces that a request for bytes of a shard brought to their places.
func (r *runner) place(ctx context.Context, s *shard, rd plan.Read, v store.Value) error {
	if rd.Role != plan.Shard {
		return r.decode(ctx, s, rd.Pieces, rd.Off, v.Bytes)
	}
	x := &shardIndex{version: v.Version}
	var err error
	if x.ShardIndex, err = s.Chunk.Shards.Cut(v.Bytes); err != nil {
		return err
	}
	if v.Version != "" {
		r.State.indexes.put(plan.IndexID{Key: rd.Key}, x)
	}
	pieces, missing, err := rd.Pieces[0].Within(x.ShardIndex)
	if err != nil {
		return err
	}
	r.fill(s, missing)
	return r.decode(ctx, s, pieces, 0, v.Bytes)
}

// fill sets inner chunks that a shard does not have to the fill value, and counts the deepest ones among them.
func (r *runner) fill(s *shard, missing []plan.Piece) {
	for _, p := range missing {
		p.Chunk().FillBox(r.memory, p.Box())
		s.missing.Add(int64(p.Touched()))
	}
}

// minDecoded is how many decoded bytes are worth a goroutine of their own: some tens of microseconds of work.
const minDecoded = 256 << 10

// decode takes inner chunks out of bytes that lie at off in the shard. Where there are many it does so on several cores.
func (r *runner) decode(ctx context.Context, s *shard, pieces []plan.Piece, off int64, b []byte) error {
	if len(pieces) == 0 {
		return nil
	}
	some := max(minDecoded/max(pieces[0].Chunk().Bytes, 1), 1)
	if len(pieces) <= some {
		return r.decodeSome(ctx, s, pieces, off, b)
	}
	return concurrency.Each(ctx, r.Options.Limits.CPU.Slots(), slices.Chunk(pieces, some), func(ctx context.Context, part []plan.Piece) error {
		return r.decodeSome(ctx, s, part, off, b)
	})
}

func (r *runner) decodeSome(ctx context.Context, s *shard, pieces []plan.Piece, off int64, b []byte) error {
	slot, err := r.Options.Limits.CPU.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	scratch := scratchOf(slot)
	for _, p := range pieces {
		if err := r.decodePiece(s, p, b[p.Off-off:p.Off-off+p.Len], scratch); err != nil {
			return p.Named(err)
		}
	}
	return nil
}

// decodePiece takes an inner chunk, or what is wanted of a shard all of whose bytes are there, to its place.
func (r *runner) decodePiece(s *shard, p plan.Piece, stored []byte, scratch *pipeline.Scratch) error {
	c := p.Chunk()
	if c.Shards == nil {
		return c.Decode(r.memory, p.Box(), stored, scratch)
	}
	x, err := c.Shards.Cut(stored)
	if err != nil {
		return err
	}
	pieces, missing, err := p.Within(x)
	if err != nil {
		return err
	}
	r.fill(s, missing)
	for _, q := range pieces {
		if err := r.decodePiece(s, q, stored[q.Off:q.Off+q.Len], scratch); err != nil {
			return q.Named(err)
		}
	}
	return nil
}
