package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// streamed is a shard that is sent in parts. It holds one Task until the commit. The Task includes
// the parts in flight, so the stream waits only for request slots and CPU slots.
type streamed struct {
	out    *assemble.Stream
	hold   *concurrency.Hold
	at     plan.AtOnce
	flight int
}

// stream returns a stream for a shard. It reserves memory, including n bytes for reads.
func (r *Call) stream(ctx context.Context, o *plan.Object, limits plan.Limits, n int64) (*streamed, error) {
	l := r.size().Stream(o, limits, n)
	hold, err := r.reserve(ctx, concurrency.Task, l.Total)
	if err != nil {
		return nil, err
	}
	s := r.newStream(o, l.Limits, func(n int64) []byte { return hold.Buffer(int(n)) })
	return &streamed{s, hold, l.AtOnce, l.Flight}, nil
}

// replaceStreamed writes a shard on a condition, without reading it.
func (r *Call) replaceStreamed(ctx context.Context, o *plan.Object, l plan.Limits, c store.PutOptions) error {
	s, err := r.stream(ctx, o, l, 0)
	if err != nil {
		return err
	}
	defer s.hold.Release()
	err = s.out.During(ctx, s.hold, s.flight, func(ctx context.Context, send assemble.Sender) error {
		p := r.packer(s.hold, o, s.at)
		p.to = s.out.To(send)
		return p.run(ctx)
	})
	if err == nil && c.IfVersion != "" {
		err = r.guarded(ctx)
	}
	if err != nil {
		return s.out.Abort(ctx, err)
	}
	return r.commit(ctx, o, streamMade(s.out), c)
}

// swapStreamed is swap for a shard that is streamed. It first sends the selected inner chunks that
// keep no old element. Then it reads and adds the other stored inner chunks in the order of the old
// shard, all of one version. It returns assemble.ErrNoParts or plan.ErrNoRanges if the store does
// not support parts or ranges.
func (r *Call) swapStreamed(ctx context.Context, o *plan.Object, l plan.Limits, t *attempt) (lost bool, err error) {
	index, err := r.reserve(ctx, concurrency.Index, plan.Sum(r.indexed(o), int64(o.Chunk.Shards.Len())*4))
	if err != nil {
		return false, err
	}
	defer index.Release()
	stays, version, absent, err := r.stays(ctx, o, t)
	if err != nil {
		return r.again(ctx, o, t, err)
	}
	st, err := r.admit(o, &stays)
	if err != nil {
		return false, err
	}
	decode, encode := o.Chunk.Inner.MostRoom()
	s, err := r.stream(ctx, o, l, plan.Sum(plan.Product(need(stays.Longest), plan.ReadsAhead), plan.Sum(plan.Room(plan.Sum(decode, encode)), need(r.size().Inner(o, 1)))))
	if err != nil {
		return false, err
	}
	defer s.hold.Release()
	err = s.out.During(ctx, s.hold, s.flight, func(ctx context.Context, send assemble.Sender) error {
		p := r.packer(s.hold, o, s.at)
		p.to = s.out.To(send)
		p.order = slices.DeleteFunc(p.order, func(t touched) bool {
			_, read := stays.Changed(t.place)
			return read
		})
		if err := p.run(ctx); err != nil {
			return err
		}
		p.over()
		return p.carry(ctx, st, &stays)
	})
	if err == nil {
		err = r.guarded(ctx)
	}
	if err != nil {
		return r.ended(o, t, s.out.Abort(ctx, err))
	}
	if t.absent && s.out.Stored() == 0 {
		t.absent = false // nothing is put, so the stored object must be read
		return true, nil
	}
	return r.swapped(ctx, o, t, streamMade(s.out), absent, version)
}

// stays reads the index of the stored shard and returns the reads of the inner chunks to keep.
// There are none if the shard is absent, or assumed to be absent, or does not decode.
func (r *Call) stays(ctx context.Context, o *plan.Object, t *attempt) (stays plan.Stays, version store.Version, absent bool, err error) {
	if t.absent || t.short {
		return stays, t.damaged, t.absent, nil
	}
	x, err := r.storedIndex(ctx, o, t.damaged)
	if err == nil {
		stays, err = o.Stays(x.ShardIndex, x.version, o.Inner(), r.sizes.Carrying(r.plan.Cost))
	}
	switch {
	case errors.Is(err, fault.NotFound):
		return plan.Stays{}, "", true, nil
	case (t.damaged != "" || o.Edge && r.bare(o)) && undecodable(err):
		return plan.Stays{}, t.damaged, false, nil
	case err != nil:
		return plan.Stays{}, "", false, err
	}
	return stays, x.version, false, nil
}

// admit admits the reads of inner chunks to keep. It returns fault.Limit if the inner chunks have
// more bytes than a shard may have.
func (r *Call) admit(o *plan.Object, s *plan.Stays) (store.Store, error) {
	if most := r.sizes.Longest(o.Chunk); s.Total > most {
		return nil, fault.Newf(fault.Limit, "the remaining inner chunks of the shard have more than %d bytes", most)
	}
	return r.account.AdmitAll(r.store, s.Reads.Len(), s.Reads.Bytes())
}

// carry reads from st the inner chunks that the new shard retains, and passes them on. It changes
// inner chunks that contain selected elements, and passes on the others in their stored form.
func (p *packer) carry(ctx context.Context, st store.Store, stays *plan.Stays) error {
	var changed []byte
	bufs := make([]store.Value, plan.ReadsAhead)
	for some := range batches(stays.Reads.All(), plan.ReadsAhead) {
		err := concurrency.EachN(ctx, plan.ReadsAhead, len(some), func(ctx context.Context, i int) (err error) {
			bufs[i], err = p.send(ctx, st, some[i], p.hold, some[i].Bound)
			return err
		})
		if err != nil {
			return err
		}
		for i, rd := range some {
			for _, piece := range rd.Pieces {
				b := rd.Of(piece, bufs[i].Bytes)
				if k, ok := stays.Changed(piece.Place()); ok {
					if changed, err = p.change(ctx, k, changed[:0], b); err != nil {
						return err
					}
					b = changed
				}
				if err := p.to(ctx, piece.Place(), b); err != nil {
					return err
				}
			}
			p.hold.Put(bufs[i].Bytes)
		}
	}
	return nil
}

// change writes the selected elements over the stored form of inner chunk i of the cut.
func (p *packer) change(ctx context.Context, i int, dst, stored []byte) ([]byte, error) {
	s, err := p.cpu(ctx, p.hold)
	if err != nil {
		return nil, err
	}
	defer s.release()
	if dst == nil {
		dst = buffer(p.hold, p.size().Inner(p.o, 1))
	}
	out, err := p.encodeInner(ctx, p.cut.Box(i), dst, stored, nil, &s.Scratch)
	if err != nil {
		return nil, err
	}
	p.hold.Adopt(out)
	return out, nil
}

// packing returns how a shard is encoded; see [plan.Memory.Packing].
func (r *Call) packing(o *plan.Object, read bool) plan.Packing {
	p := r.size().Packing(o, read)
	p.Streams = p.Streams && !r.State.noParts.Load()
	return p
}

// newStream returns a stream for a shard.
func (r *Call) newStream(o *plan.Object, l plan.Limits, buffer func(n int64) []byte) *assemble.Stream {
	return assemble.NewStream(assemble.Options{
		Store: r.store, Key: o.Key, Shards: o.Chunk.Shards, Limits: l, Buffer: buffer, Budget: r.Options.Limits.Bytes.Size(), NoParts: &r.State.noParts,
	})
}
