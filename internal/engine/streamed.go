package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// streams reports whether a shard is sent in parts while it is made, beside what was stored where
// that is read.
func (r *Call) streams(o *plan.Object, read bool) bool {
	return o.Chunk.Shards != nil && !r.State.noParts.Load() && r.size().Streams(o, read)
}

// streamed is a shard that is streamed, in the one Task that it takes until it is committed. The
// parts that it sends are in it, so that it waits for request slots and CPU slots alone.
type streamed struct {
	*stream
	hold   *concurrency.Hold
	at     plan.AtOnce
	flight int
}

// stream begins to stream a shard; reading is what the caller takes beside.
func (r *Call) stream(ctx context.Context, o *plan.Object, reading int64) (*streamed, error) {
	l := r.size().Stream(o, reading)
	hold, err := r.reserve(ctx, concurrency.Task, l.Total)
	if err != nil {
		return nil, err
	}
	s := r.newStream(o, l.Limits, func(n int64) []byte { return hold.Buffer(int(n)) })
	return &streamed{s, hold, l.AtOnce, l.Flight}, nil
}

// replaceStreamed writes a shard without reading it, by a condition.
func (r *Call) replaceStreamed(ctx context.Context, o *plan.Object, c store.PutOptions) error {
	s, err := r.stream(ctx, o, 0)
	if err != nil {
		return err
	}
	defer s.hold.Release()
	err = s.during(ctx, s.hold, s.flight, func(ctx context.Context, send sender) error {
		return s.packed(o, send).run(ctx)
	})
	if err == nil && c.IfVersion != "" {
		err = r.guarded(ctx)
	}
	if err != nil {
		return s.abort(ctx, err)
	}
	return r.commit(ctx, o, s.made(), c)
}

// packed makes what is selected of a shard, for the stream.
func (s *streamed) packed(o *plan.Object, send sender) *packer {
	p := s.packer(s.hold, o, s.at)
	p.to = func(ctx context.Context, place int, stored []byte) error { return s.add(ctx, place, stored, send) }
	return p
}

// swapStreamed is swap for a shard that is streamed. Inner chunks that are not selected are read as
// they are stored, pinned to one version, and go into the new shard in the order in which they lie
// in the old one; before them come those of which nothing stays. errNoRanges and errNoParts where the
// store cannot do so.
func (r *Call) swapStreamed(ctx context.Context, o *plan.Object, t *attempt) (lost bool, err error) {
	index, err := r.reserve(ctx, concurrency.Index, plan.Sum(r.indexed(o), int64(o.Chunk.Shards.Len())*4))
	if err != nil {
		return false, err
	}
	defer index.Release()
	v := old{o: o, cut: o.Inner()}
	version, absent, err := v.find(ctx, r, t)
	if err != nil {
		return r.again(ctx, o, t, err)
	}
	if err := v.admit(r); err != nil {
		return false, err
	}
	decode, encode := o.Chunk.Inner.MostRoom()
	s, err := r.stream(ctx, o, plan.Sum(plan.Product(need(v.longest), plan.ReadsAhead), plan.Sum(plan.Room(plan.Sum(decode, encode)), need(r.size().Inner(o, 1)))))
	if err != nil {
		return false, err
	}
	defer s.hold.Release()
	err = s.during(ctx, s.hold, s.flight, func(ctx context.Context, send sender) error {
		p := s.packed(o, send)
		p.order = slices.DeleteFunc(p.order, func(t touched) bool { return v.reads(t.place) })
		if err := p.run(ctx); err != nil {
			return err
		}
		return s.carry(ctx, &v, send)
	})
	if err == nil {
		err = r.guarded(ctx)
	}
	if err != nil {
		return r.ended(o, t, s.abort(ctx, err))
	}
	if t.absent && s.locations.Stored == 0 {
		t.absent = false // what is stored beyond the shape has to be known
		return true, nil
	}
	return r.swapped(ctx, o, t, s.made(), absent, version)
}

// find reads the index of the stored shard, and says what stays of it: nothing where it is absent,
// is taken to be, or does not decode.
func (v *old) find(ctx context.Context, r *Call, t *attempt) (version store.Version, absent bool, err error) {
	if t.absent || t.short {
		return t.damaged, t.absent, nil
	}
	x, _, err := r.storedStage(ctx, v.o, t.damaged)
	if err == nil {
		err = v.expand(x, r.plan.Write.Merge, r.sizes.Carrying(r.plan.Cost))
	}
	switch {
	case errors.Is(err, fault.NotFound):
		return "", true, nil
	case (t.damaged != "" || v.o.Edge && r.bare(v.o)) && undecodable(err):
		*v = old{o: v.o, cut: v.cut}
		return t.damaged, false, nil
	case err != nil:
		return "", false, err
	}
	return x.version, false, nil
}

// old is a stored shard of which a part is written.
type old struct {
	o       *plan.Object
	cut     *plan.Cut
	stage   plan.Stage  // reads what stays
	store   store.Store // which admitted them
	within  []int32     // by place in the index: 1 + the number in the cut of an inner chunk of which something is read and something written, else 0
	longest int64       // bytes of a read at most
	total   int64       // bytes of what is read
}

// reads reports whether something is read of an inner chunk that is written.
func (v *old) reads(place int) bool { return v.within != nil && v.within[place] > 0 }

// expand says what to read: all but inner chunks of which nothing stays.
func (v *old) expand(x *shardIndex, merge bool, cost plan.Cost) error {
	blocks, decide := grid.Even(v.o.Chunk.Shards.Chunk), v.o.Decided()
	v.within = make([]int32, x.Len())
	for i := range v.cut.Len() {
		place := v.cut.Place(i)
		if v.within[place] = int32(i) + 1; !merge && v.cut.Box(i).Covers(decide, blocks) {
			v.within[place] = -1
		}
	}
	there := make([]bool, x.Len())
	err := v.without(x, cost, func(place int) bool {
		there[place] = true
		return v.within[place] < 0
	})
	for place := range v.within {
		if !there[place] {
			v.within[place] = 0
		}
	}
	return err
}

// without says what to read: all inner chunks that are stored but some.
func (v *old) without(x *shardIndex, cost plan.Cost, some func(place int) bool) (err error) {
	top := v.o.Stored()
	top.Price(cost)
	v.stage, err = top.ExpandWithout(x.version, []codec.ShardIndex{x.ShardIndex}, func(p plan.Piece) bool { return some(p.Place()) })
	for rd := range v.stage.Reads.All() {
		v.longest = max(v.longest, rd.Bound)
		for _, p := range rd.Pieces {
			v.total = plan.Sum(v.total, p.Len)
		}
	}
	return err
}

// admit admits the reads, and refuses those of more than a shard may have.
func (v *old) admit(r *Call) (err error) {
	if most := r.sizes.Longest(v.o.Chunk); v.total > most {
		return fault.Newf(fault.Limit, "the inner chunks of the shard have more than %d bytes", most)
	}
	v.store, err = r.account.AdmitAll(r.store, v.stage.Reads.Len(), v.stage.Reads.Bytes())
	return err
}

// carry reads what stays of the old shard, and appends it: inner chunks that are not written as
// they are, others with what is written laid over them.
func (s *streamed) carry(ctx context.Context, v *old, send sender) error {
	var changed []byte
	bufs := make([]store.Value, plan.ReadsAhead)
	for some := range batches(v.stage.Reads.All(), plan.ReadsAhead) {
		err := concurrency.EachN(ctx, plan.ReadsAhead, len(some), func(ctx context.Context, i int) (err error) {
			bufs[i], err = s.send(ctx, v.store, some[i], s.hold, some[i].Bound)
			return err
		})
		if err != nil {
			return err
		}
		for i, rd := range some {
			for _, p := range rd.Pieces {
				b := rd.Of(p, bufs[i].Bytes)
				if v.reads(p.Place()) {
					k := v.within[p.Place()]
					if changed, err = s.change(ctx, v, int(k)-1, changed[:0], b); err != nil {
						return err
					}
					b = changed
				}
				if err := s.add(ctx, p.Place(), b, send); err != nil {
					return err
				}
			}
			s.hold.Put(bufs[i].Bytes)
		}
	}
	return nil
}

// change lays what is written over an inner chunk.
func (s *streamed) change(ctx context.Context, v *old, i int, dst, stored []byte) ([]byte, error) {
	c, err := s.cpu(ctx, s.hold)
	if err != nil {
		return nil, err
	}
	defer c.release()
	if dst == nil {
		dst = buffer(s.hold, s.size().Inner(v.o, 1))
	}
	box := v.cut.Box(i)
	decided := !s.plan.Write.Merge && box.Covers(v.o.Inside(), grid.Even(v.o.Chunk.Shards.Chunk))
	out, _, err := s.encodeOver(ctx, v.o.Key, v.o.Chunk.Inner, box, dst, stored, &c.Scratch, decided)
	if err != nil {
		return nil, fmt.Errorf("inner chunk %v: %w", box.Coord, err)
	}
	s.hold.Adopt(out)
	return out, nil
}
