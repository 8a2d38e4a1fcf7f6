package concurrency

import "context"

// InTurn runs do for the integers 0 to n-1, at most inFlight at once, and then after each, one at a
// time and in order. do begins with i when then has ended with i-inFlight: memory for inFlight
// results, taken in turn by i modulo inFlight, is enough. The first error ends it as it does
// [Each], and is what InTurn returns. inFlight < 1 means 1.
func InTurn(ctx context.Context, inFlight, n int, do, then func(ctx context.Context, i int) error) error {
	if inFlight = min(inFlight, n); inFlight <= 1 {
		return EachN(ctx, 1, n, func(ctx context.Context, i int) error {
			if err := do(ctx, i); err != nil {
				return err
			}
			return then(ctx, i)
		})
	}
	// Each of the inFlight goroutines waits for its turn before it takes the next integer, and they
	// are handed out in order. So what is under way is always the next in turn and inFlight-1 that
	// follow it, of which each has a place of its own.
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
