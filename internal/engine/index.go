package engine

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// index gives the index of a stored shard; fresh reports that it was read after the call began.
// fault.NotFound when there is no shard now, errWhole when parts of one cannot be read.
func (r *runner) index(ctx context.Context, top *plan.Level) (x *shardIndex, fresh bool, err error) {
	if x := r.State.indexes.get(top.ID(0)); x != nil {
		r.hit(ctx, top, 0)
		return x, false, nil
	}
	reads, err := top.Indexes(make([]codec.ShardIndex, 1))
	if err != nil {
		return nil, false, err
	}
	for rd := range reads.All() { // it is one
		x, fresh, err = r.joinIndex(ctx, top, rd)
	}
	return x, fresh, err
}

// joinIndex reads the index of a stored shard, or waits for another goroutine that does.
func (r *runner) joinIndex(ctx context.Context, top *plan.Level, rd plan.Read) (x *shardIndex, fresh bool, err error) {
	// Asked here even where the request is another's: a load that is joined must not end by one
	// call's limit.
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return nil, false, err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return nil, false, err
	}
	defer r.slots.Release()
	load := func(ctx context.Context) (*shardIndex, error) { return r.loadIndex(ctx, top, rd) }
	x, joined, err := r.State.loads.Do(ctx, rd.Key, load)
	if joined && errors.Is(err, fault.NotFound) {
		// That was so before this call began. A load that begins now, whichever call began it,
		// finds out how it is.
		x, _, err = r.State.loads.Do(ctx, rd.Key, load)
		joined = false
	}
	return x, !joined, err
}

// recheck reads the index of a stored shard unless the shard still has the version of x:
// fault.Unchanged then.
func (r *runner) recheck(ctx context.Context, top *plan.Level, x *shardIndex) (*shardIndex, error) {
	rd := top.Recheck(x.version)
	if err := r.account.Admit(1, rd.Known()); err != nil {
		return nil, err
	}
	if err := r.slots.Acquire(ctx); err != nil {
		return nil, err
	}
	defer r.slots.Release()
	return r.loadIndex(ctx, top, rd)
}

// loadIndex reads the index of a stored shard and keeps it.
func (r *runner) loadIndex(ctx context.Context, top *plan.Level, rd plan.Read) (*shardIndex, error) {
	got, err := r.receive(ctx, rd, rd.Bound)
	if err != nil {
		return nil, err
	}
	defer got.hold.Release()
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return nil, err
	}
	defer s.release()
	x := &shardIndex{id: top.ID(0), version: got.Version}
	if x.ShardIndex, err = top.Decode(0, got.Bytes, got.Size); err != nil {
		return nil, err
	}
	r.State.indexes.put(x)
	return x, nil
}

// innerIndexes gives the indexes of shards within an object, all of one version, from the cache or
// in as few requests as the plan says; asked reports that there were any.
func (r *runner) innerIndexes(ctx context.Context, l *plan.Level, v store.Version) (found []codec.ShardIndex, asked bool, err error) {
	found = make([]codec.ShardIndex, l.Len())
	for i := range found {
		if x := r.State.indexes.get(l.ID(i)); x != nil && x.version == v {
			found[i] = x.ShardIndex
			r.hit(ctx, l, i)
		}
	}
	reads, err := l.Indexes(found)
	if err != nil || reads.Len() == 0 {
		return found, false, err
	}
	return found, true, r.all(ctx, reads, func(ctx context.Context, rd plan.Read) error {
		if len(rd.Pieces) > 1 {
			return r.loadInner(ctx, l, v, rd, func(i int, x codec.ShardIndex) { found[i] = x })
		}
		x, err := r.joinInner(ctx, l, v, rd)
		found[rd.Pieces[0].I] = x
		return err
	})
}

// joinInner reads the index of one shard within an object, or waits for another goroutine that
// does.
func (r *runner) joinInner(ctx context.Context, l *plan.Level, v store.Version, rd plan.Read) (codec.ShardIndex, error) {
	id := l.ID(rd.Pieces[0].I)
	name := fmt.Sprintf("%s\x00%s\x00%d %d %d", id.Key, v, id.Depth, id.Off, id.Len)
	x, _, err := r.State.loads.Do(ctx, name, func(ctx context.Context) (*shardIndex, error) {
		x := &shardIndex{version: v}
		return x, r.loadInner(ctx, l, v, rd, func(_ int, found codec.ShardIndex) { x.ShardIndex = found })
	})
	if err != nil {
		return codec.ShardIndex{}, err
	}
	return x.ShardIndex, nil
}

// loadInner makes one request for indexes of shards within an object, and keeps them. It gives each
// to take, by the number of the shard.
func (r *runner) loadInner(ctx context.Context, l *plan.Level, v store.Version, rd plan.Read, take func(int, codec.ShardIndex)) error {
	got, err := r.receive(ctx, rd, rd.Bound)
	if err != nil {
		return err
	}
	defer got.hold.Release()
	s, err := r.cpu(ctx, got.hold)
	if err != nil {
		return err
	}
	defer s.release()
	for _, p := range rd.Pieces {
		x, err := l.Decode(p.I, rd.Of(p, got.Bytes), 0)
		if err != nil {
			return err
		}
		take(p.I, x)
		r.State.indexes.put(&shardIndex{x, l.ID(p.I), v})
	}
	return nil
}

// shardIndex is the index of a shard as one version of the object has it.
type shardIndex struct {
	codec.ShardIndex
	id      plan.IndexID // of one that is kept
	version store.Version
}

// Forget drops the index of a stored shard that was replaced.
func (s *State) Forget(key string) { s.indexes.drop(plan.IndexID{Key: key}, nil) }

// maxIndexes is how many bytes of shard indexes an opened array keeps: sixteen shards of 32³ inner
// chunks, at 16 bytes each.
const maxIndexes = 8 << 20

// indexCache keeps the shard indexes that were used last, by key. The zero indexCache is ready.
type indexCache struct {
	mu    sync.Mutex
	byID  map[plan.IndexID]*list.Element
	order list.List // of *shardIndex, the one used last in front
	bytes int
}

func (c *indexCache) get(id plan.IndexID) *shardIndex {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byID[id]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*shardIndex)
}

// put keeps an index in place of what there is of that shard. One that alone is larger than the
// cache is not kept.
func (c *indexCache) put(x *shardIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(x.id)
	if x.Bytes() > maxIndexes {
		return
	}
	if c.byID == nil {
		c.byID = map[plan.IndexID]*list.Element{}
	}
	c.byID[x.id] = c.order.PushFront(x)
	for c.bytes += x.Bytes(); c.bytes > maxIndexes; {
		c.remove(c.order.Back().Value.(*shardIndex).id)
	}
}

// drop forgets the index of a shard, if it still is x; nil is any.
func (c *indexCache) drop(id plan.IndexID, x *shardIndex) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byID[id]; ok && (x == nil || e.Value.(*shardIndex) == x) {
		c.remove(id)
	}
}

func (c *indexCache) remove(id plan.IndexID) {
	if e, ok := c.byID[id]; ok {
		c.bytes -= e.Value.(*shardIndex).Bytes()
		c.order.Remove(e)
		delete(c.byID, id)
	}
}
