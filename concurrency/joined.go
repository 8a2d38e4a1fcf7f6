package concurrency

import (
	"context"
	"sync"
)

// Joined is a [JoinedBy] whose loads have string names.
type Joined[V any] = JoinedBy[string, V]

// JoinedBy runs a load once for all goroutines that request its result concurrently. The zero
// JoinedBy is ready to use.
type JoinedBy[K comparable, V any] struct {
	mu    sync.Mutex
	loads map[K]*load[V]
}

type load[V any] struct {
	done   chan struct{} // closed when value and err are set
	cancel context.CancelFunc
	users  int // goroutines that wait, guarded by JoinedBy.mu
	value  V
	err    error
}

// Do calls f and returns its results. If a load with the same name is in flight, Do waits for that
// load instead, and joined is true. That load started before the call of Do, so its result may be
// out of date.
//
// f runs in its own goroutine. Its context has the values of the first caller's ctx, and is
// cancelled when no caller waits any more. The last caller that leaves waits for f to return.
func (j *JoinedBy[K, V]) Do(ctx context.Context, name K, f func(context.Context) (V, error)) (value V, joined bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return value, false, err
	}
	j.mu.Lock()
	l, joined := j.loads[name]
	if !joined {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		l = &load[V]{done: make(chan struct{}), cancel: cancel}
		if j.loads == nil {
			j.loads = map[K]*load[V]{}
		}
		j.loads[name] = l
		go func() {
			defer cancel()
			l.value, l.err = f(own)
			j.forget(name, l)
			close(l.done)
		}()
	}
	l.users++
	j.mu.Unlock()

	select {
	case <-l.done:
		return l.value, joined, l.err
	case <-ctx.Done():
	}
	j.mu.Lock()
	l.users--
	last := l.users == 0
	if last && j.loads[name] == l {
		delete(j.loads, name) // no caller may join a cancelled load
	}
	j.mu.Unlock()
	if last {
		l.cancel()
		<-l.done
	}
	return value, joined, context.Cause(ctx)
}

func (j *JoinedBy[K, V]) forget(name K, l *load[V]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.loads[name] == l {
		delete(j.loads, name)
	}
}
