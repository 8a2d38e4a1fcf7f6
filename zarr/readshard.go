package zarr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/shard"
	plan "github.com/zargo-io/zargo/internal/shard/fetch"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// shardLayout is what plans need to know of the shards; nil where there are none, or where they are read as a whole.
func (a *Array) shardLayout(c *pipeline.Chunk) *shard.Layout {
	if c.Shards == nil {
		return nil
	}
	t := store.TuningOf(a.st)
	return shard.New(c.Shards, int64(c.Inner.Bytes), t.RangeGap, t.RangeMax)
}

// shardReader reads shards of one call: an index first, then the inner chunks in as few ranges as the store's numbers say.
type shardReader struct {
	a       *Array
	op      *concurrency.Op
	allow   *allowance
	c       *pipeline.Chunk // the shard
	layout  *shard.Layout   // of c
	dst     pipeline.Memory
	each    int // ranges of one shard that are read at once
	planned int // bytes that plans and indexes of shards within one shard may take
}

// of is the reader for a shard, where shards differ in shape.
func (r *shardReader) of(f plan.Fetch) (*shardReader, error) {
	if f.Object.Err != nil || f.Object.Shards == r.layout {
		return r, f.Object.Err
	}
	c, err := r.a.pipe.For(f.Object.Shape)
	one := *r
	one.c, one.layout = c, f.Object.Shards
	return &one, err
}

// maxPlanned bounds the memory in bytes of the plans and indexes of shards that are being read: 40 for each inner chunk.
const maxPlanned = 32 << 20

// shardsInFlight divides what a call may have in flight into shards and ranges of one shard.
func (a *Array) shardsInFlight(shards int) (inFlight, each int) {
	all := a.inFlight()
	inFlight = max(min(all, shards, maxPlanned/40/a.pipe.Largest().Shards.Len()), 1)
	return inFlight, (all-1)/inFlight + 1
}

// readShards reads what a plan wants of shards.
func (a *Array) readShards(ctx context.Context, p plan.Plan, dst pipeline.Memory, allow *allowance) error {
	inFlight, each := a.shardsInFlight(p.Len())
	r := &shardReader{a: a, op: a.cfg.limits.Bytes.Op(), allow: allow, c: a.pipe.Largest(), layout: p.Object.Shards, dst: dst, each: each, planned: maxPlanned / inFlight}
	return concurrency.Each(ctx, inFlight, p.Fetches(), func(ctx context.Context, f plan.Fetch) error {
		one, err := r.of(f)
		if err == nil {
			err = one.read(ctx, f)
		}
		if err != nil {
			return a.chunkErr("read", f, err)
		}
		return nil
	})
}

// maxReplaced bounds how often a shard is begun again because it was replaced in the middle of reading it. Each time means
// that a writer succeeded, so this many in a row is a store that misreports its versions.
const maxReplaced = 100

// read takes what is selected of one shard to its place in dst, all of it from one version.
func (r *shardReader) read(ctx context.Context, f plan.Fetch) error {
	only := r.a.shared.whole.Load()
	if f.Whole && !only {
		// One with so much unused space that nobody would read it all is read in parts after all.
		if err := r.whole(ctx, f, r.c.Chain.MaxEncoded()); !errors.Is(err, errTooLong) {
			return err
		}
	}
	for try := 1; !only; try++ {
		err := r.parts(ctx, f)
		switch {
		case errors.Is(err, errWhole):
			only = true
		case !errors.Is(err, fault.Conflict) || try == maxReplaced:
			return err
		}
	}
	return r.whole(ctx, f, r.a.longestShard(r.c))
}

// longestShard is the length in bytes up to which a shard is read as a whole that cannot be read in parts: unused space is
// legal, so it is not told by what an encoder makes, but by what memory may hold.
func (a *Array) longestShard(c *pipeline.Chunk) int64 {
	return max(c.Chain.MaxEncoded(), a.cfg.maxChunk)
}

// parts reads the ranges that the index tells, pinned to its version; fault.Conflict when the shard was replaced meanwhile.
func (r *shardReader) parts(ctx context.Context, f plan.Fetch) error {
	a := r.a
	key := indexKey{key: f.Key}
	x, fresh, err := a.index(ctx, r.c, f.Key, r.allow)
	if err != nil {
		return r.absent(f, err)
	}
	asked, err := r.version(ctx, f, x)
	if err == nil && !asked && !fresh {
		// Nothing was read that could find the index stale, so it is asked whether it is.
		if err := r.allow.take(1); err != nil {
			return err
		}
		now, again := a.loadIndex(ctx, r.c, f.Key, x.version)
		if !errors.Is(again, fault.Unchanged) {
			if again != nil {
				a.shared.indexes.drop(key, x)
				return r.absent(f, again)
			}
			x = now
			_, err = r.version(ctx, f, x)
		}
	}
	if errors.Is(err, fault.Conflict) {
		a.shared.indexes.drop(key, x)
	}
	return err
}

// version reads what is selected of the version that an index is of; asked tells whether the store was asked for anything.
func (r *shardReader) version(ctx context.Context, f plan.Fetch, x *shardIndex) (asked bool, err error) {
	o := &object{key: f.Key, version: x.version}
	cut := r.layout.Cut(f.Box)
	if below := r.layout.Below; below != nil {
		var shards pieces
		if shards, err = r.locate(o, &cut, x, 0); err == nil {
			err = r.inner(ctx, o, below, 1, shards)
		}
	} else {
		var p shard.Plan
		if p, err = cut.Plan(x.ShardIndex); err == nil {
			o.missing.Add(r.fill(cut, p.Missing))
			err = r.spans(ctx, o, oneCut{cut}, p.Reads)
		}
	}
	if err == nil {
		r.a.cfg.report.chunks(r.layout.Touched(f.Box), int(o.missing.Load()))
	}
	return o.asked.Load(), err
}

// target tells where inner chunks go, by the numbers that a plan has for them, and what layout their shard has.
type target interface {
	chunk(i int) (grid.Box, *shard.Layout)
}

// oneCut is the target for the inner chunks of one shard.
type oneCut struct{ shard.Cut }

func (c oneCut) chunk(i int) (grid.Box, *shard.Layout) { return c.Box(i), c.Layout() }

// spans reads ranges and decodes the inner chunks in them.
func (r *shardReader) spans(ctx context.Context, o *object, to target, reads []shard.Read) error {
	if err := r.allow.take(len(reads)); err != nil {
		return err
	}
	return concurrency.Each(ctx, r.each, slices.Values(reads), func(ctx context.Context, rd shard.Read) error {
		return r.pinned(ctx, o, rd, func(ctx context.Context, b []byte) error {
			return r.decode(ctx, o, to, rd.Chunks, b, rd.Off)
		})
	})
}

// pinned reads a range of one version of a shard. The bytes are take's until it returns.
func (r *shardReader) pinned(ctx context.Context, o *object, rd shard.Read, take func(ctx context.Context, b []byte) error) error {
	a := r.a
	hold, err := r.op.Acquire(ctx, rd.Len)
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := getBuffer(rd.Len)
	defer putBuffer(buf)
	o.asked.Store(true)
	a.cfg.report.get()
	v, err := a.st.Get(ctx, o.key, store.GetOptions{Range: store.Within(rd.Off, rd.Len), IfVersion: o.version, Max: rd.Len}, buf.b[:0])
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
	return take(ctx, v.Bytes)
}

// whole reads a shard of at most so many bytes with one request.
func (r *shardReader) whole(ctx context.Context, f plan.Fetch, most int64) error {
	a := r.a
	if err := r.allow.take(1); err != nil {
		return err
	}
	hold, err := r.op.Acquire(ctx, a.estimate(r.c))
	if err != nil {
		return err
	}
	defer hold.Release()
	buf := getBuffer(a.estimate(r.c))
	defer putBuffer(buf)
	v, err := a.fetch(ctx, r.c, f.Key, buf, most)
	if err != nil {
		return r.absent(f, err)
	}
	hold.Adjust(int64(cap(v.Bytes)))
	x := &shardIndex{version: v.Version}
	if x.ShardIndex, err = r.layout.Shards.Cut(v.Bytes); err != nil {
		return err
	}
	if v.Version != "" {
		a.shared.indexes.put(indexKey{key: f.Key}, x)
	}
	o := &object{key: f.Key, version: v.Version}
	cut := r.layout.Cut(f.Box)
	chunks, missing, err := cut.Locate(x.ShardIndex)
	if err != nil {
		return err
	}
	o.missing.Add(r.fill(cut, missing))
	if err := r.decode(ctx, o, oneCut{cut}, chunks, v.Bytes, 0); err != nil {
		return err
	}
	a.cfg.report.chunks(r.layout.Touched(f.Box), int(o.missing.Load()))
	return nil
}

// absent takes a shard that is proven absent for fill values, and gives back any other error.
func (r *shardReader) absent(f plan.Fetch, err error) error {
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	r.c.FillBox(r.dst, f.Box)
	n := r.layout.Touched(f.Box)
	r.a.cfg.report.chunks(n, n)
	return nil
}

// fill sets inner chunks that the shard does not have to the fill value, and counts the deepest ones among them.
func (r *shardReader) fill(cut shard.Cut, missing []int) (n int64) {
	below := cut.Layout().Below
	for _, i := range missing {
		b := cut.Box(i)
		r.c.FillBox(r.dst, b)
		if below == nil {
			n++
		} else {
			n += int64(below.Touched(b))
		}
	}
	return n
}

// minDecoded is how many decoded bytes are worth a goroutine of their own: some tens of microseconds of work.
const minDecoded = 256 << 10

// decode takes inner chunks out of bytes that lie at off in the shard. Where there are many it does so on several cores.
func (r *shardReader) decode(ctx context.Context, o *object, to target, chunks []shard.Chunk, b []byte, off int64) error {
	if len(chunks) == 0 {
		return nil
	}
	_, l := to.chunk(chunks[0].I)
	size := max(int(min(minDecoded/max(l.ChunkBytes, 1), minDecoded)), 1)
	if len(chunks) <= size {
		return r.decodeSome(ctx, o, to, chunks, b, off)
	}
	return concurrency.Each(ctx, r.a.cfg.limits.CPU.Slots(), slices.Chunk(chunks, size), func(ctx context.Context, part []shard.Chunk) error {
		return r.decodeSome(ctx, o, to, part, b, off)
	})
}

func (r *shardReader) decodeSome(ctx context.Context, o *object, to target, chunks []shard.Chunk, b []byte, off int64) error {
	slot, err := r.a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return err
	}
	defer slot.Release()
	s := scratchOf(slot)
	for _, k := range chunks {
		box, l := to.chunk(k.I)
		if err := r.decodeOne(o, l, box, b[k.Off-off:k.Off-off+k.Len], s); err != nil {
			return err
		}
	}
	return nil
}

// decodeOne takes an inner chunk of a shard of layout l to its place in dst.
func (r *shardReader) decodeOne(o *object, l *shard.Layout, box grid.Box, stored []byte, s *pipeline.Scratch) error {
	if l.Below != nil {
		return innerErr(box, r.within(o, l.Below, box, stored, s))
	}
	c := r.c.Inner
	for c.Inner != nil { // those of the deepest shards
		c = c.Inner
	}
	return innerErr(box, c.Decode(r.dst, box, stored, s))
}

// innerErr says which inner chunk of the shard an error is about.
func innerErr(box grid.Box, err error) error {
	if err != nil {
		return fmt.Errorf("inner chunk %v: %w", box.Coord, err)
	}
	return nil
}
