package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/assemble"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
)

// packer encodes the selected inner chunks of one shard, some at a time on several cores, and
// passes them on in the order of the index. Besides the shard there are never more of them in
// memory than are encoded at once.
type packer struct {
	*Call
	o     *plan.Object
	cut   *plan.Cut
	hold  *concurrency.Hold
	order []touched
	at    plan.AtOnce
	runs  [][]byte                                                  // the k-th inner chunks that are encoded in one go are in runs[k%len(runs)]
	to    func(ctx context.Context, place int, stored []byte) error // nil: the shard
	shard assemble.Shard                                            // that is made in memory

	// Of a shard over a stored one, else nil:

	blocks []grid.Axis // how the shard is cut into inner chunks
	decide []int       // extent of the shard that the write decides, see plan.Object.Decided
	inside []int       // extent of the array from the first element of the shard on
}

// touched is an inner chunk that is written.
type touched struct {
	place int // in the index
	i     int // in the cut
	end   int // of its bytes among those that were encoded with it; it has none where it is all fill value
}

// pack returns the shard with what is written laid over the old one; empty reports that no inner
// chunk is stored. Inner chunks of the old one that are not selected keep their stored bytes.
func (r *Call) pack(ctx context.Context, hold *concurrency.Hold, o *plan.Object, old []byte) (_ []byte, empty bool, err error) {
	m := r.size()
	p := r.packer(hold, o, m.Packing(o, m.Typical(o.Chunk)))
	index, _ := o.Chunk.Shards.IndexSize()
	likely := min(m.Typical(o.Chunk), plan.Sum(plan.Sum(index, int64(len(old))), m.Inner(o, len(p.order))))
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

// over makes the packer ready to lay what is written over inner chunks that are stored.
func (p *packer) over() {
	p.blocks, p.decide, p.inside = grid.Even(p.o.Chunk.Shards.Chunk), p.o.Decided(), p.o.Inside()
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

// run encodes what is in order, and passes it on.
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
		if n%4096 == 0 && ctx.Err() != nil { // inner chunks may be many and short
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

// encodeInner appends an inner chunk to dst, over its stored form if old is not nil. err is an
// earlier error about the chunk.
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

// take passes on the k-th inner chunks.
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

// encodeOver is encodeOne over the stored form of a chunk. decided reports that the box selects all
// elements of the chunk inside the array. A stored form that does not decode is then replaced, as
// nothing of it can be kept.
func (r *Call) encodeOver(ctx context.Context, key string, c *pipeline.Chunk, b grid.Box, dst, old []byte, s *pipeline.Scratch, decided bool) (out []byte, empty bool, err error) {
	out, empty, err = r.encodeOne(ctx, key, c, b, dst, old, s)
	if decided && old != nil && undecodable(err) {
		return r.encodeOne(ctx, key, c, b, dst, nil, s)
	}
	return out, empty, err
}
