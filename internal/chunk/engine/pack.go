package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
)

// pack returns the shard with the selected elements written over old. Other inner chunks of old
// keep their stored bytes. empty reports that the new shard does not contain inner chunks.
func (r *Call) pack(ctx context.Context, hold *concurrency.Hold, o *plan.Object, n plan.Packing, old []byte) (_ []byte, empty bool, err error) {
	p := r.packer(hold, o, n.AtOnce)
	index, _ := o.Chunk.Shards.IndexSize()
	likely := min(n.Length, plan.Sum(plan.Sum(index, int64(len(old))), r.size().Inner(o, len(p.order))))
	if p.shard, err = assemble.NewShard(o.Chunk, hold, old, likely); err != nil {
		return nil, false, err
	}
	if old != nil {
		p.over()
	}
	if err := p.run(ctx); err != nil {
		return nil, false, err
	}
	return p.shard.End(ctx)
}

// packer encodes the selected inner chunks of one shard and passes them on in the order of the
// index. It encodes groups of inner chunks, several groups at a time. Only these groups and the
// shard are in memory. Group k is in runs[k%len(runs)].
type packer struct {
	*Call
	o     *plan.Object
	cut   *plan.Cut
	hold  *concurrency.Hold
	order []touched
	at    plan.AtOnce
	runs  [][]byte
	to    func(ctx context.Context, place int, stored []byte) error // receives the encoded inner chunks; nil means shard.Add
	shard assemble.Shard                                            // used if to is nil

	// The fields below are set only for changes of a stored shard.

	blocks []grid.Axis // the grid of inner chunks in the shard
	decide []int       // extent of the shard that the write replaces, see plan.Object.Decided
	inside []int       // extent of the array, from the first element of the shard
}

// over prepares p for changes of stored inner chunks.
func (p *packer) over() {
	p.blocks, p.decide, p.inside = grid.Even(p.o.Chunk.Shards.Chunk), p.o.Decided(), p.o.Inside()
}

// packer returns a packer for the selected inner chunks of a shard, in the order of the index.
func (r *Call) packer(hold *concurrency.Hold, o *plan.Object, at plan.AtOnce) *packer {
	p := &packer{Call: r, o: o, cut: o.Inner(), hold: hold, at: at, runs: make([][]byte, at.Slots)}
	p.order = make([]touched, p.cut.Len())
	for i := range p.order {
		p.order[i] = touched{place: p.cut.Place(i), i: i}
	}
	// If steps are negative, the cut is not in the order of the index.
	slices.SortFunc(p.order, func(a, b touched) int { return a.place - b.place })
	return p
}

// touched is an inner chunk that is written.
type touched struct {
	place int // position in the index
	i     int // index in the cut
	end   int // end of its bytes in the run; the bytes are empty if all elements are the fill value
}

// run encodes the inner chunks in order and passes them on.
func (p *packer) run(ctx context.Context) error {
	if len(p.order) <= p.at.Some {
		err := p.encode(ctx, 0)
		if err == nil {
			err = p.take(ctx, 0)
		}
		return err
	}
	return concurrency.Ordered(ctx, p.at.Slots, (len(p.order)-1)/p.at.Some+1, p.encode, p.take)
}

// some returns group k of the inner chunks and the buffer of the group.
func (p *packer) some(k int) ([]touched, *[]byte) {
	return p.order[k*p.at.Some : min((k+1)*p.at.Some, len(p.order))], &p.runs[k%len(p.runs)]
}

// encode encodes group k.
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
		if n%4096 == 0 && ctx.Err() != nil { // a group may have many small inner chunks
			err = context.Cause(ctx)
			break
		}
		box, old := p.cut.Box(order[n].i), []byte(nil)
		if p.blocks != nil && (p.plan.Write.Merge || !box.Covers(p.decide, p.blocks)) {
			old, err = p.shard.Old(order[n].place)
		}
		if out, err = p.encodeInner(ctx, box, out, old, err, &s.Scratch); err != nil {
			break
		}
		order[n].end = len(out)
	}
	p.hold.Adopt(out)
	*run = out
	return err
}

// encodeInner appends an inner chunk to dst. It writes the selected elements over old, the stored
// form, if old is not nil. err is the error of reading old.
func (p *packer) encodeInner(ctx context.Context, box grid.Box, dst, old []byte, err error, s *pipeline.Scratch) ([]byte, error) {
	if err == nil {
		decided := old != nil && !p.plan.Write.Merge && box.Covers(p.inside, p.blocks)
		dst, _, err = p.encodeOver(ctx, p.o.Key, p.o.Chunk.Inner, box, dst, old, s, decided)
	}
	if err != nil {
		err = fmt.Errorf("inner chunk %v: %w", box.Coord, err)
	}
	return dst, err
}

// take passes on the encoded inner chunks of group k.
func (p *packer) take(ctx context.Context, k int) error {
	order, run := p.some(k)
	from := 0
	for _, t := range order {
		var err error
		if b := (*run)[from:t.end]; p.to != nil {
			err = p.to(ctx, t.place, b)
		} else {
			err = p.shard.Add(ctx, t.place, b)
		}
		if err != nil {
			return err
		}
		from = t.end
	}
	return nil
}

// encodeOver is encodeOne over old, the stored form of a chunk. decided means that the box selects
// all elements of the chunk inside the array, so that an old that does not decode is replaced.
func (r *Call) encodeOver(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, dst, old []byte, s *pipeline.Scratch, decided bool) (out []byte, empty bool, err error) {
	out, empty, err = r.encodeOne(ctx, key, c, b, dst, old, s)
	if decided && old != nil && undecodable(err) {
		return r.encodeOne(ctx, key, c, b, dst, nil, s)
	}
	return out, empty, err
}
