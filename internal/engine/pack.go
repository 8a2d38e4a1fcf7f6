package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// packer makes one shard in memory, of what is written of it and of what it was. Inner chunks that are not touched keep their stored
// bytes: they are neither decoded nor encoded.
type packer struct {
	*runner
	o      *plan.Object
	cut    *plan.Cut
	old    []byte            // the stored shard; nil when there is none, or nothing of it is needed
	index  *codec.ShardIndex // of old, as are
	blocks []grid.Axis       // how the shard is cut into inner chunks
	inside []int             // shape of what of the array begins with this shard
	hold   *concurrency.Hold
	pieces [][]byte // stored bytes of the inner chunks of cut; nil for one that is all fill value
}

// packing is how a shard is made: so many inner chunks in one go, so many of these at once, and what that takes beside the shard, of n bytes.
func (r *runner) packing(o *plan.Object, n int64) atOnce {
	c, touched := o.Chunk.Inner, o.TouchedInner()
	decode, encode := c.MostRoom()
	each := room(sum(decode, encode))
	at := atOnce{some: max(minDecoded/max(c.Bytes, 1), 1)}
	at.slots = r.split((touched-1)/at.some+1, n, each)
	at.room = sum(sum(room(r.inner(o, touched)), times(each, int64(at.slots))), int64(o.Chunk.Shards.Len())*(16+plan.PieceBytes))
	return at
}

// inner is how many bytes so many inner chunks of a shard have, as a rule.
func (r *runner) inner(o *plan.Object, touched int) int64 {
	if n := o.Chunk.Inner.Chain.Typical(); n >= 0 {
		return min(times(n, int64(touched)), r.typical(o.Chunk))
	}
	return r.typical(o.Chunk)
}

// pack appends to dst the shard with what is written laid over the old one; empty reports that no inner chunk is left to be stored.
func (r *runner) pack(ctx context.Context, hold *concurrency.Hold, dst []byte, o *plan.Object, old []byte) (_ []byte, empty bool, err error) {
	p := packer{runner: r, o: o, cut: o.Inner(), old: old, hold: hold}
	if old != nil {
		x, err := o.Chunk.Shards.IndexOf(old)
		if err != nil {
			return dst, false, err
		}
		p.index, p.blocks, p.inside = &x, grid.Even(o.Chunk.Shards.Chunk), o.Inside()
	}
	p.pieces = make([][]byte, p.cut.Len())
	at := r.packing(o, r.typical(o.Chunk))
	err = concurrency.EachN(ctx, at.slots, (len(p.pieces)-1)/at.some+1, func(ctx context.Context, k int) error {
		return p.encode(ctx, k*at.some, min((k+1)*at.some, len(p.pieces)))
	})
	if err != nil {
		return dst, false, err
	}
	s, err := r.cpu(ctx, hold)
	if err != nil {
		return dst, false, err
	}
	defer s.release()
	dst, stored, err := p.join(ctx, dst)
	return dst, stored == 0 && !r.Options.StoreFill, err
}

// encode encodes the inner chunks lo to hi-1 of the cut.
func (p *packer) encode(ctx context.Context, lo, hi int) error {
	s, err := p.cpu(ctx, p.hold)
	if err != nil {
		return err
	}
	defer s.release()
	out := buffer(p.hold, p.inner(p.o, hi-lo))
	defer func() { p.hold.Adopt(out) }()
	ends := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if err := now(ctx, i); err != nil {
			return err
		}
		box := p.cut.Box(i)
		old, err := p.before(box)
		if err == nil {
			out, _, err = p.encodeOne(ctx, p.o.Key, p.o.Chunk.Inner, box, out, old, &s.Scratch)
		}
		if err != nil {
			return fmt.Errorf("inner chunk %v: %w", box.Coord, err)
		}
		ends = append(ends, len(out))
	}
	from := 0
	for k, end := range ends {
		if end > from {
			p.pieces[lo+k] = out[from:end:end]
		}
		from = end
	}
	return nil
}

// before is what is stored of an inner chunk; nil where there is nothing, or nothing of it is left.
func (p *packer) before(box grid.Box) ([]byte, error) {
	if p.index == nil || !p.plan.Write.Merge && box.Covers(p.inside, p.blocks) {
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

// join appends the shard to dst; stored is the number of inner chunks in it.
func (p *packer) join(ctx context.Context, dst []byte) (_ []byte, stored int, err error) {
	touched := make(map[int]int, len(p.pieces)) // place in the index -> number in the cut
	for i := range p.pieces {
		touched[p.cut.Place(i)] = i
	}
	most := int(min(plan.Packed(p.o.Chunk), math.MaxInt/2)) + len(p.old) // of what was and is
	return p.o.Chunk.Shards.Pack(dst, func(dst []byte, place int) ([]byte, error) {
		if err := now(ctx, place); err != nil {
			return dst, err
		}
		if i, ok := touched[place]; ok {
			return append(dst, p.pieces[i]...), nil
		}
		if p.index == nil {
			return dst, nil
		}
		b, err := p.stored(place)
		if err != nil {
			return dst, fmt.Errorf("what is not written: %w", err)
		}
		// Without shared bytes there are no more than in the old one; shared ones are as good as written anew.
		if len(dst)+len(b) > most {
			return dst, fault.Newf(fault.Limit, "the shard that is written has more than %d bytes: the index of the old one has inner chunks share theirs", most)
		}
		return append(dst, b...), nil
	})
}

// now looks at the context in every 4096th round of a loop that may be long, and whose rounds are short.
func now(ctx context.Context, i int) error {
	if i%4096 == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
