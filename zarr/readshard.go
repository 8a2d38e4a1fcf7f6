package zarr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// shardLayout is what plans need to know of the shards; nil where there are none, or where they are read as a whole.
func (a *Array) shardLayout() *shard.Layout {
	s := a.chain.Shards()
	if s == nil || a.meta.DType.Size() == 0 {
		return nil
	}
	t := store.TuningOf(a.st)
	return &shard.Layout{Shards: s, ChunkBytes: int64(a.chunk / s.Len()), Gap: t.RangeGap, Max: t.RangeMax}
}

// shardReader reads shards of one call: an index first, then the inner chunks in as few ranges as the store's numbers say.
type shardReader struct {
	a      *Array
	op     *concurrency.Op
	layout *shard.Layout
	dst    []byte
	region []int
	each   int // ranges of one shard that are read at once
}

// of is the reader for a shard, where shards differ in shape.
func (r *shardReader) of(f plan.Fetch) (*shardReader, error) {
	if f.Object.Err != nil || f.Object.Shards == r.layout {
		return r, f.Object.Err
	}
	a, err := r.a.of(f.Object.Shape)
	one := *r
	one.a, one.layout = a, f.Object.Shards
	return &one, err
}

// maxPlanned bounds the memory in bytes of the plans and indexes of shards that are being read: 40 for each inner chunk.
const maxPlanned = 32 << 20

// shardsInFlight divides what a call may have in flight into shards and ranges of one shard.
func (a *Array) shardsInFlight(shards int) (inFlight, each int) {
	all := a.inFlight()
	inFlight = max(min(all, shards, maxPlanned/40/a.chain.Shards().Len()), 1)
	return inFlight, (all-1)/inFlight + 1
}

// maxReplaced bounds how often a shard is begun again because it was replaced in the middle of reading it. Each time means
// that a writer succeeded, so this many in a row is a store that misreports its versions.
const maxReplaced = 100

// read takes what is selected of one shard to its place in dst, all of it from one version.
func (r *shardReader) read(ctx context.Context, f plan.Fetch) error {
	if only := r.a.shared.whole.Load(); f.Whole || only {
		// One with so much unused space that nobody would read it all is read in parts after all.
		if err := r.whole(ctx, f); only || !errors.Is(err, errTooLong) {
			return err
		}
	}
	for try := 1; ; try++ {
		err := r.parts(ctx, f)
		switch {
		case errors.Is(err, errWhole):
			return r.whole(ctx, f)
		case !errors.Is(err, fault.Conflict) || try == maxReplaced:
			return err
		}
	}
}

// parts reads the ranges that the index tells, pinned to its version; fault.Conflict when the shard was replaced meanwhile.
func (r *shardReader) parts(ctx context.Context, f plan.Fetch) error {
	a := r.a
	x, fresh, err := a.index(ctx, f.Key)
	if err != nil {
		return r.absent(f, err)
	}
	cut := r.layout.Cut(f.Box)
	p, err := cut.Plan(x.ShardIndex)
	if err == nil && len(p.Reads) == 0 && !fresh {
		// Nothing will be read that could find the index stale, so it is asked whether it is.
		now, again := a.loadIndex(ctx, f.Key, x.version)
		if !errors.Is(again, fault.Unchanged) {
			if again != nil {
				a.shared.indexes.drop(f.Key, x)
				return r.absent(f, again)
			}
			x = now
			p, err = cut.Plan(x.ShardIndex)
		}
	}
	if err != nil {
		return err
	}
	r.fill(cut, p.Missing)
	err = concurrency.Each(ctx, r.each, slices.Values(p.Reads), func(ctx context.Context, rd shard.Read) error {
		return r.span(ctx, f.Key, x.version, cut, rd)
	})
	if errors.Is(err, fault.Conflict) {
		a.shared.indexes.drop(f.Key, x)
	}
	if err == nil {
		a.cfg.report.chunks(cut.Len(), len(p.Missing))
	}
	return err
}

// span reads one range and decodes the inner chunks in it.
func (r *shardReader) span(ctx context.Context, key string, version store.Version, cut shard.Cut, rd shard.Read) error {
	a := r.a
	hold, err := r.op.Acquire(ctx, rd.Len)
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := getBuffer(rd.Len)
	defer putBuffer(buf)
	a.cfg.report.get()
	v, err := a.st.Get(ctx, key, store.GetOptions{Range: store.Within(rd.Off, rd.Len), IfVersion: version, Max: rd.Len}, buf.b[:0])
	switch {
	case errors.Is(err, fault.NotFound):
		// No store says so of a pinned read; a shard that was there a moment ago is no fill value.
		return fault.Newf(fault.Conflict, "the shard was deleted while it was read: %v", err)
	case err != nil:
		return err
	case int64(len(v.Bytes)) != rd.Len:
		return fault.Newf(fault.Corrupt, "the store gave %d of %d bytes of the shard", len(v.Bytes), rd.Len)
	}
	buf.b = v.Bytes
	a.cfg.report.bytes(len(v.Bytes))
	hold.Adjust(int64(cap(v.Bytes)))
	return r.decode(ctx, cut, rd.Chunks, v.Bytes, rd.Off)
}

// whole reads a shard with one request.
func (r *shardReader) whole(ctx context.Context, f plan.Fetch) error {
	a := r.a
	hold, err := r.op.Acquire(ctx, a.estimate())
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := getBuffer(a.estimate())
	defer putBuffer(buf)
	v, err := a.fetch(ctx, f.Key, buf)
	if err != nil {
		return r.absent(f, err)
	}
	hold.Adjust(int64(cap(v.Bytes)))
	x := &shardIndex{version: v.Version}
	if x.ShardIndex, err = r.layout.Shards.Cut(v.Bytes); err != nil {
		return err
	}
	if v.Version != "" {
		a.shared.indexes.put(f.Key, x)
	}
	cut := r.layout.Cut(f.Box)
	chunks, missing, err := cut.Locate(x.ShardIndex)
	if err != nil {
		return err
	}
	r.fill(cut, missing)
	if err := r.decode(ctx, cut, chunks, v.Bytes, 0); err != nil {
		return err
	}
	a.cfg.report.chunks(cut.Len(), len(missing))
	return nil
}

// absent takes a shard that is proven absent for fill values, and gives back any other error.
func (r *shardReader) absent(f plan.Fetch, err error) error {
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	f.FillRegion(r.dst, r.region, r.a.fill)
	n := r.layout.Touched(f.Box)
	r.a.cfg.report.chunks(n, n)
	return nil
}

// fill sets inner chunks that the shard does not have to the fill value.
func (r *shardReader) fill(cut shard.Cut, missing []int) {
	for _, i := range missing {
		cut.Box(i).FillRegion(r.dst, r.region, r.a.fill)
	}
}

// minDecoded is how many decoded bytes are worth a goroutine of their own: some tens of microseconds of work.
const minDecoded = 256 << 10

// decode takes inner chunks out of bytes that lie at off in the shard. Where there are many it does so on several cores.
func (r *shardReader) decode(ctx context.Context, cut shard.Cut, chunks []shard.Chunk, b []byte, off int64) error {
	size := max(int(min(minDecoded/max(r.layout.ChunkBytes, 1), minDecoded)), 1)
	some := slices.Chunk(chunks, size)
	if len(chunks) <= size {
		for part := range some {
			return r.decodeSome(ctx, cut, part, b, off)
		}
		return nil
	}
	return concurrency.Each(ctx, r.a.cfg.limits.CPU.Slots(), some, func(ctx context.Context, part []shard.Chunk) error {
		return r.decodeSome(ctx, cut, part, b, off)
	})
}

func (r *shardReader) decodeSome(ctx context.Context, cut shard.Cut, chunks []shard.Chunk, b []byte, off int64) error {
	slot, err := r.a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	s := scratchOf(slot)
	for _, k := range chunks {
		if err := r.decodeOne(cut.Box(k.I), b[k.Off-off:k.Off-off+k.Len], s); err != nil {
			return err
		}
	}
	return nil
}

func (r *shardReader) decodeOne(box grid.Box, stored []byte, s *scratch) error {
	a, size, n := r.a, r.a.meta.DType.Size(), int(r.layout.ChunkBytes)
	if at, ok := box.Contiguous(r.region); ok && box.Full(r.layout.Chunk) {
		at *= size
		return innerErr(box, r.layout.Inner.Decode(codec.Block{Bytes: r.dst[at : at+n : at+n]}, stored, &s.codec))
	}
	chunk, err := a.room(s, r.layout.Chunk, n)
	if err != nil {
		return err
	}
	if err := r.layout.Inner.Decode(codec.Block{Bytes: chunk}, stored, &s.codec); err != nil {
		return innerErr(box, err)
	}
	box.FromChunk(r.dst, chunk, r.region, r.layout.Chunk, size)
	return nil
}

// innerErr says which inner chunk of the shard an error is about.
func innerErr(box grid.Box, err error) error {
	if err != nil {
		return fmt.Errorf("inner chunk %v: %w", box.Coord, err)
	}
	return nil
}
