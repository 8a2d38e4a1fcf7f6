package transfer

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
)

// once runs a check of each path until it has succeeded. Concurrent calls for a path share one run.
type once struct {
	runs concurrency.SingleFlight[string, struct{}]
	done sync.Map // by path
}

func (o *once) do(ctx context.Context, path string, check func(context.Context) error) (err error) {
	if _, done := o.done.Load(path); !done {
		_, _, err = o.runs.Do(ctx, path, func(ctx context.Context) (struct{}, error) {
			if _, done := o.done.Load(path); done {
				return struct{}{}, nil
			}
			err := check(ctx)
			if err == nil {
				o.done.Store(path, true)
			}
			return struct{}{}, err
		})
	}
	return err
}
