package engine

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/internal/plan"
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

// Guard is asked before what may be there is replaced: whether this process may still write. With a
// Guard, whole objects are put where there is none, so that of two processes that take turns at an
// array the one whose turn is over changes nothing, however late its requests arrive.
type Guard func(context.Context) error

// State is what all views of one opened array have in common. The zero State is ready.
type State struct {
	indexes  indexCache
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
