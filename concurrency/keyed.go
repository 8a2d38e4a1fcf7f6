package concurrency

import (
	"context"
	"sync"
)

// Keyed lets one goroutine of the process at a time work on a name. It saves the conflicts that goroutines of one
// process would otherwise have among themselves; between processes a store's conditions decide. The zero Keyed is ready.
type Keyed struct {
	mu    sync.Mutex
	locks map[string]*keyLock
}

type keyLock struct {
	turn  chan struct{} // holds one token while free
	users int           // holders and waiters, under Keyed.mu
}

// Lock waits for the name and returns the function that gives it back, to be called once.
func (k *Keyed) Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	l := k.join(name)
	select {
	case <-l.turn:
		return func() { k.unlock(name, l) }, nil
	case <-ctx.Done():
		k.leave(name, l)
		return nil, context.Cause(ctx)
	}
}

// TryLock is Lock if the name is free now.
func (k *Keyed) TryLock(name string) (unlock func(), ok bool) {
	l := k.join(name)
	select {
	case <-l.turn:
		return func() { k.unlock(name, l) }, true
	default:
		k.leave(name, l)
		return nil, false
	}
}

func (k *Keyed) unlock(name string, l *keyLock) {
	l.turn <- struct{}{}
	k.leave(name, l)
}

// join is one user more of a name.
func (k *Keyed) join(name string) *keyLock {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[name]
	if l == nil {
		l = &keyLock{turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		if k.locks == nil {
			k.locks = map[string]*keyLock{}
		}
		k.locks[name] = l
	}
	l.users++
	return l
}

func (k *Keyed) leave(name string, l *keyLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(k.locks, name)
	}
}
