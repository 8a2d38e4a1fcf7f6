package node

import (
	"context"
	"errors"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// Waiting reports the pauses of a change that waits for other processes to a [store.Trace].
type Waiting struct {
	Until time.Time // the end of the wait
	Over  TakeOver  // the claims that the change may take over

	tries int
	begun time.Time // end of the first attempt
}

// Pause must be called before each pause. err is the error of the last attempt.
func (w *Waiting) Pause(ctx context.Context, err error) {
	now := time.Now()
	if w.tries++; w.tries == 1 {
		w.begun = now
	}
	t := store.TraceOf(ctx)
	if t == nil || t.Conflict == nil {
		return
	}
	e := store.Conflict{Try: w.tries, Waited: now.Sub(w.begun), Err: err, Until: w.Until}
	if by, ok := errors.AsType[*claimedBy](err); ok {
		e.Key, e.Since = by.key, by.claim.Since
		e.TakeOver, _ = w.Over.from(by.claim)
	}
	t.Conflict(ctx, e)
}
