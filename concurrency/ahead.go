package concurrency

import (
	"context"
	"iter"
	"sync"
)

// InAdvance bounds how many tasks [Results] runs before the loop asks for their results. With the
// zero InAdvance a task starts when the loop asks for its result.
type InAdvance[T any] struct {
	// Most is how many tasks are under way, or done and not taken, beside the one that the loop
	// waits for.
	Most int
	// AnyOrder yields results as they come, and not in the order of their tasks.
	AnyOrder bool
	// Memory is where results lie that were not asked for yet: as [Ahead], Need bytes for each. A
	// task for which there is none waits until it is asked for. nil bounds nothing.
	Memory *Budget
	Need   func(T) int64
	// Held keeps the memory of a result reserved until the loop asks for the next one, as a Task of
	// Memory. The task that is due waits for its memory, so no body of the loop may need what only
	// the end of another such body releases. Memory is then of results alone.
	Held bool
}

// Results runs do for every value of tasks and yields what it returns. The first error is yielded,
// and ends the loop; so does the end of ctx. However the loop ends, the context of what is under
// way is cancelled, and all of it has ended before the loop has.
//
// The tasks sequence is read in the goroutine of the loop, one value at a time, so it may be long.
func Results[T, V any](ctx context.Context, o InAdvance[T], tasks iter.Seq[T], do func(context.Context, T) (V, error)) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		next, stop := iter.Pull(tasks)
		defer stop()
		ctx, cancel := context.WithCancel(ctx)
		a := &ahead[T, V]{InAdvance: o, do: do, next: next, ended: make(chan *result[V])}
		defer a.finish(cancel)
		for {
			if err := context.Cause(ctx); err != nil {
				var none V
				yield(none, err)
				return
			}
			r := a.result(ctx)
			if r == nil || !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}

// ahead is a loop of Results. It belongs to the loop's goroutine.
type ahead[T, V any] struct {
	InAdvance[T]
	do   func(context.Context, T) (V, error)
	next func() (T, bool)

	task    T // the next one, when it was read
	have    bool
	taken   *Hold           // of the result that the loop has
	running []*result[V]    // in the order of their tasks, those that are done too
	ended   chan *result[V] // as they come
	group   sync.WaitGroup
}

type result[V any] struct {
	done  chan struct{}
	hold  *Hold // memory of a result that is not asked for
	value V
	err   error
}

// result begins what may begin, and waits for the result that is due: nil after the last.
func (a *ahead[T, V]) result(ctx context.Context) *result[V] {
	a.giveBack()
	if len(a.running) == 0 && a.peek() {
		var hold *Hold
		if a.Held {
			var err error
			if hold, err = a.Memory.Acquire(ctx, Task, a.Need(a.task)); err != nil {
				return &result[V]{err: err}
			}
		}
		a.begin(ctx, hold)
	}
	for len(a.running) <= a.Most && len(a.running) > 0 && a.peek() {
		var hold *Hold
		if a.Memory != nil {
			kind, ok := Ahead, false
			if a.Held {
				kind = Task
			}
			if hold, ok = a.Memory.Try(kind, a.Need(a.task)); !ok {
				break
			}
		}
		a.begin(ctx, hold)
	}
	if len(a.running) == 0 {
		return nil
	}
	r, at := a.running[0], 0
	if a.AnyOrder {
		select {
		case r = <-a.ended:
		case <-ctx.Done():
			return &result[V]{err: context.Cause(ctx)}
		}
		for a.running[at] != r {
			at++
		}
	} else {
		<-r.done
	}
	a.running = append(a.running[:at], a.running[at+1:]...)
	if a.taken = r.hold; !a.Held {
		a.giveBack() // it is the loop's now
	}
	return r
}

// giveBack releases the memory of the result that the loop has.
func (a *ahead[T, V]) giveBack() {
	if a.taken != nil {
		a.taken.Release()
		a.taken = nil
	}
}

// peek reads the next task, and reports whether there is one.
func (a *ahead[T, V]) peek() bool {
	if !a.have {
		a.task, a.have = a.next()
	}
	return a.have
}

func (a *ahead[T, V]) begin(ctx context.Context, hold *Hold) {
	r, task := &result[V]{done: make(chan struct{}), hold: hold}, a.task
	a.running = append(a.running, r)
	a.have = false
	a.group.Go(func() {
		r.value, r.err = a.do(ctx, task)
		close(r.done)
		if a.AnyOrder {
			select {
			case a.ended <- r:
			case <-ctx.Done(): // the loop has ended, or is about to
			}
		}
	})
}

// finish ends what is under way.
func (a *ahead[T, V]) finish(cancel context.CancelFunc) {
	cancel()
	a.group.Wait()
	a.giveBack()
	for _, r := range a.running {
		if r.hold != nil {
			r.hold.Release()
		}
	}
}
