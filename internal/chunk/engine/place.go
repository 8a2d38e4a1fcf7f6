package engine

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// shard is one version of a stored shard during a read. It is a source that reads from the store
// and decodes inner chunks to r.memory.
type shard struct {
	*plan.Object
	call    *Call
	index   *shardIndex
	missing atomic.Int64 // number of selected innermost chunks that are not stored
}

// fetch sends one request and decodes the received pieces of shard s. s is nil for a chunk.
func (r *Call) fetch(ctx context.Context, s *shard, rd plan.Read) error {
	st, slot, err := r.begun(ctx, rd)
	if err != nil {
		return err
	}
	defer slot.Release()
	return r.fetchAdmitted(ctx, st, s, rd)
}

// fetchAdmitted is fetch for a request that is admitted and has a slot.
func (r *Call) fetchAdmitted(ctx context.Context, st store.Store, s *shard, rd plan.Read) error {
	if s == nil {
		return r.fetchChunk(ctx, st, rd)
	}
	at := r.size().Decoding(rd, r.size().First(rd))
	got, err := r.receive(ctx, st, rd, at.Room, nil)
	if err != nil {
		return err
	}
	defer got.hold.Release()
	if rd.Role != plan.Shard {
		return r.decode(ctx, s, rd.Pieces, rd.Off, got, at)
	}
	x, pieces, err := r.within(ctx, s, rd.Pieces[0], got.Bytes)
	if err != nil {
		return err
	}
	if got.Version != "" {
		r.State.keep(&shardIndex{x, plan.IndexID{Key: rd.Key}, got.Version})
	}
	return r.decode(ctx, s, pieces, 0, got, at)
}

// fetchChunk is fetchAdmitted for an unsharded chunk or a range of it. If the stored bytes are the
// elements themselves, fetchChunk receives them directly in r.memory.
func (r *Call) fetchChunk(ctx context.Context, st store.Store, rd plan.Read) (err error) {
	c, box := rd.Pieces[0].Chunk(), rd.Pieces[0].Box()
	into, more := c.Room(r.memory, box), int64(0) // decoding a range needs no extra memory
	if rd.Range.IsWhole() {
		more = plan.Room(c.DecodeRoom(r.memory, box))
	} else {
		if into = c.SpanRoom(r.memory, box); r.memory.Use != nil {
			more = plan.Room(int64(box.Len()) * int64(c.Size))
		}
	}
	var got received
	if into != nil {
		got, err = r.receiveInto(ctx, st, rd, into, more)
	} else {
		got, err = r.receive(ctx, st, rd, more, nil)
	}
	if err != nil {
		return err
	}
	defer got.hold.Release()
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return err
	}
	defer s.release()
	if rd.Range.IsWhole() {
		return r.decodeOne(ctx, rd.Key, c, box, got.Bytes, &s.Scratch)
	}
	return r.decodeSpan(ctx, rd.Key, c, box, got.Bytes, &s.Scratch)
}

// within decodes the index x of a shard that is in memory. It returns the selected inner chunks
// that are stored, and sets the missing ones to the fill value.
func (r *Call) within(ctx context.Context, s *shard, p plan.Piece, stored []byte) (x codec.ShardIndex, pieces []plan.Piece, err error) {
	if x, err = p.Chunk().Shards.IndexOf(stored); err != nil {
		return x, nil, err
	}
	pieces, missing, err := p.Within(x)
	if err == nil {
		r.fill(ctx, s, missing)
	}
	return x, pieces, err
}

// fill sets missing inner chunks to the fill value and adds them to the count of missing chunks.
func (r *Call) fill(ctx context.Context, s *shard, missing []plan.Piece) {
	for _, p := range missing {
		r.fillOne(ctx, s.Key, p.Chunk(), p.Box())
		s.missing.Add(int64(p.Touched()))
	}
}

// fillOne calls [pipeline.Chunk.FillBox] for a chunk that is not stored.
func (r *Call) fillOne(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box) {
	c.FillBox(r.memory, b)
	r.missing(ctx, key, b)
}

// decode decodes inner chunks to r.memory, several at a time. off is the offset in the shard at
// which the bytes of from start.
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

// decodePiece decodes an inner chunk, or the selected part of a nested shard, to r.memory.
func (r *Call) decodePiece(ctx context.Context, s *shard, p plan.Piece, stored []byte, scratch *pipeline.Scratch) error {
	c := p.Chunk()
	if c.Shards == nil {
		return r.decodeOne(ctx, s.Key, c, p.Box(), stored, scratch)
	}
	_, pieces, err := r.within(ctx, s, p, stored)
	if err != nil {
		return err
	}
	for _, q := range pieces {
		if err := r.decodePiece(ctx, s, q, stored[q.Off:q.Off+q.Len], scratch); err != nil {
			return q.Named(err)
		}
	}
	return nil
}
