package hedge

import (
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options are what second requests may take.
type Options struct {
	// Budget has the memory for answers of second requests. nil: there is none, and no second
	// request is made.
	Budget *concurrency.Budget
	// Free reports whether a request would begin at once. nil: it would.
	Free func() bool
}

// Store hedges Gets. Make it with [New]. All methods may be called concurrently.
type Store struct {
	store.Forward
	o     Options
	least time.Duration // before which no request is slow

	mu        sync.Mutex
	classes   [classes]class
	allowed   float64   // second requests
	throttled time.Time // when the last request was
}

// New makes a Store of s. Close closes s.
func New(s store.Store, o Options) *Store {
	return &Store{Forward: store.Forward{Store: s}, o: o, least: shortest, allowed: burst}
}
