package concurrency

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

// Each runs task for every value of tasks, at most inFlight at once, and returns when all that it started have ended.
// The first error stops the iteration and cancels the context of the tasks under way; it is what Each returns. A
// cancelled ctx stops it likewise. inFlight < 1 means 1.
//
// The tasks sequence is read by one goroutine, one value at a time and only when a task can start, so it may be long.
func Each[T any](ctx context.Context, inFlight int, tasks iter.Seq[T], task func(context.Context, T) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(inFlight, 1))
	for t := range tasks {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := gctx.Err(); err != nil {
				return err
			}
			return task(gctx, t)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// EachN is Each over the integers 0 to n-1.
func EachN(ctx context.Context, inFlight, n int, task func(context.Context, int) error) error {
	return Each(ctx, inFlight, func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}, task)
}

// EachIn is Each where every task holds one of slots while it runs. A slot is taken before the task is started, so that what waits
// for one takes no goroutine; several sequences at once share the slots in order of arrival. The caller must hold none of them.
func EachIn[T any](ctx context.Context, slots *Slots, tasks iter.Seq[T], task func(context.Context, T) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	for t := range tasks {
		if slots.Acquire(gctx) != nil {
			break // a task failed, or ctx has ended
		}
		g.Go(func() error {
			defer slots.Release()
			return task(gctx, t)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
