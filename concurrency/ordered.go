package concurrency

import "context"

// Ordered calls do(ctx, i) for the integers i from 0 to n-1, at most inFlight calls concurrently.
// After do(i) has returned, Ordered calls then(ctx, i). The calls of then run one at a time, in the
// order of i. do(i) starts after then(i-inFlight) has returned, so memory for inFlight results,
// indexed by i modulo inFlight, suffices. The first error stops Ordered as in [Each], and Ordered
// returns it. inFlight < 1 means 1.
func Ordered(ctx context.Context, inFlight, n int, do, then func(ctx context.Context, i int) error) error {
	if inFlight = min(inFlight, n); inFlight <= 1 {
		return EachN(ctx, 1, n, func(ctx context.Context, i int) error {
			if err := do(ctx, i); err != nil {
				return err
			}
			return then(ctx, i)
		})
	}
	// EachN hands out the integers in order, and each of the inFlight goroutines waits for its turn
	// before it takes the next integer. The integers in flight are therefore at most inFlight
	// consecutive ones, and their remainders modulo inFlight differ.
	turn := make([]chan struct{}, inFlight)
	for i := range turn {
		turn[i] = make(chan struct{}, 1)
	}
	turn[0] <- struct{}{}
	return EachN(ctx, inFlight, n, func(ctx context.Context, i int) error {
		if err := do(ctx, i); err != nil {
			return err
		}
		select {
		case <-turn[i%inFlight]:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := then(ctx, i); err != nil {
			return err
		}
		turn[(i+1)%inFlight] <- struct{}{}
		return nil
	})
}
