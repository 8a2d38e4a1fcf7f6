package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// packer makes one shard, of what is written of it and of what it was: in memory, or for a
// [stream]. Inner chunks that are not touched keep their stored bytes: they are neither decoded nor
// encoded. Those that are written are encoded some at a time, in the order of the index, on several
// cores, and appended as their turn comes: beside the shard there are never more of them than are
// encoded at once.
type packer struct {
	*Call
	o      *plan.Object
	cut    *plan.Cut
	old    []byte            // the stored shard; nil when there is none, or nothing of it is needed
	index  *codec.ShardIndex // of old, as are
	blocks []grid.Axis       // how the shard is cut into inner chunks
	decide []int             // extent of the shard that the write decides, see plan.Object.Decided
	inside []int             // and of what of the array begins with this shard
	hold   *concurrency.Hold
	order  []touched
	at     plan.AtOnce
	runs   [][]byte                                                  // the k-th inner chunks that are encoded in one go are in runs[k%len(runs)]
	to     func(ctx context.Context, place int, stored []byte) error // takes inner chunks where the shard is not made in memory; nil: it is
	shard  codec.Packing
	next   int // place up to which the shard is made
	most   int // bytes that the shard may have
	likely int // bytes that it rarely exceeds
}

// touched is an inner chunk that is written.
type touched struct {
	place int // in the index
	i     int // in the cut
	end   int // of its bytes among those that were encoded with it; it has none where it is all fill value
}

// pack gives the shard with what is written laid over the old one; empty reports that no inner
// chunk is left to be stored.
func (r *Call) pack(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (_ []byte, empty bool, err error) {
	m := r.size()
	p := r.packer(hold, o, m.Packing(o, m.Typical(o.Chunk)))
	if old != nil {
		p.old = old
		x, err := o.Chunk.Shards.IndexOf(old)
		if err != nil {
			return nil, false, err
		}
		p.index, p.blocks, p.decide, p.inside = &x, grid.Even(o.Chunk.Shards.Chunk), o.Decided(), o.Inside()
	}
	index, _ := o.Chunk.Shards.IndexSize()
	p.likely = int(min(math.MaxInt/2, m.Typical(o.Chunk), plan.Sum(plan.Sum(index, int64(len(old))), m.Inner(o, len(p.order)))))
	p.most = int(min(plan.Packed(o.Chunk), math.MaxInt/2)) + len(old) // of what was and is
	p.shard = o.Chunk.Shards.Pack(hold.Buffer(min(p.likely, longest)))
	if err = p.run(ctx); err == nil {
		err = p.carry(ctx, o.Chunk.Shards.Len())
	}
	if err != nil {
		return nil, false, err
	}
	b, err := p.shard.End()
	return b, p.shard.Stored == 0, err
}

// packer has all that is selected of a shard, in the order of the index.
func (r *Call) packer(hold *concurrency.Hold, o *plan.Object, at plan.AtOnce) *packer {
	p := &packer{Call: r, o: o, cut: o.Inner(), hold: hold, at: at, runs: make([][]byte, at.Slots)}
	p.order = make([]touched, p.cut.Len())
	for i := range p.order {
		p.order[i] = touched{place: p.cut.Place(i), i: i}
	}
	slices.SortFunc(p.order, func(a, b touched) int { return a.place - b.place }) // of a selection with negative steps they are not
	return p
}

// run encodes what is in order, and appends it.
func (p *packer) run(ctx context.Context) error {
	if len(p.order) <= p.at.Some {
		err := p.encode(ctx, 0)
		if err == nil {
			err = p.take(ctx, 0)
		}
		return err
	}
	return concurrency.InTurn(ctx, p.at.Slots, (len(p.order)-1)/p.at.Some+1, p.encode, p.take)
}

// some are the k-th inner chunks that are encoded in one go, and the memory for them.
func (p *packer) some(k int) ([]touched, *[]byte) {
	return p.order[k*p.at.Some : min((k+1)*p.at.Some, len(p.order))], &p.runs[k%len(p.runs)]
}

// encode encodes the k-th inner chunks.
func (p *packer) encode(ctx context.Context, k int) error {
	s, err := p.cpu(ctx, p.hold)
	if err != nil {
		return err
	}
	defer s.release()
	order, run := p.some(k)
	if *run == nil {
		*run = buffer(p.hold, p.size().Inner(p.o, len(order)))
	}
	out := (*run)[:0]
	for n := range order {
		if err = now(ctx, n); err != nil {
			break
		}
		box, old := p.cut.Box(order[n].i), []byte(nil)
		if old, err = p.before(box); err == nil {
			decided := old != nil && !p.plan.Write.Merge && box.Covers(p.inside, p.blocks)
			out, _, err = p.encodeOver(ctx, p.o.Key, p.o.Chunk.Inner, box, out, old, &s.Scratch, decided)
		}
		if err != nil {
			err = fmt.Errorf("inner chunk %v: %w", box.Coord, err)
			break
		}
		order[n].end = len(out)
	}
	p.hold.Adopt(out)
	*run = out
	return err
}

// before is what is stored of an inner chunk; nil where there is nothing, or nothing of it is left.
func (p *packer) before(box grid.Box) ([]byte, error) {
	if p.index == nil || !p.plan.Write.Merge && box.Covers(p.decide, p.blocks) {
		return nil, nil
	}
	return p.stored(p.o.Chunk.Shards.Position(box.Coord))
}

// stored are the bytes of an inner chunk in the old shard; nil where it is missing.
func (p *packer) stored(place int) ([]byte, error) {
	off, n, ok, err := p.index.At(place)
	if err != nil || !ok {
		return nil, err
	}
	// A shard in a shard may have unused space of any length: join bounds what comes of that.
	if most := p.o.Chunk.Inner.Chain.Worst(); n > most && p.o.Chunk.Inner.Shards == nil {
		return nil, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %d has %d bytes, its codecs make at most %d", place, n, most)
	}
	return p.old[off : off+n], nil
}

// take appends the k-th inner chunks to the shard, after those of the old one that come before each.
func (p *packer) take(ctx context.Context, k int) error {
	order, run := p.some(k)
	from := 0
	for _, t := range order {
		if err := p.carry(ctx, t.place); err != nil {
			return err
		}
		if err := p.add(ctx, t.place, (*run)[from:t.end]); err != nil {
			return err
		}
		p.next, from = t.place+1, t.end
	}
	return nil
}

// carry appends the stored inner chunks of the old shard up to a place.
func (p *packer) carry(ctx context.Context, place int) error {
	if p.index == nil {
		return nil
	}
	for ; p.next < place; p.next++ {
		if err := now(ctx, p.next); err != nil {
			return err
		}
		b, err := p.stored(p.next)
		if err != nil {
			return fmt.Errorf("what is not written: %w", err)
		}
		// Without shared bytes there are no more than in the old one; shared ones are as good as
		// written anew.
		if len(p.shard.Bytes)+len(b) > p.most {
			return fault.Newf(fault.Limit, "the shard that is written has more than %d bytes: the index of the old one has inner chunks share theirs", p.most)
		}
		if err := p.add(ctx, p.next, b); err != nil {
			return err
		}
	}
	return nil
}

// add appends an inner chunk. At first there is no memory for more than [longest], then for twice
// as much as is there.
func (p *packer) add(ctx context.Context, place int, stored []byte) error {
	if p.to != nil {
		return p.to(ctx, place, stored)
	}
	dst := p.shard.Bytes
	if n := len(dst) + len(stored); n > cap(dst) && cap(dst) > 0 {
		p.hold.Adopt(dst)
		p.shard.Bytes = append(p.hold.Buffer(max(n, min(2*cap(dst), p.likely))), dst...)
		p.hold.Put(dst)
	}
	p.shard.Add(place, stored)
	return nil
}

// now looks at the context in every 4096th round of a loop that may be long, and whose rounds are
// short.
func now(ctx context.Context, i int) error {
	if i%4096 == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
