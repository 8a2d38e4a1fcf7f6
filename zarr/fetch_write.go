package zarr

import (
	"context"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/shard"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// What writing an object of which a part stays takes to read it.

// errTooLong says that a stored object has more bytes than any encoder makes.
var errTooLong = errors.New("too long")

// get fetches an object of this array into buf, and leaves in buf what was fetched so that its memory is used again.
func (a *Array) get(ctx context.Context, c *pipeline.Chunk, key string, buf *buffer) (store.Value, error) {
	v, err := a.fetch(ctx, c, key, buf, c.Chain.Worst())
	if err == nil {
		a.cfg.report.chunks(1, 0)
	}
	return v, err
}

// fetch is get for who counts chunks otherwise. most bounds the bytes of the object.
func (a *Array) fetch(ctx context.Context, c *pipeline.Chunk, key string, buf *buffer, most int64) (store.Value, error) {
	a.cfg.report.get()
	v, err := a.st.Get(ctx, key, store.GetOptions{Max: most}, buf.b[:0])
	if errors.Is(err, fault.Limit) && most > c.Chain.Worst() {
		return store.Value{}, fault.Newf(fault.Limit, "a shard with unused space, which this store cannot give in parts, has more bytes than ChunkLimit(%d)", most)
	}
	if errors.Is(err, fault.Limit) {
		// Not a limit of the caller's: no encoder makes so much of a chunk.
		return store.Value{}, fault.Newf(fault.Corrupt, "the stored chunk has more than the %d bytes that its codecs can make: %w: %v", most, errTooLong, err)
	}
	if err != nil {
		return store.Value{}, err
	}
	buf.b = v.Bytes
	a.observe(len(v.Bytes))
	a.cfg.report.bytes(len(v.Bytes))
	return v, nil
}

// shardLayout is what plans need to know of the shards; nil where there are none, or where they are read as a whole.
func (a *Array) shardLayout(c *pipeline.Chunk) *shard.Layout {
	if c.Shards == nil {
		return nil
	}
	t := store.TuningOf(a.st)
	return shard.New(c.Shards, int64(c.Inner.Bytes), t.RangeGap, t.RangeMax)
}

// maxPlanned bounds the memory in bytes of the plans and indexes of shards that are being read: 40 for each inner chunk.
const maxPlanned = 32 << 20

// shardsInFlight divides what a call may have in flight into shards and ranges of one shard.
func (a *Array) shardsInFlight(shards int) (inFlight, each int) {
	all := a.inFlight()
	inFlight = max(min(all, shards, maxPlanned/40/a.pipe.Largest().Shards.Len()), 1)
	return inFlight, (all-1)/inFlight + 1
}

// longestShard is the length in bytes up to which a shard is read as a whole that cannot be read in parts: unused space is
// legal, so it is not told by what an encoder makes, but by what memory may hold.
func (a *Array) longestShard(c *pipeline.Chunk) int64 {
	return max(c.Chain.Worst(), a.cfg.maxChunk)
}

// shardIndex is the index of a shard as one version of the object has it.
type shardIndex struct {
	codec.ShardIndex
	version store.Version
}

// shardReader reads ranges of a shard.
type shardReader struct {
	a  *Array
	op *concurrency.Op
}

// object is one version of a stored shard while parts of it are read.
type object struct {
	key     string
	version store.Version
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

// minDecoded is how many decoded bytes are worth a goroutine of their own: some tens of microseconds of work.
const minDecoded = 256 << 10

// errWhole says so
var errWhole = errors.New("the shard must be read as a whole")

// loadIndex reads the index of a shard and keeps it. With a version it is fault.Unchanged while the shard still has that.
func (a *Array) loadIndex(ctx context.Context, c *pipeline.Chunk, key string, not store.Version) (*shardIndex, error) {
	n, atStart := c.Shards.IndexSize()
	hold, err := a.cfg.limits.Bytes.Op().Acquire(ctx, n)
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	buf := getBuffer(n)
	defer putBuffer(buf)
	r := store.Last(n)
	if atStart {
		r = store.Within(0, n)
	}
	a.cfg.report.get()
	v, err := a.st.Get(ctx, key, store.GetOptions{Range: r, IfNotVersion: not, Max: n}, buf.b[:0])
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, errWhole
	}
	if err != nil {
		return nil, err
	}
	buf.b = v.Bytes
	a.cfg.report.bytes(len(v.Bytes))
	if v.Version == "" {
		return nil, errWhole
	}
	if int64(len(v.Bytes)) != n {
		return nil, fault.Newf(fault.Corrupt, "the store gave %d bytes of the index of a shard, which has %d", len(v.Bytes), n)
	}
	slot, err := a.cfg.limits.CPU.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	x := &shardIndex{version: v.Version}
	if x.ShardIndex, err = c.Shards.Index(v.Bytes, v.Size); err != nil {
		return nil, err
	}
	return x, nil
}

// innerErr says which inner chunk of the shard an error is about.
func innerErr(box grid.Box, err error) error {
	if err != nil {
		return fmt.Errorf("inner chunk %v: %w", box.Coord, err)
	}
	return nil
}
