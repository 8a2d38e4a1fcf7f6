package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/internal/chunk/slots"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Array is an array whose elements the engine reads and writes, with a store, layout and options.
type Array struct {
	Store   store.Store
	Path    string // relative to the root of the store, for errors
	Layout  plan.Layout
	Options Options
	State   *State

	within *Call // the call that counts every Read; if nil, each Read is a separate call
}

// Options configure calls on an array.
type Options struct {
	Limits       *concurrency.Limits
	InFlight     int                                                     // maximum requests in flight until decoded; 0 is the store's Requests + CPU slots
	ChunkLimit   int64                                                   // maximum bytes of a whole shard that has unused space
	SingleWriter bool                                                    // writes parts of objects without conditions
	Account      account.Options                                         // counters and limits of each call
	Cache        *cache.Reader                                           // cache of decoded chunks, or nil
	Guard        Guard                                                   // called before objects are replaced, or nil
	Current      func(ctx context.Context, missing int, err error) error // may fail the read of an object, or nil
}

// Guard returns an error if this process may no longer write. It is called before an object is
// replaced. With it, whole objects are put only if absent, so late requests change nothing.
type Guard func(context.Context) error

// State is shared by all views of one opened array. The zero State is ready to use.
type State struct {
	indexes  cache.Recent[plan.IndexID, *shardIndex] // indexes of recently used shards
	loads    concurrency.SingleFlight[string, *shardIndex]
	locks    concurrency.KeyedMutex // locks of objects that are partly written
	longest  atomic.Int64           // length of the longest stored object seen, 0 before the first
	noParts  atomic.Bool            // the store does not support values in parts
	bare     atomic.Bool            // the store rejected a condition
	noRanges atomic.Bool            // the store cannot read ranges of one version, or suffix ranges
}

// seen records the length of a stored object.
func (s *State) seen(n int) {
	for old := s.longest.Load(); int64(n) > old && !s.longest.CompareAndSwap(old, int64(n)); old = s.longest.Load() {
	}
}

// Forget drops the index of a stored shard that was replaced.
func (s *State) Forget(key string) { s.indexes.Drop(plan.IndexID{Key: key}, nil) }

// shardIndex is the index of one version of a shard.
type shardIndex struct {
	codec.ShardIndex
	id      plan.IndexID // set if the index is in State.indexes
	version store.Version
}

// ID returns the key of the index in State.indexes.
func (x *shardIndex) ID() plan.IndexID { return x.id }

// maxIndexes is the maximum size of the shard indexes that an opened array keeps. It suffices for
// sixteen shards of 32³ inner chunks, at 16 bytes each.
const maxIndexes = 8 << 20

// keep keeps x for later calls.
func (s *State) keep(x *shardIndex) { s.indexes.Put(x, maxIndexes) }

// Call is one read or write of an array, with its memory, account and slots; see [Array.Begin].
type Call struct {
	*Array
	plan    plan.Plan
	sizes   plan.Memory
	memory  pipeline.Memory // destination of a read, source of a write
	store   store.Store     // Array.Store, with the counts and limits of the call
	account *account.Account
	trace   *store.Trace // nil without a listener
	slots   *slots.Slots
	own     slots.Slots // slots points to own, unless the call is within another
	objects int         // maximum objects in flight
	total   int         // number of objects of the plan
	keeps   bool        // reports whether loaded chunks are added to the cache
	planned int         // maximum bytes of plans and nested indexes per shard
}

// sizes returns the parameters that limit how much of an object is in memory.
func (a *Array) sizes(t store.Tuning) plan.Memory {
	l := a.Options.Limits
	return plan.Memory{
		Budget: l.Bytes.Size(), Limit: a.Options.ChunkLimit, PartAbove: t.PartAbove, CPUs: l.CPU.Slots(), Seen: a.State.longest.Load(), Need: concurrency.Need,
	}
}

// size returns r.sizes updated with State.longest.
func (r *Call) size() plan.Memory {
	m := r.sizes
	m.Seen = r.State.longest.Load()
	return m
}

// indexed returns the bytes of a stored shard's index and of the pieces that are planned from it.
func (r *Call) indexed(o *plan.Object) int64 { return plan.Indexed(o, int64(r.planned)) }

// need returns the bytes to reserve for a buffer of n bytes.
func need(n int64) int64 { return plan.Memory{Need: concurrency.Need}.Buffers(n) }

// tracesWaits reports whether waits are traced. No wait starts after the end of ctx.
func tracesWaits(ctx context.Context, t *store.Trace) bool {
	return t != nil && t.Wait != nil && ctx.Err() == nil
}

func waited(ctx context.Context, t *store.Trace, what store.Resource, since time.Time) {
	t.Wait(ctx, store.Wait{For: what, Took: time.Since(since)})
}

// Keeps reports whether the cache accepts chunks like c. The Options must have a cache.
func (a *Array) Keeps(c *pipeline.Chunk) bool {
	for c.Shards != nil {
		c = c.Inner
	}
	return c.MayKeep() && a.Options.Cache.Keeps(c.Bytes)
}

// keepsRead reports whether a read adds chunks to the cache. A read larger than the cache does not,
// because its last chunks would displace its first chunks and those of other readers.
func (a *Array) keepsRead(p *plan.Plan) bool {
	if a.Options.Cache == nil {
		return false
	}
	n, ok := p.Select.Len()
	return ok && int64(n) <= a.Options.Cache.Size()/int64(max(a.Layout.Pipe.Largest().Size, 1))
}
