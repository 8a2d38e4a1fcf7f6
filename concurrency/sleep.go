package concurrency

import (
	"context"
	"time"
)

// Sleep waits for d. If ctx ends first, Sleep returns context.Cause(ctx).
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
