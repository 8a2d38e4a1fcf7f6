package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/internal/pipeline"
	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// Array is an array as the engine sees it: where it is stored, how its elements become objects, and
// what calls may take.
type Array struct {
	Store   store.Store
	Path    string // below the store's root, for errors
	Layout  plan.Layout
	Options Options
	State   *State

	within *Call // that every Read is part of; nil: each is a call of its own
}

// Options are those of calls on an array.
type Options struct {
	Limits       *concurrency.Limits
	InFlight     int                // requests of one call under way, with what is done to their bytes; 0: what the store takes, and every core busy
	ChunkLimit   int64              // bytes of a shard that must be read as a whole although it is longer than encoders make it
	SingleWriter bool               // parts of objects are written without a condition
	Account      account.Options    // what is counted of calls, and bounds them
	Cache        *chunkcache.Reader // of decoded chunks; nil: none
	Guard        Guard              // of what is written; nil: none
}

// Guard reports whether this process may still write. It is called before an object that may be
// stored is replaced. With a Guard, whole objects are put on condition that they are absent. Of two
// processes that take turns at an array, the one whose turn is over then changes nothing, however
// late its requests arrive.
type Guard func(context.Context) error

// State is what all views of one opened array have in common. The zero State is ready.
type State struct {
	indexes  chunkcache.Recent[plan.IndexID, *shardIndex] // that were used last
	loads    concurrency.Joined[*shardIndex]
	locks    concurrency.Keyed // of objects of which parts are written
	longest  atomic.Int64      // length of the longest stored object that was seen, 0 before the first
	noParts  atomic.Bool       // the store takes no values in parts
	bare     atomic.Bool       // the store refused a condition
	noRanges atomic.Bool       // the store cannot read ranges of one version: it has no versions, or no ranges from the end
}

// seen takes the length of a stored object into account.
func (s *State) seen(n int) {
	for old := s.longest.Load(); int64(n) > old && !s.longest.CompareAndSwap(old, int64(n)); old = s.longest.Load() {
	}
}

// Forget drops the index of a stored shard that was replaced.
func (s *State) Forget(key string) { s.indexes.Drop(plan.IndexID{Key: key}, nil) }

// shardIndex is the index of a shard as one version of the object has it.
type shardIndex struct {
	codec.ShardIndex
	id      plan.IndexID // of one that is kept
	version store.Version
}

// ID is what the index is kept by.
func (x *shardIndex) ID() plan.IndexID { return x.id }

// maxIndexes is how many bytes of shard indexes an opened array keeps: sixteen shards of 32³ inner
// chunks, at 16 bytes each.
const maxIndexes = 8 << 20

// keep keeps an index for later calls.
func (s *State) keep(x *shardIndex) { s.indexes.Put(x, maxIndexes) }

// Call is one call on an array: a read or a write, with its memory, account and slots. Several
// Reads may be one call; see [Array.Begin].
type Call struct {
	*Array
	plan    plan.Plan
	sizes   plan.Memory
	memory  pipeline.Memory // what is read into, or written from
	store   store.Store     // Array.Store, which counts and bounds the requests of the call
	account *account.Account
	trace   *store.Trace // of the call; nil where nothing listens
	slots   *slots       // of the call
	own     slots        // they are these, unless the call is within another
	objects int          // that are in flight at once
	total   int          // objects of the plan
	keeps   bool         // what is loaded for the cache is kept there
	planned int          // bytes of memory that plans and indexes of shards within one shard may take
}

// sizes is what decides how much of an object is in memory at once, for calls on a store with such
// numbers.
func (a *Array) sizes(t store.Tuning) plan.Memory {
	l := a.Options.Limits
	return plan.Memory{
		Budget: l.Bytes.Size(), Limit: a.Options.ChunkLimit, PartAbove: t.PartAbove, CPUs: l.CPU.Slots(), Seen: a.State.longest.Load(), Need: concurrency.Need,
	}
}

// size is sizes by what was seen until now.
func (r *Call) size() plan.Memory {
	m := r.sizes
	m.Seen = r.State.longest.Load()
	return m
}

// indexed is how many bytes the index of a stored shard takes, with what it expands to.
func (r *Call) indexed(o *plan.Object) int64 { return plan.Indexed(o, int64(r.planned)) }

// need is how many bytes to reserve for a buffer.
func need(n int64) int64 { return plan.Memory{Need: concurrency.Need}.Buffers(n) }

// slots are those of a call.
type slots struct {
	concurrency.Slots
	trace *store.Trace // of the call; nil where nothing listens
}

// Acquire is [concurrency.Slots.Acquire].
func (s *slots) Acquire(ctx context.Context) error {
	if tracesWaits(ctx, s.trace) {
		if s.Try() {
			return nil
		}
		defer waited(ctx, s.trace, store.WaitSlot, time.Now())
	}
	return s.Slots.Acquire(ctx)
}

// tracesWaits reports whether waits are traced. None begins after the end of ctx.
func tracesWaits(ctx context.Context, t *store.Trace) bool {
	return t != nil && t.Wait != nil && ctx.Err() == nil
}

func waited(ctx context.Context, t *store.Trace, what store.Resource, since time.Time) {
	t.Wait(ctx, store.Wait{For: what, Took: time.Since(since)})
}

// Keeps reports whether the cache, which there is, takes such chunks.
func (a *Array) Keeps(c *pipeline.Chunk) bool {
	for c.Shards != nil {
		c = c.Inner
	}
	return c.MayKeep() && a.Options.Cache.Keeps(c.Bytes)
}

// keepsRead reports whether a call that reads a plan adds to the cache. A read of more than the
// cache holds takes what the cache has and adds nothing: its last chunks would displace its first
// ones, and those that others use.
func (a *Array) keepsRead(p *plan.Plan) bool {
	if a.Options.Cache == nil {
		return false
	}
	n, ok := p.Select.Len()
	return ok && int64(n) <= a.Options.Cache.Size()/int64(max(a.Layout.Pipe.Largest().Size, 1))
}
