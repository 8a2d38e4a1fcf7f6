package zarr

import (
	"context"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// shardPacker makes one shard of what is written of it and of what it was. Inner chunks that are not touched keep their
// stored bytes: they are neither decoded nor encoded.
type shardPacker struct {
	*chunkWriter
	cut    shard.Cut
	inside []int             // shape of what of the array begins with this shard
	old    []byte            // the stored shard; nil when there is none, or nothing of it is needed
	index  *codec.ShardIndex // of old
	pieces [][]byte          // stored bytes of the inner chunks of cut; nil for one that is all fill value
}

// packShard appends to buf the shard with src laid over the old one; empty tells that no inner chunk is left to be stored.
func (w *chunkWriter) packShard(ctx context.Context, buf *buffer, old []byte) (empty bool, err error) {
	a := w.a
	p := shardPacker{chunkWriter: w, cut: w.layout.Cut(w.f.Box), inside: make([]int, len(a.meta.Shape)), old: old}
	for i, c := range w.f.Coord {
		start, _ := a.pipe.Axes()[i].Chunk(c)
		p.inside[i] = a.meta.Shape[i] - start
	}
	if old != nil {
		x, err := w.layout.Shards.Cut(old)
		if err != nil {
			return false, err
		}
		p.index = &x
	}
	p.pieces = make([][]byte, p.cut.Len())
	each := max(int(minDecoded/max(w.layout.ChunkBytes, 1)), 1)
	err = concurrency.EachN(ctx, a.cfg.limits.CPU.Slots(), (len(p.pieces)-1)/each+1, func(ctx context.Context, k int) error {
		return p.encodeSome(ctx, k*each, min((k+1)*each, len(p.pieces)))
	})
	if err != nil {
		return false, err
	}
	slot, err := a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer slot.Release()
	stored := 0
	if buf.b, stored, err = p.pack(ctx, buf.b[:0]); err != nil {
		return false, err
	}
	if stored > 0 {
		a.observe(len(buf.b))
	}
	return stored == 0 && !a.cfg.storeFill, nil
}

// encodeSome encodes the inner chunks lo to hi-1 of the cut.
func (p *shardPacker) encodeSome(ctx context.Context, lo, hi int) error {
	slot, err := p.a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	s := scratchOf(slot)
	var out []byte
	ends := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if err := now(ctx, i); err != nil {
			return err
		}
		box := p.cut.Box(i)
		old, err := p.before(box)
		if err == nil {
			out, _, err = p.c.Inner.Encode(out, old, p.src, box, s)
		}
		if err != nil {
			return innerErr(box, err)
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
func (p *shardPacker) before(box grid.Box) ([]byte, error) {
	if p.index == nil || p.a.field == nil && box.Covers(p.inside, p.a.blocks) {
		return nil, nil
	}
	stored, _, err := p.stored(p.layout.Place(box.Coord))
	return stored, err
}

// stored are the bytes of an inner chunk in the old shard.
func (p *shardPacker) stored(place int) (b []byte, ok bool, err error) {
	off, n, ok, err := p.index.At(place)
	if err != nil || !ok {
		return nil, false, err
	}
	// A shard in a shard may have unused space of any length: pack bounds what comes of that.
	if most := p.layout.Inner.Worst(); n > most && p.layout.Below == nil {
		return nil, false, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %d has %d bytes, its codecs make at most %d", place, n, most)
	}
	return p.old[off : off+n], true, nil
}

// pack appends the shard to dst.
func (p *shardPacker) pack(ctx context.Context, dst []byte) (_ []byte, stored int, err error) {
	touched := make(map[int]int, len(p.pieces)) // place in the index -> number in the cut
	for i := range p.pieces {
		touched[p.layout.Place(p.cut.Box(i).Coord)] = i
	}
	most := int(min(p.layout.Packed(), math.MaxInt/2)) + len(p.old) // of what was and is
	return p.layout.Pack(dst, func(dst []byte, place int) ([]byte, error) {
		if err := now(ctx, place); err != nil {
			return dst, err
		}
		if i, ok := touched[place]; ok {
			return append(dst, p.pieces[i]...), nil
		}
		if p.index == nil {
			return dst, nil
		}
		b, _, err := p.stored(place)
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
