package concurrency

import (
	"context"
	"iter"
	"sync"
)

// ReadAhead bounds the tasks that [Results] runs before the loop requests their results. With the
// zero ReadAhead a task starts when the loop requests its result.
type ReadAhead[T any] struct {
	// Most is the maximum number of tasks that are running or whose results are not yielded yet.
	// The task that the loop waits for is not counted.
	Most int
	// AnyOrder yields results in order of completion instead of the order of their tasks.
	AnyOrder bool
	// Memory is the budget for results that the loop has not requested yet. Each of them reserves
	// Need bytes as [Ahead]. If too little memory is free, a task starts when the loop requests its
	// result. A nil Memory means that results are not bounded.
	Memory *Budget
	Need   func(T) int64
	// Held keeps the memory of a result reserved, as a Block of Memory, until the loop requests the
	// next result. The next task in order waits for its memory, so the body of the loop must not
	// wait for another Block. Tasks and the body may reserve memory of the kinds Index and Task.
	Held bool
}

// Results calls the function do for every value of tasks and yields the results. The loop ends
// after the first error, which is yielded, or when ctx ends. When the loop ends for any reason,
// Results cancels the context of the running tasks and waits for them.
//
// The tasks sequence is read in the goroutine of the loop, one value at a time, so it may be long.
func Results[T, V any](ctx context.Context, o ReadAhead[T], tasks iter.Seq[T], do func(context.Context, T) (V, error)) iter.Seq2[V, error] {
	o.Held = o.Held && o.Memory != nil
	return func(yield func(V, error) bool) {
		next, stop := iter.Pull(tasks)
		defer stop()
		ctx, cancel := context.WithCancel(ctx)
		a := &ahead[T, V]{ReadAhead: o, do: do, next: next, ended: make(chan *result[V])}
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

// ahead is the state of one loop over Results. Only the goroutine of the loop uses it.
type ahead[T, V any] struct {
	ReadAhead[T]
	do   func(context.Context, T) (V, error)
	next func() (T, bool)

	task    T // the next task, if have is true
	have    bool
	taken   *Hold           // memory of the result that was yielded last
	running []*result[V]    // running and finished tasks, in the order of tasks
	ended   chan *result[V] // results in order of completion, with AnyOrder
	group   sync.WaitGroup
}

type result[V any] struct {
	done  chan struct{}
	hold  *Hold // memory of a result before it is requested; may be nil
	value V
	err   error
}

// result starts as many tasks as the bounds allow and waits for the next result. It returns nil
// after the last result.
func (a *ahead[T, V]) result(ctx context.Context) *result[V] {
	a.releaseTaken()
	if len(a.running) == 0 && a.peek() {
		var hold *Hold
		if a.Held {
			var err error
			if hold, err = a.Memory.Acquire(ctx, Block, a.Need(a.task)); err != nil {
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
				kind = Block
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
		a.releaseTaken() // the loop owns the result now
	}
	return r
}

// releaseTaken releases the memory of the result that was yielded last.
func (a *ahead[T, V]) releaseTaken() {
	if a.taken != nil {
		a.taken.Release()
		a.taken = nil
	}
}

// peek reads the next task and reports whether there is one.
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
			case <-ctx.Done(): // the loop has ended or is ending
			}
		}
	})
}

// finish cancels the running tasks, waits for them and releases their memory.
func (a *ahead[T, V]) finish(cancel context.CancelFunc) {
	cancel()
	a.group.Wait()
	a.releaseTaken()
	for _, r := range a.running {
		if r.hold != nil {
			r.hold.Release()
		}
	}
}
