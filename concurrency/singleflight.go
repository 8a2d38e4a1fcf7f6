package concurrency

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
)

// SingleFlight runs a load once for all goroutines that request its result concurrently. The zero
// SingleFlight is ready to use.
type SingleFlight[K comparable, V any] struct {
	mu    sync.Mutex
	loads map[K]*load[V]
}

type load[V any] struct {
	done   chan struct{} // closed when value and err are set
	cancel context.CancelFunc
	users  int // goroutines that wait, guarded by SingleFlight.mu
	value  V
	err    error
	failing
}

// failing is the last failure that a load reported, while the load repeats it.
type failing struct {
	last  atomic.Pointer[error]
	outer *failing // of the load that runs the load
}

type failingKey struct{}

// Failing reports to the load of [SingleFlight.Do] that ctx belongs to that it failed with err and
// tries again, or with a nil err that it succeeded after a failure. A caller whose own context ends
// during the load gets err as the last failure. Without a load, Failing does nothing.
func Failing(ctx context.Context, err error) {
	f, _ := ctx.Value(failingKey{}).(*failing)
	for ; f != nil; f = f.outer {
		if err == nil {
			f.last.Store(nil)
		} else {
			f.last.Store(&err)
		}
	}
}

// left returns the error of a caller that leaves the load because its context ended with cause.
func (f *failing) left(cause error) error {
	if last := f.last.Load(); last != nil {
		return &fault.Interrupted{Err: cause, Last: *last}
	}
	return cause
}

// Do calls f and returns its results. If a load with the same name is in flight, Do waits for that
// load instead, and joined is true. That load started before the call of Do, so its result may be
// out of date.
//
// f runs in its own goroutine. Its context has the values of the first caller's ctx, and is
// cancelled when no caller waits any more. The last caller that leaves waits for f to return. The
// error of a caller that leaves is context.Cause(ctx), or a *fault.Interrupted with that cause and
// the last failure that f reported by [Failing].
func (j *SingleFlight[K, V]) Do(ctx context.Context, name K, f func(context.Context) (V, error)) (value V, joined bool, err error) {
	if err := context.Cause(ctx); err != nil {
		return value, false, err
	}
	j.mu.Lock()
	l, joined := j.loads[name]
	if !joined {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		l = &load[V]{done: make(chan struct{}), cancel: cancel}
		l.outer, _ = ctx.Value(failingKey{}).(*failing)
		own = context.WithValue(own, failingKey{}, &l.failing)
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
	return value, joined, l.left(context.Cause(ctx))
}

func (j *SingleFlight[K, V]) forget(name K, l *load[V]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.loads[name] == l {
		delete(j.loads, name)
	}
}
