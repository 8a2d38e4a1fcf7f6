package hedge

import (
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options limit the second requests.
type Options struct {
	// Budget provides memory for the responses of second requests. nil means none, so that no
	// second request is sent.
	Budget *concurrency.Budget
	// Free reports whether a request would start immediately. nil means that it would.
	Free func() bool
}

// Store hedges the Gets of another store. Make it with [New]. All methods may be called
// concurrently.
type Store struct {
	store.Forward
	o     Options
	least time.Duration // the shortest time after which a request is slow

	mu        sync.Mutex
	classes   [classes]class
	allowed   float64   // second requests left
	throttled time.Time // when a request was last throttled
}

// New returns a Store that hedges the Gets of s. Close closes s.
func New(s store.Store, o Options) *Store {
	return &Store{Forward: store.Forward{Store: s}, o: o, least: shortest, allowed: burst}
}
