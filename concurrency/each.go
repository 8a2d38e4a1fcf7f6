package concurrency

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Each calls the function task for every value of tasks, at most inFlight calls concurrently. It
// returns when all started tasks have ended. Each returns the first error, which also stops the
// iteration and cancels the context of the running tasks. The end of ctx stops the iteration too.
// If ctx ends while a task repeats a failed request, the error is a *fault.Interrupted with the
// failure. An inFlight below 1 means 1.
//
// One goroutine reads the tasks sequence, one value at a time and only when a task can start, so
// the sequence may be long.
func Each[T any](ctx context.Context, inFlight int, tasks iter.Seq[T], task func(context.Context, T) error) error {
	if inFlight <= 1 {
		return oneByOne(ctx, tasks, task)
	}
	return each(ctx, inFlight, nil, tasks, task)
}

// oneByOne is Each with one task at a time, in the caller's goroutine.
func oneByOne[T any](ctx context.Context, tasks iter.Seq[T], task func(context.Context, T) error) error {
	var err error
	tasks(func(t T) bool { // a range statement would allocate more
		if err = context.Cause(ctx); err == nil {
			err = task(ctx, t)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// EachN is [Each] over the integers 0 to n-1. With n or inFlight at most 1, tasks run in the
// caller's goroutine.
func EachN(ctx context.Context, inFlight, n int, task func(context.Context, int) error) error {
	if n <= 1 || inFlight <= 1 {
		for i := range n {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := task(ctx, i); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	return Each(ctx, inFlight, func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}, task)
}

// Acquirer acquires and releases slots. It is implemented by [Slots] and by types that wrap it.
type Acquirer interface {
	Acquire(ctx context.Context) error
	Release()
	Size() int
}

// EachIn is like [Each], but every task holds one of the slots while it runs, so the slots bound
// the number of concurrent tasks. A slot is acquired before its task starts, so a waiting task
// needs no goroutine. Concurrent calls acquire slots in order of arrival. The caller must not hold
// any of the slots.
func EachIn[T any](ctx context.Context, slots Acquirer, tasks iter.Seq[T], task func(context.Context, T) error) error {
	return each(ctx, slots.Size(), slots, tasks, task)
}

// each runs tasks in at most inFlight goroutines, which are reused. slots may be nil.
func each[T any](ctx context.Context, inFlight int, slots Acquirer, tasks iter.Seq[T], task func(context.Context, T) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	next := make(chan T)
	var cause interruption
	run := func(t T) error {
		if slots != nil {
			defer slots.Release()
		}
		if err := gctx.Err(); err != nil {
			return err
		}
		err := task(gctx, t)
		if err != nil {
			cause.note(err)
		}
		return err
	}
	for t := range tasks {
		if gctx.Err() != nil || slots != nil && slots.Acquire(gctx) != nil {
			break // a task failed, or ctx has ended
		}
		select {
		case next <- t: // received by a goroutine without a task
			continue
		default:
		}
		if inFlight > 0 {
			inFlight--
			first := t
			g.Go(func() error {
				for t, ok := first, true; ok; t, ok = <-next {
					if err := run(t); err != nil {
						return err
					}
				}
				return nil
			})
			continue
		}
		select {
		case next <- t:
		case <-gctx.Done():
			if slots != nil {
				slots.Release()
			}
		}
	}
	close(next)
	err := g.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return cause.explain(ctx, err)
	}
	return nil
}

// interruption is the first error of a task that names the failure before the end of the context.
type interruption struct {
	first atomic.Pointer[fault.Interrupted]
}

// note records err if it names a failure. It is not inlined, so that tasks without an error
// allocate nothing.
//
//go:noinline
func (n *interruption) note(err error) {
	if i, ok := errors.AsType[*fault.Interrupted](err); ok {
		n.first.CompareAndSwap(nil, i)
	}
}

// explain adds the recorded failure to err if err is only the end of ctx.
func (n *interruption) explain(ctx context.Context, err error) error {
	i := n.first.Load()
	if i == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) || errors.As(err, new(*fault.Interrupted)) {
		return err
	}
	return &fault.Interrupted{Err: err, Last: i.Last}
}
