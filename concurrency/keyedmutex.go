package concurrency

import (
	"context"
	"slices"
	"sync"
)

// KeyedMutex is a set of named locks. It prevents conflicts between the goroutines of one process.
// Conflicts between processes are detected by conditional writes to the store. The zero KeyedMutex
// is ready to use.
type KeyedMutex struct {
	mu sync.Mutex
	// names maps each locked name to its waiters in order of arrival. Closing a waiter's channel
	// hands over the lock.
	names map[string][]chan struct{}
}

// KeyLock is a held lock on one name.
type KeyLock struct {
	of   *KeyedMutex
	name string
}

// Lock locks name. Waiters are served in order of arrival. If ctx ends first, Lock returns
// context.Cause(ctx). The caller must Unlock the name. Lock allocates only if it waits.
func (k *KeyedMutex) Lock(ctx context.Context, name string) (KeyLock, error) {
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
	} else { // the lock was handed over concurrently
		k.pass(name)
	}
	return KeyLock{}, context.Cause(ctx)
}

// TryLock locks name if it is not locked. It never waits.
func (k *KeyedMutex) TryLock(name string) (l KeyLock, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return KeyLock{k, name}, k.take(name)
}

// Unlock unlocks the name, or hands it to the first waiter. It must be called exactly once.
func (l KeyLock) Unlock() {
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	l.of.pass(l.name)
}

func (k *KeyedMutex) take(name string) bool {
	if _, ok := k.names[name]; ok {
		return false
	}
	if k.names == nil {
		k.names = map[string][]chan struct{}{}
	}
	k.names[name] = nil
	return true
}

func (k *KeyedMutex) pass(name string) {
	waiting := k.names[name]
	if len(waiting) == 0 {
		delete(k.names, name)
		return
	}
	close(waiting[0])
	k.names[name] = waiting[1:]
}
