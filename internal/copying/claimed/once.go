package claimed

import (
	"context"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
)

// Once runs a check of each path until it has succeeded. Concurrent calls for a path share one run.
type Once struct {
	runs concurrency.SingleFlight[string, struct{}]
	done sync.Map // by path
}

// Do runs the check of a path.
func (o *Once) Do(ctx context.Context, path string, check func(context.Context) error) (err error) {
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
