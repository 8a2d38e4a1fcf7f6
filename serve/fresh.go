package serve

import (
	"context"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

// fresh is a value that is loaded at first use, and again when it is too old. Requests at the same
// time share one load. The zero fresh is ready to use.
type fresh[T any] struct {
	loads concurrency.SingleFlight[struct{}, T]

	mu    sync.Mutex
	value T
	has   bool
	at    time.Time // start of the load
}

// current returns the value. If it was loaded longer ago than the given time, which 0 means never,
// it calls load with the old value. If load fails, the old value remains, and the next call loads
// again. The load counts in the account of no request.
func (f *fresh[T]) current(ctx context.Context, every time.Duration, load func(context.Context, T) (T, error)) (T, error) {
	f.mu.Lock()
	old, usable := f.value, f.has && (every == 0 || time.Since(f.at) < every)
	f.mu.Unlock()
	if usable {
		return old, nil
	}
	next, _, err := f.loads.Do(withAccount(ctx, nil), struct{}{}, func(ctx context.Context) (T, error) {
		begun := time.Now()
		next, err := load(ctx, old)
		if err != nil {
			return next, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.value, f.has, f.at = next, true, begun
		return next, nil
	})
	return next, err
}
