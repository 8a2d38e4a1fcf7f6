package zarr

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// shardIndex is the index of a shard as one version of the object has it.
type shardIndex struct {
	codec.ShardIndex
	version store.Version
}

// maxIndexes is how many bytes of shard indexes an opened array keeps: sixteen shards of 32³ inner chunks, at 16 bytes each.
const maxIndexes = 8 << 20

// indexKey says which shard an index is of: an object, or a shard within one at a place of it. There the depth counts too,
// since a hostile index can have a shard begin and end where one does that lies in it.
type indexKey struct {
	key    string
	depth  int
	off, n int64
}

// indexCache keeps the shard indexes that were used last, by key. The zero indexCache is ready.
type indexCache struct {
	mu    sync.Mutex
	byKey map[indexKey]*list.Element
	order list.List // of *cachedIndex, the one used last in front
	bytes int
}

type cachedIndex struct {
	key indexKey
	*shardIndex
}

func (c *indexCache) get(key indexKey) *shardIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedIndex).shardIndex
}

// put keeps an index in place of what there is under the key. One that alone is larger than the cache is not kept.
func (c *indexCache) put(key indexKey, x *shardIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
	if x.Bytes() > maxIndexes {
		return
	}
	if c.byKey == nil {
		c.byKey = map[indexKey]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(&cachedIndex{key, x})
	for c.bytes += x.Bytes(); c.bytes > maxIndexes; {
		c.remove(c.order.Back().Value.(*cachedIndex).key)
	}
}

// drop forgets the index under a key, if it still is x; nil is any.
func (c *indexCache) drop(key indexKey, x *shardIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok && (x == nil || e.Value.(*cachedIndex).shardIndex == x) {
		c.remove(key)
	}
}

func (c *indexCache) remove(key indexKey) {
	if e, ok := c.byKey[key]; ok {
		c.bytes -= e.Value.(*cachedIndex).Bytes()
		c.order.Remove(e)
		delete(c.byKey, key)
	}
}

// errWhole says that a store cannot pin a read to a version, or cannot read the end of an object: then all of a shard is
// read at once.
var errWhole = errors.New("the shard must be read as a whole")

// index gives the index of a shard; fresh tells that it was read after the call began. fault.NotFound when there is no shard
// now, errWhole when parts of one cannot be read.
func (a *Array) index(ctx context.Context, c *pipeline.Chunk, key string, allow *allowance) (x *shardIndex, fresh bool, err error) {
	if x := a.shared.indexes.get(indexKey{key: key}); x != nil {
		return x, false, nil
	}
	// Counted here even where the request is another's: a load that is joined must not end for one call's allowance.
	if err := allow.take(1); err != nil {
		return nil, false, err
	}
	load := func(ctx context.Context) (*shardIndex, error) { return a.loadIndex(ctx, c, key, "") }
	x, joined, err := a.shared.loads.Do(ctx, key, load)
	if joined && errors.Is(err, fault.NotFound) {
		// That was so before this call began. A load that begins now, whoever began it, tells how it is.
		x, _, err = a.shared.loads.Do(ctx, key, load)
		joined = false
	}
	return x, !joined, err
}

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
		a.shared.whole.Store(true)
		return nil, errWhole
	}
	if err != nil {
		return nil, err
	}
	buf.b = v.Bytes
	a.cfg.report.bytes(len(v.Bytes))
	if v.Version == "" {
		a.shared.whole.Store(true)
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
	a.shared.indexes.put(indexKey{key: key}, x)
	return x, nil
}
