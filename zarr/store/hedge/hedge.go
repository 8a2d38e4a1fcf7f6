package hedge

import (
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options limits the second requests.
type Options struct {
	// Budget provides memory for the responses of second requests. If it is nil, no second request
	// is sent.
	Budget *concurrency.Budget
	// Free reports whether a request would start immediately. If Free is nil, requests always start
	// immediately.
	Free func() bool
	// Part returns the part of the store that a key belongs to, if a service limits the parts
	// separately. The result is comparable, and nil for keys without a part of their own. If Part is
	// nil, the store has no parts.
	Part func(key string) any
}

// Store hedges the Gets of another store. Use [New] to make one. All methods may be called
// concurrently.
type Store struct {
	store.Forward
	o     Options
	least time.Duration // minimum time after which a request counts as slow

	mu        sync.Mutex
	classes   [classes]class
	early     []time.Duration   // the first latencies, of all classes
	used      float64           // share of the latest second requests that were used
	allowed   float64           // number of second requests left
	throttled map[any]time.Time // times at which a request of each part was last throttled
}

// New returns a Store that hedges the Gets of s. Close closes s.
func New(s store.Store, o Options) *Store {
	return &Store{Forward: store.Forward{Store: s}, o: o, least: shortest, allowed: burst, used: 0.5, throttled: map[any]time.Time{}}
}
