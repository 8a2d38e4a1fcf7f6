package concurrency

import (
	"context"
	"sync"
)

// Joined is [JoinedBy] of loads that have strings for names.
type Joined[V any] = JoinedBy[string, V]

// JoinedBy runs a load once for all goroutines that want its result at the same time. The zero
// JoinedBy is ready.
type JoinedBy[K comparable, V any] struct {
	mu    sync.Mutex
	loads map[K]*load[V]
}

type load[V any] struct {
	done   chan struct{} // closed when value and err are set
	cancel context.CancelFunc
	users  int // who waits, under JoinedBy.mu
	value  V
	err    error
}

// Do returns what f returns. While a load of that name is under way it is waited for instead, and
// joined is true: that load began before the call, so what it found may be older. f runs under a
// context of its own, with the values of the first caller's, which is cancelled when nobody waits
// any more; the last to leave waits for f to end.
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
		delete(j.loads, name) // nobody shall join what is being cancelled
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
