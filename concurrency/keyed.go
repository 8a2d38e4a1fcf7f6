package concurrency

import (
	"context"
	"slices"
	"sync"
)

// Keyed lets one goroutine of the process at a time work on a name. It saves the conflicts that
// goroutines of one process would otherwise have among themselves; between processes a store's
// conditions decide. The zero Keyed is ready.
type Keyed struct {
	mu    sync.Mutex
	names map[string][]chan struct{} // those that are locked, with who waits: first come, first served, by closing
}

// KeyLock is a name that one goroutine has to itself.
type KeyLock struct {
	of   *Keyed
	name string
}

// Lock waits, in order of arrival, for the name; the error is the cause of ctx's end. The caller
// must Unlock it. Without a wait nothing is allocated.
func (k *Keyed) Lock(ctx context.Context, name string) (KeyLock, error) {
	if err := context.Cause(ctx); err != nil {
		return KeyLock{}, err
	}
	k.mu.Lock()
	if k.take(name) {
		k.mu.Unlock()
		return KeyLock{k, name}, nil
	}
	turn := make(chan struct{})
	k.names[name] = append(k.names[name], turn)
	k.mu.Unlock()
	select {
	case <-turn:
		return KeyLock{k, name}, nil
	case <-ctx.Done():
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.names[name], turn); i >= 0 {
		k.names[name] = slices.Delete(k.names[name], i, i+1)
	} else { // the name came at the same moment
		k.pass(name)
	}
	return KeyLock{}, context.Cause(ctx)
}

// TryLock is Lock if the name is free now.
func (k *Keyed) TryLock(name string) (l KeyLock, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return KeyLock{k, name}, k.take(name)
}

// Unlock gives the name to who has waited longest. It must be called once.
func (l KeyLock) Unlock() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.pass(l.name)
}

func (k *Keyed) take(name string) bool {
	if _, ok := k.names[name]; ok {
		return false
	}
	if k.names == nil {
		k.names = map[string][]chan struct{}{}
	}
	k.names[name] = nil
	return true
}

func (k *Keyed) pass(name string) {
	waiting := k.names[name]
	if len(waiting) == 0 {
		delete(k.names, name)
		return
	}
	close(waiting[0])
	k.names[name] = waiting[1:]
}
